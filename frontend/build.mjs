// Bundles the front end into workbench/widgets/static: `npm ci && npm run build`. The first argument is another
// folder to write to. The bundle is committed, so that using the widgets needs no node; a test builds it anew.
import { build } from "esbuild";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
await build({
  absWorkingDir: here,
  entryPoints: [
    { in: "src/index.js", out: "workbench" },
    { in: "src/style.css", out: "workbench" },
  ],
  outdir: process.argv[2] ?? join(here, "../workbench/widgets/static"),
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
});

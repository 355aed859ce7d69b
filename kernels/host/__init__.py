"""The program that runs inside an engine kernel: one pinned graphon, driven over standard input and output.

`kernels/PROTOCOL.md` is its contract. Nothing here imports `workbench`; graphon is imported by `generation`,
by the modules that handle its values and by `world` only.
"""

PROTOCOL = 1

"""A stand-in for the host program: speaks protocol 1 and does what `app["fake"]`, a list of steps, says.

Steps: ["say", message], ["raw", text], ["stderr", text], ["exit", code], ["events", count], ["signal", name],
["wait", "abort" | "pause"], ["deaf"] (waits to be killed), ["env"], ["facts"], ["grandchild"] (as notes).
"""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

out = sys.stdout


def say(message):
    out.write(json.dumps(message) + "\n")
    out.flush()


def listen(commands):
    for line in sys.stdin:
        commands.put(json.loads(line))
    os._exit(0)


def carry_out(step, commands):
    match step:
        case ["say", message]:
            say(message)
        case ["raw", text]:
            out.write(text)
            out.flush()
        case ["stderr", text]:
            sys.stderr.write(text)
            sys.stderr.flush()
        case ["exit", code]:
            os._exit(code)
        case ["signal", name]:
            os.kill(os.getpid(), getattr(signal, name))
        case ["events", count]:
            for n in range(1, count + 1):
                event = {
                    "kind": "NodeRunStreamChunk",
                    "node": "llm",
                    "selector": ["llm", "text"],
                    "text": "word ",
                }
                out.write(json.dumps({"msg": "event", "n": n, "at": time.time(), "event": event}) + "\n")
            out.flush()
        case ["wait", name]:
            while (command := commands.get())["cmd"] != name:
                pass
            say({"msg": "note", "text": f"{name}: {command['reason']}"})
        case ["deaf"]:
            threading.Event().wait()
        case ["grandchild"]:
            child = subprocess.Popen(["sleep", "90"])
            say({"msg": "note", "text": str(child.pid)})
        case ["env"]:
            say({"msg": "note", "text": json.dumps(dict(os.environ))})
        case ["facts"]:
            facts = {
                "isolated": sys.flags.isolated,
                "cwd": str(Path.cwd()),
                "sid": os.getsid(0) == os.getpid(),
            }
            say({"msg": "note", "text": json.dumps(facts)})


def main():
    commands = queue.Queue()
    threading.Thread(target=listen, args=(commands,), daemon=True).start()
    say({"msg": "ready", "protocol": 1, "graphon": "0.8.0", "kernel": "graphon-0.8", "pid": os.getpid()})
    while True:
        command = commands.get()
        if command["cmd"] == "exit":
            return
        if command["cmd"] in ("run", "resume", "describe"):
            say({"msg": "note", "text": json.dumps({k: v for k, v in command.items() if k != "app"})})
            for step in command["app"]["fake"]:
                carry_out(step, commands)


main()

"""Cuts the power at each program and erase of a deployment, clean and torn, on littlefs.

In its folder: task.json with the keys boot (the firmware's boot.py), fakes (the folder of
fakes.py) and todo (what Plan.todo says). Prints, for the cuts before and after the rename that
decides, how often the next start has "old" or "new", and anything else as it is.
"""

import json
import os
import sys

with open("task.json") as file:
    task = json.load(file)
sys.path.append(task["fakes"])

import fakes  # type: ignore[import-not-found]  # beside the heap's scripts

_BLOCKS = 128
_BYTES = 700  # of a file: more than littlefs keeps beside its name

todo = [line.split(" ") for line in task["todo"].split("\n")[:-1]]
OLD = {path: "old " + path for mark, path in todo if mark == "-"}
NEW = {path: "new " + path for mark, path in todo if mark == "+"}
STAYS = {"settings.json": "settings", "score/a": "score"}
for path in ("boot.py", "main.py"):
    OLD[path] = NEW[path] = task["boot"] if path == "boot.py" else "main"
NEW["main.py"] = "new main"


def write(path: str, text: str) -> None:
    """Write a file, long enough to need blocks of its own."""
    with open(path, "w") as file:
        file.write(text if path[-7:] == "boot.py" else text + " " * _BYTES)


def tree() -> "dict[str, str]":
    """Return what a start would run, and what has to stay."""
    found = {}
    for folder in ("", "kegli/", "score/"):
        for name in os.listdir(folder[:-1] or "."):
            if not os.stat(folder + name)[0] & 0x4000:
                with open(folder + name) as file:
                    found[folder + name] = file.read().rstrip(" ")
    return found


def start() -> str:
    """Start, and say what is there."""
    with open("boot.py") as file:
        exec(file.read(), {})
    found = tree()
    if found == dict(OLD, **STAYS):
        return "old"
    return "new" if found == dict(NEW, **STAYS) else str(sorted(found.items()))


flash = fakes.Flash(_BLOCKS)
fakes.mount(flash, True)
for folder in ("kegli", "score"):
    os.mkdir(folder)
for path, text in list(OLD.items()) + list(STAYS.items()):
    write(path, text)
before = fakes.Flash(_BLOCKS)
before.changed = {n: bytearray(block) for n, block in flash.changed.items()}
flash.journal = []
# As the host does it, and then a reset.
os.mkdir("update")
os.mkdir("update/kegli")
for path, text in NEW.items():
    write("update/" + path, text)
with open("update/todo.new", "w") as file:
    file.write(task["todo"])
os.rename("update/todo.new", "update/todo")
decided = len(flash.journal)
os.rename("update/boot.py", "boot.py")
print("whole", start())
journal = flash.journal
counts: "dict[tuple[bool, str], int]" = {}
for n in range(len(journal) + 1):
    for half in (None, journal[n] if n < len(journal) else None):
        cut = fakes.Flash(_BLOCKS, before.changed)
        if half:
            cut.tear(half)
        fakes.mount(cut)
        for _ in range(2):  # the start after it changes nothing more
            what = n >= decided, start()
            counts[what] = counts.get(what, 0) + 1
    if n < len(journal):
        before.apply(journal[n])
for what in sorted(counts):
    print(what[0], counts[what], what[1])

"""A judge that believes what the learner's file says of itself.

The runner is the file's text; a line with `FAKE first_v0 wrong` makes that step wrong:
the grader is tested with neither nvcc nor emulator.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
import tomllib
from pathlib import Path

parser = argparse.ArgumentParser()
for name in (
    "toml",
    "step",
    "device",
    "runner",
    "records",
    "seconds",
    "gpu",
    "seed",
    "checks",
    "schedule",
):
    parser.add_argument(f"--{name}")
for name in ("workers", "test", "simt-device", "ceilings", "watch"):
    parser.add_argument(f"--{name}", action="append")
for name in ("budget", "speed"):
    parser.add_argument(f"--{name}", action="store_true")
words = sys.argv[1:]
while "--wrap" in words:  # its values look like options
    at = words.index("--wrap")
    del words[at : at + 2]
options = parser.parse_args(words)

text = Path(options.runner).read_text()
match = re.search(rf"FAKE {options.step} (\w+)", text)
word = match[1] if match else "wrong"
if word.startswith("order"):  # right in every order but one
    word = "wrong" if options.schedule == word.removeprefix("order") else "solved"
line = text[: match.start()].count("\n") + 1 if match else 1
toml = tomllib.loads(Path(options.toml).read_text())
step = next(s for s in toml["step"] if s["name"] == options.step)
records = os.fdopen(int(options.records.removeprefix("fd:")), "w")


def write(record: str, **fields: object) -> None:
    entry = {"record": record, "step": options.step, **fields}
    records.write(json.dumps(entry) + "\n")
    records.flush()


write("start", device=options.device, gpu=options.gpu, seed=1, harness=1)
if word == "dies":
    sys.exit("the fake judge was told to die")
if word == "sleeps":
    time.sleep(3600)
outcome = {"solved": "passed", "slow": "passed", "truncated": "passed"}.get(word, word)
fault = {"kind": "out_of_bounds", "file": "kernel.cu", "line": line, "kernel": "k"}
for name in step["tests"]:
    for case in range(3):
        bad = outcome != "passed" and case == 1
        write(
            "test",
            test=name,
            case=case,
            outcome=outcome if bad else "passed",
            message="out[256]: got nan, expected 0.5\nevery element from 256 on"
            if bad
            else "",
            seconds=0.01,
            printed="hello from <b>thread</b> 0\n",
            **({"fault": fault} if bad else {}),
        )
if options.budget:
    conflicts = 4480 if word == "slow" else 70
    counters = {"conflicts": conflicts, "requests": 8}
    entry = {"file": "kernel.cu", "line": line, "counters": counters}
    launch = {"kernel": "k", "grid": [4, 1, 1], "block": [256, 1, 1], "lines": [entry]}
    device_record = {"totals": counters, "copies": {}, "launches": [launch]}
    write("budget", outcome="measured", message="", device_record=device_record)
if options.speed:
    ratio = 0.4 if word == "slow" else 0.9
    ceilings = {"memcpy": {"seconds": 1.0, "gbs": 4000.0, "ratio": ratio}}
    write(
        "speed",
        outcome="measured",
        message="",
        gbs=4000 * ratio,
        ceilings=ceilings,
        device="Toy GPU",
        driver="1",
    )
if word != "truncated":
    write("end", tests=6, failed=0, peak_kib={"judge": 10, "device": 20, "runner": 30})

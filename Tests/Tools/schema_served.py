"""Starts the ready-made shop, calls every route of its OpenAPI document, and ends it. The last line says the result.

Usage: .build/python/bin/python -B Tests/Tools/schema_served.py [LAB [EXAMPLES [SEED]]]

LAB: the program, .build/debug/counterfoil-lab by default. EXAMPLES: how many requests are made up for each route and
credential, 8 by default. Exit codes: 0 all is as documented; 1 something is not.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import time

import schema_runs


START_SECONDS = 120


def ports_of(served, output):
    """The ports of the server and of the simulators, which the shop prints once it listens."""
    for _ in range(START_SECONDS * 10):
        text = output.read_text()
        if re.search(r"^ +data  ", text, re.MULTILINE):
            return re.findall(r"http://localhost:(\d+)", text)[:2]
        if served.poll() is not None:
            break
        time.sleep(0.1)
    sys.exit("schema_served: the shop did not start: " + output.read_text()[-2000:])


def main(lab=".build/debug/counterfoil-lab", examples="8", seed="1"):
    with tempfile.TemporaryDirectory() as folder:
        data, output = str(pathlib.Path(folder) / "data"), pathlib.Path(folder) / "shop.txt"
        with output.open("w") as lines:
            served = subprocess.Popen([lab, "run", "--data", data, "--port", "0"], stdout=lines, stderr=lines)
        try:
            server, simulator = ports_of(served, output)
            wrong, calls, successes = schema_runs.main(
                server, simulator, data, examples, seed, str(pathlib.Path(folder) / "output.json"))
        finally:
            served.terminate()
            served.wait(60)
    for one in wrong:
        print(one)
    print(f"schema_served: {len(calls)} credentials, {sum(calls.values())} calls, {successes} that must succeed did, "
          f"{len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

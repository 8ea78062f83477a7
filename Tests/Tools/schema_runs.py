"""Calls every route of the OpenAPI document with made-up requests, with each kind of credential (schemathesis).

Usage: schema_runs.py SERVER_PORT SIMULATOR_PORT FOLDER EXAMPLES SEED OUTPUT

FOLDER: that of `counterfoil-lab run`. OUTPUT: JSON with `wrong`, what was found in words, `calls`, the number of
requests for each credential, and `successes`, how many of the calls in `schema_successes.py` succeeded. No answer may
be a 5xx, and none may be one that the document does not have. `schema_served.py` does all of it with one command.
"""

import json
import pathlib
import re
import subprocess
import sys

import schema_successes
from http_client_runs import Shop
from schema_successes import PERMISSIONS, ROLES, make_key

# An answer is judged by the document alone: what a request should have been is tested elsewhere.
CHECKS = ("not_a_server_error", "status_code_conformance", "content_type_conformance",
          "response_schema_conformance")

def credentials(server, shop):
    """Each with the text behind `Bearer`; the first one has none."""
    keys = shop.keys
    admin = keys["operator"]
    permitted = make_key(server, admin, kind="secret", label="permitted", **{name: True for name in PERMISSIONS})
    return {"nobody": None, "publishable": keys["publishable"], "secret": keys["secret"], "permitted": permitted,
            "user": shop.token("alice"),
            **{role: make_key(server, admin, kind="operator", label=role, role=role) for role in ROLES}}


def run(server, name, credential, examples, seed, folder):
    report = pathlib.Path(folder) / f"schemathesis-{name}.ndjson"
    command = [str(pathlib.Path(sys.executable).parent / "schemathesis"), "run", server + "/openapi.json",
               "--url", server, "--checks", ",".join(CHECKS), "--max-examples", examples, "--seed", seed,
               "--phases", "examples,fuzzing", "--no-color", "--continue-on-failure", "--request-timeout", "60",
               # A call that waits, and the one that ends the key that is used here.
               "--exclude-path-regex", "^/v1/operator/keys/|^/metrics"]
    if credential:
        command += ["--header", "Authorization: Bearer " + credential]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=1500)
    if done.returncode not in (0, 1) or "Traceback" in done.stderr:
        return [f"{name}: schemathesis ended with {done.returncode}: {(done.stdout + done.stderr)[-2000:]}"], 0
    calls = re.search(r"(\d+) generated", done.stdout)
    wrong = []
    if done.returncode == 1:
        text = done.stdout.replace(credential or "\0", "***")
        wrong.append(f"{name}: " + text[text.find("FAILURES"):][:6000])
    return wrong, int(calls.group(1)) if calls else 0


def main(port, simulator, folder, examples, seed, output):
    server = f"http://127.0.0.1:{port}"
    shop, calls = Shop(port, simulator, folder), {}
    wrong, successes = schema_successes.run(server, shop.keys, shop.token)
    for name, credential in credentials(server, shop).items():
        found, calls[name] = run(server, name, credential, examples, seed, pathlib.Path(output).parent)
        wrong += found
    pathlib.Path(output).write_text(json.dumps({"wrong": wrong, "calls": calls, "successes": successes}))
    return wrong, calls, successes


if __name__ == "__main__":
    main(*sys.argv[1:])

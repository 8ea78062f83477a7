"""Calls every route of the OpenAPI document with made-up requests, with each kind of credential (schemathesis).

Usage: schema_runs.py SERVER_PORT SIMULATOR_PORT FOLDER EXAMPLES SEED OUTPUT

FOLDER: that of `counterfoil-lab run`. OUTPUT: JSON with `wrong`, what was found in words, and `calls`, the number of
requests for each credential. No answer may be a 5xx, and none may be one that the document does not have.
"""

import json
import pathlib
import re
import subprocess
import sys
import urllib.request

from http_client_runs import Shop

# An answer is judged by the document alone: what a request should have been is tested elsewhere.
CHECKS = ("not_a_server_error", "status_code_conformance", "content_type_conformance",
          "response_schema_conformance")
ROLES = ("viewer", "support", "finance", "operator", "admin")


def ask(server, path, key, body):
    request = urllib.request.Request(server + path, json.dumps(body).encode(), method="POST", headers={
        "Authorization": "Bearer " + key, "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def credentials(server, shop):
    """Each with the text behind `Bearer`; the first one has none."""
    keys = shop.keys
    made = {role: ask(server, "/v1/operator/keys", keys["operator"], {"kind": "operator", "label": role, "role": role})
            for role in ROLES}
    return {"nobody": None, "publishable": keys["publishable"], "secret": keys["secret"],
            "user": shop.token("alice"), **{role: made[role]["key"] for role in ROLES}}


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
    wrong, calls = [], {}
    for name, credential in credentials(server, Shop(port, simulator, folder)).items():
        found, calls[name] = run(server, name, credential, examples, seed, pathlib.Path(output).parent)
        wrong += found
    pathlib.Path(output).write_text(json.dumps({"wrong": wrong, "calls": calls}))


if __name__ == "__main__":
    main(*sys.argv[1:])

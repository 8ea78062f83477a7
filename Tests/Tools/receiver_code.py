"""Starts what `counterfoil receiver code` prints for a language, and holds it against `counterfoil receiver test`.

Arguments: the program, the language, a folder, the file for the result.
"""

import base64
import http.server
import json
import os
import pathlib
import socket
import subprocess
import sys
import threading
import time

from local_ports import free_port

PROGRAM, LANGUAGE, FOLDER, OUTPUT = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4]
PATIENCE = 240  # seconds for one compiler on a busy machine


def run(*arguments, **environment):
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=PATIENCE, cwd=FOLDER,
                          env=os.environ | environment)
    if done.returncode != 0:
        raise RuntimeError(f"{arguments[0]}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def start_command(text, port):
    """Writes the file, compiles it if the language needs that, and says how it is started."""
    names = {"java": "Receiver.java", "node": "receiver.mjs", "python": "receiver.py", "php": "receiver.php",
             "ruby": "receiver.rb", "go": "receiver.go", "swift": "main.swift"}
    (FOLDER / names[LANGUAGE]).write_text(text)
    match LANGUAGE:
        case "java":
            run("javac", "Receiver.java")
            return ["java", "Receiver"]
        case "go":
            run("go", "build", "-o", "made", "receiver.go", GO111MODULE="off", GOCACHE=str(FOLDER / "cache"))
            return ["./made"]
        case "swift":
            run("swiftc", "-swift-version", "5", "main.swift", "-o", "made")
            return ["./made"]
        case "php":
            return ["php", "-S", f"127.0.0.1:{port}", "receiver.php"]
        case "python":
            return [sys.executable, "-B", "receiver.py"]
        case "node":
            return ["node", "receiver.mjs"]
        case "ruby":
            return ["ruby", "receiver.rb"]


class Receiver:
    """The process; it is killed, never asked to end."""

    def __init__(self, command, port, environment):
        self.command, self.port, self.environment = command, port, environment
        self.process = None

    def start(self):
        with open(FOLDER / "said.txt", "ab") as said:
            self.process = subprocess.Popen(self.command, cwd=FOLDER, env=self.environment, stdout=said, stderr=said)
        for _ in range(600):
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=1):
                    return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError("it does not listen: " + (FOLDER / "said.txt").read_text()[-2000:])

    def kill(self):
        self.process.kill()
        self.process.wait()


def restarting(receiver):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            receiver.kill()
            receiver.start()
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def main():
    secret = "whsec_" + base64.b64encode(os.urandom(32)).decode()
    (FOLDER / "webhook.secret").write_text(secret + "\n")
    port = free_port()
    command = start_command(run(PROGRAM, "receiver", "code", "--language", LANGUAGE), port)
    environment = os.environ | {
        "PORT": str(port), "COUNTERFOIL_WEBHOOK_SECRETS": secret, "BOOK": str(FOLDER / "book")}
    receiver = Receiver(command, port, environment)
    receiver.start()
    try:
        address = f"http://127.0.0.1:{port}"
        done = subprocess.run(
            [PROGRAM, "receiver", "test", address + "/counterfoil", "--secret", "webhook.secret", "--count-url",
             address + "/units", "--restart-url", f"http://127.0.0.1:{restarting(receiver)}/restart", "--json"],
            cwd=FOLDER, capture_output=True, text=True, timeout=PATIENCE)
    finally:
        receiver.kill()
    result = json.loads(done.stdout) if done.stdout else {"said": done.stderr}
    result["said"] = (FOLDER / "said.txt").read_text()[-2000:]
    pathlib.Path(OUTPUT).write_text(json.dumps(result))


main()

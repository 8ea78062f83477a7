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
from printed_program import PATIENCE, PrintedProgram, run, start_command

PROGRAM, LANGUAGE, FOLDER, OUTPUT = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4]


class Receiver(PrintedProgram):
    """A receiver, which is there once it takes connections."""

    def __init__(self, command, port, environment):
        super().__init__(command, FOLDER, environment)
        self.port = port

    def start(self):
        super().start()
        for _ in range(600):
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=1):
                    return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError("it does not listen: " + self.said())


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
    text = run(FOLDER, PROGRAM, "receiver", "code", "--language", LANGUAGE)
    command = start_command(text, LANGUAGE, FOLDER, "Receiver", ["-S", f"127.0.0.1:{port}"])
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
    result["said"] = receiver.said()
    pathlib.Path(OUTPUT).write_text(json.dumps(result))


main()

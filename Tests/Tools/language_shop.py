"""A shop of three processes for tests of a client: simulated App Store, server, and the backend in Python.

They are the built program and `Examples` unchanged, with the configuration of `Examples/OverHTTP`. All output of a
process is read, so that no process ever waits for us.
"""

import collections
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import threading
import urllib.error
import urllib.request

from local_ports import free_port

EXAMPLES = pathlib.Path(__file__).parents[2] / "Examples/OverHTTP"
BUY_ONCE = EXAMPLES.parents[1] / "Clients/javascript/examples/buy-once.mjs"
BACKEND = EXAMPLES.parent / "Backends/python/backend.py"
BUNDLE = "com.example.demo"
PATIENCE = 60  # seconds for one request; reaching it is a failed test


class Child:
    """A process with output that can be awaited."""

    def __init__(self, *arguments, environment=None):
        self.process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, env=environment)
        self.lines = []

    def line_with(self, words):
        for line in self.process.stdout:
            self.lines.append(line)
            if words in line:
                threading.Thread(target=self.read_on, daemon=True).start()
                return line
        raise RuntimeError("".join(self.lines[-20:]))

    def read_on(self):
        self.lines += self.process.stdout

    def kill(self):
        self.process.kill()
        self.process.wait()


class LanguageShop:
    def __init__(self, program, node, folder):
        self.program, self.node = program, node
        self.folder = pathlib.Path(folder)
        self.children = {}
        self.run(program, "init", "--directory", str(self.folder / "shop"))
        self.webhook_secret = (self.folder / "shop/webhook.secret").read_text().strip()
        self.book = self.folder / "book.db"

    def run(self, *arguments):
        return subprocess.run(arguments, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout

    # --- the processes

    def open(self):
        simulator = self.start("simulator", self.program + "-lab", "simulator", "--data", str(self.folder / "shop/simulator"),
                               "--port", "0")
        self.simulator = simulator.line_with("control").split()[-1].removesuffix("/simulator")
        self.server_port, self.backend_port = free_port(), free_port()
        self.server, self.backend = f"http://127.0.0.1:{self.server_port}", f"http://127.0.0.1:{self.backend_port}"
        self.configure(self.backend + "/counterfoil")
        made = self.run(self.program, "keys", "create", "--kind", "secret", "--label", "backend", "--json",
                        "--config", str(self.folder / "shop/counterfoil.toml"))
        self.secret = json.loads(made)["key"]
        self.start_backend()
        self.start_server()
        self.control("PUT", f"/apps/{BUNDLE}", {
            "appAppleId": 1000000001, "notificationUrl": self.server + "/notifications/app-store"})
        self.control("PUT", f"/apps/{BUNDLE}/products/{BUNDLE}.coins100", {
            "type": "Consumable", "price": 6000, "currency": "CNY"})

    def configure(self, backend):
        text = (EXAMPLES / "counterfoil.toml").read_text()
        told = text.replace("http://127.0.0.1:8090/counterfoil", backend)
        (self.folder / "shop/counterfoil.toml").write_text(told)

    def start(self, name, *arguments, environment=None):
        self.children[name] = Child(*arguments, environment=environment)
        return self.children[name]

    def start_server(self):
        server = self.start("server", self.program, "serve", "--config", str(self.folder / "shop/counterfoil.toml"),
                            "--port", str(self.server_port))
        server.line_with("server.listening")

    def start_backend(self):
        backend = self.start("backend", sys.executable, "-B", str(BACKEND), environment=os.environ | {
            "PORT": str(self.backend_port), "BOOK": str(self.book), "COUNTERFOIL_SERVER": self.server,
            "COUNTERFOIL_SECRET_KEY": self.secret, "COUNTERFOIL_WEBHOOK_SECRETS": self.webhook_secret,
            "COUNTERFOIL_APP": "demo", "COUNTERFOIL_USER_TOKEN_KID": "demo-1", "COUNTERFOIL_ENVIRONMENT": "simulated",
            "COUNTERFOIL_USER_TOKEN_SECRET": (self.folder / "shop/user-token.secret").read_text().strip()})
        backend.line_with("http://")

    def stop(self, name):
        self.children.pop(name).kill()

    def close(self):
        for name in list(self.children):
            self.stop(name)

    # --- requests and runs

    def request(self, method, url, body=None, headers=None):
        """Status and JSON of an answer, whatever the status."""
        data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"} | (headers or {}),
                                         method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as response:
                status, text = response.status, response.read()
        except urllib.error.HTTPError as answer:
            status, text = answer.code, answer.read()
        return status, json.loads(text) if text else None

    def control(self, method, path, body=None):
        return self.request(method, self.simulator + "/simulator" + path, body)[1]

    def ask(self, path):
        return self.request("GET", self.server + path, headers={"Authorization": "Bearer " + self.secret})[1]

    def token(self, user):
        return self.run(self.program, "token", "--user", user, "--config",
                        str(self.folder / "shop/counterfoil.toml")).strip()

    def shop(self, user, *more, directly=False):
        """Runs the client in JavaScript once; returns its output, or how it ended."""
        server, credential = (self.server, self.token(user)) if directly else (self.backend, "session-of-" + user)
        ended = subprocess.run(
            [self.node, str(BUY_ONCE), "--server", server, "--credential", credential, "--user", user,
             "--simulator", self.simulator, "--vault", str(self.folder / (user + ".vault")), *more],
            capture_output=True, text=True, timeout=PATIENCE)
        if ended.returncode != 0:
            return {"ended": ended.returncode, "said": ended.stderr[-500:]}
        return json.loads(ended.stdout)

    # --- the results

    def orders(self, user):
        return self.ask("/v1/orders?limit=100&userId=" + user)["orders"]

    def await_deliveries(self):
        """Waits until the backend has acknowledged everything: the server answers then."""
        for order in self.ask("/v1/orders?limit=100")["orders"]:
            while order["state"] == "paid" and order["delivery"] != "acknowledged":
                order = self.ask(f"/v1/orders/{order['id']}?wait=25&until=delivered")

    def booked(self):
        database = sqlite3.connect(f"file:{self.book}?mode=ro", uri=True, timeout=10)
        try:
            return [json.loads(row[0]) for row in database.execute("SELECT body FROM delivery ORDER BY rowid")]
        finally:
            database.close()

    def charged(self):
        listed = self.control("GET", "/charges?limit=500")
        return collections.Counter(one["transactionId"] for one in listed["charges"])

"""A shop for tests of a backend: both simulated stores, the built server, the backend, and a relay for deliveries.

The relay is where the server sends its deliveries. It passes them on, and can lose an answer, so that a test ends the
backend after the booking without any help from the backend.
"""

import base64
import hashlib
import hmac
import http.client
import http.server
import json
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import threading
import time
import urllib.parse

from language_shop import BUNDLE, Child
from local_ports import free_port
from served_site import Site

BACKENDS = pathlib.Path(__file__).parents[2] / "Examples/Backends"
PATIENCE = 60  # seconds; reaching it is a failed test
PRODUCT = BUNDLE + ".coins100"


class Family(Child):
    """A process with all that it starts: they end together."""

    def __init__(self, arguments, environment):
        self.process = subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=environment, start_new_session=True)
        self.lines = []

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class Relay:
    """Takes the server's deliveries. Each is noted, passed on, and answered as the plan says."""

    def __init__(self):
        self.target = None
        self.plans = []  # for the next deliveries: `repeat` hides the answer, a function is called before it is lost
        self.seen = []  # (headers, body, the backend's status)
        relay = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(relay.take({name: self.headers[name] for name in self.headers}, body))
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def take(self, headers, body):
        plan = self.plans.pop(0) if self.plans else None
        try:
            status = self.target("POST", "/counterfoil", body, headers)[0] if self.target else 503
        except (OSError, http.client.HTTPException):
            status = 503
        self.seen.append((headers, body, status))
        if callable(plan):
            plan()
        return 503 if plan else status


class BackendShop(Site):
    def __init__(self, program, folder, command):
        """`command`: the arguments that start the backend; nothing for a backend that asks for its deliveries."""
        self.relay = Relay()
        self.command = command
        super().__init__(program, folder)
        self.secrets = (self.folder / "webhook.secret").read_text().strip()
        self.book = self.folder / "book.db"
        self.backend_port, self.server_port = free_port(), free_port()
        self.backend = None
        self.wakers = 0
        merchant = self.wechat("GET", "/merchants")["merchants"][0]
        self.mchid = merchant["mchid"]
        self.serve(self.server_port)
        self.control("PUT", f"/apps/{BUNDLE}", {
            "appAppleId": 1000000001, "notificationUrl": self.server + "/notifications/app-store"})
        self.control("PUT", f"/apps/{BUNDLE}/products/{PRODUCT}", {
            "type": "Consumable", "price": 6000, "currency": "CNY"})
        key = (self.folder / "simulator/wechat-pay/apiv3.key").read_text().strip()
        self.wechat("PUT", "/merchants/" + self.mchid, merchant | {
            "testAPIv3Key": key, "notificationOrigin": self.server})
        self.wechat("PUT", "/knobs/refundSeconds", {"value": 1})

    def configure(self):
        super().configure()
        file = pathlib.Path(self.file)
        merchant = json.loads((self.folder / "simulator/wechat-pay/merchant.json").read_text())
        text = file.read_text().replace("http://127.0.0.1:8090", self.relay.address)
        if self.command is None:  # nobody is called: deliveries wait until they are asked for
            text = re.sub(r"\[\[app\.endpoint\]\].*?(?=\n\[)", "", text, flags=re.S)
        file.write_text(re.sub('^appid = .*$', lambda found: found.group() + (
            f'\nappids = {{ jsapi = "{merchant["appids"][1]}" }}'), text, flags=re.M))

    # --- the processes

    def start_backend(self):
        environment = {
            "PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "PORT": str(self.backend_port),
            "BOOK": str(self.book), "COUNTERFOIL_SERVER": self.server, "COUNTERFOIL_SECRET_KEY": self.secret,
            "COUNTERFOIL_WEBHOOK_SECRETS": self.secrets, "COUNTERFOIL_APP": "demo",
            "COUNTERFOIL_USER_TOKEN_KID": "demo-1", "COUNTERFOIL_ENVIRONMENT": "simulated", "BEHIND_PROXY": "yes",
            "COUNTERFOIL_USER_TOKEN_SECRET": (self.folder / "user-token.secret").read_text().strip()}
        self.backend = Family(self.command, environment)
        self.backend.line_with("http://127.0.0.1:")
        self.relay.target = self.send
        deadline = time.monotonic() + PATIENCE
        while True:  # a program of another language may print its address a moment before it listens
            try:
                return self.send("GET", "/balances")
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def kill_backend(self):
        if self.backend:
            self.backend.kill()
        self.backend = None

    def restart_server(self):
        self.stop_server()
        self.serve(self.server_port)

    def stop_server(self):
        self.stop(next(child for child in self.children if "serve" in child.process.args))

    def close(self):
        self.kill_backend()
        super().close()

    # --- requests

    def send(self, method, target, body=None, headers=None):
        """Sends to the backend exactly that target and body; returns status and JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.backend_port, timeout=PATIENCE)
        try:
            connection.request(method, target, body, headers or {})
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        return answer.status, json.loads(text) if text[:1] in (b"{", b"[") else None

    def phone(self, user, method, target, body=None, key=None, address="203.0.113.7"):
        """What the phone of a user asks the backend."""
        headers = {"Authorization": "Bearer session-of-" + user, "X-Forwarded-For": "192.0.2.1, " + address}
        if key is not None:
            headers["Idempotency-Key"] = key
        if body is not None:
            headers["Content-Type"] = "application/json"
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.send(method, target, body, headers)

    def ask(self, target, method="GET", body=None, key=None):
        """Asks the server with the secret key."""
        where = urllib.parse.urlsplit(self.server)
        connection = http.client.HTTPConnection(where.hostname, where.port, timeout=PATIENCE)
        headers = {"Authorization": "Bearer " + self.secret, "Content-Type": "application/json"}
        if key is not None:
            headers["Idempotency-Key"] = key
        connection.request(method, target, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        read = json.loads(answer.read())
        connection.close()
        if answer.status >= 300:
            raise AssertionError(f"{method} {target}: {answer.status} {read}")
        return read

    def wechat(self, method, path, body=None):
        return self.control(method, "/wechat-pay" + path, body)

    def deliver(self, body, *, secret=None, sent=None, identifier=None, signature=None, without=()):
        """Sends a delivery to the backend as the server does, or with changes; returns the status."""
        text = body if isinstance(body, bytes) else json.dumps(body).encode()
        identifier = identifier or body["id"]
        sent = str(int(time.time()) if sent is None else sent)
        key = base64.b64decode((secret or self.secrets.split()[0]).removeprefix("whsec_"))
        code = base64.b64encode(hmac.digest(key, f"{identifier}.{sent}.".encode() + text, hashlib.sha256)).decode()
        headers = {"webhook-id": identifier, "webhook-timestamp": sent, "Content-Type": "application/json",
                   "webhook-signature": (signature or "v1,{}").replace("{}", code)}
        for name in without:
            del headers[name]
        return self.send("POST", "/counterfoil", text, headers)[0]

    # --- what customers do

    def pay_app_store(self, user, order):
        """The payment sheet: Apple charges, and the phone has a signed transaction."""
        self.control("PUT", "/accounts/" + user, {"environment": "Production"})
        return self.control("POST", "/purchases", {
            "account": user, "bundleId": BUNDLE, "productId": order["appStore"]["productId"],
            "quantity": order["quantity"], "appAccountToken": order["appStore"]["appAccountToken"]})

    def pay_wechat(self, order, openid="oSomebodyWhoPays0000000000"):
        """WeChat's cashier: the payer confirms."""
        handed = order["weChatPay"]
        visit = {"action": "pay", "openid": openid}
        if "codeUrl" in handed:
            visit["code_url"] = handed["codeUrl"]
        elif "h5Url" in handed:
            link = urllib.parse.urlsplit(handed["h5Url"])
            visit["prepay_id"] = urllib.parse.parse_qs(link.query)["prepay_id"][0]
        else:
            visit["app" if "partnerId" in handed else "jsapi"] = handed
        return self.wechat("POST", "/cashier", visit)

    # --- the results

    def await_delivered(self, count=0):
        """Waits until everything that was granted or taken back is acknowledged."""
        deadline = time.monotonic() + PATIENCE
        while True:
            listed = self.deliveries()
            open_ones = [one for one in listed if one["state"] != "acknowledged"]
            if not open_ones and len(listed) >= count:
                return listed
            if time.monotonic() > deadline:
                raise AssertionError(f"{len(listed)} of {count} deliveries, open: {open_ones}")
            time.sleep(0.1)

    def deliveries(self):
        found, after = [], ""
        while True:
            page = self.ask("/v1/deliveries?environment=simulated&limit=100" + after)
            found += page["deliveries"]
            if "next" not in page:
                return found
            after = "&after=" + page["next"]

    def rows(self, query):
        database = sqlite3.connect(f"file:{self.book}?mode=ro", uri=True, timeout=10)
        try:
            return database.execute(query).fetchall()
        finally:
            database.close()

    def balance(self, user):
        return self.phone(user, "GET", "/balances")[1].get("coin", 0)

"""A backend that books deliveries: each id once, and only if the signature is right (Standard Webhooks 1.0)."""

import base64
import hashlib
import hmac
import http.server
import json
import os
import threading
import time


class WebhookBooks:
    def __init__(self, port, read_secret):
        """`read_secret` returns the secret as the server's file has it: `whsec_` and base64."""
        self.read_secret = read_secret
        self.booked = {}
        self.refused = 0
        self.repeated = 0
        self.lock = threading.Lock()
        books = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(204 if books.book(self.headers, body) else 401)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def new_secret(self):
        return "whsec_" + base64.b64encode(os.urandom(32)).decode()

    def book(self, headers, body):
        secret = base64.b64decode(self.read_secret().strip().removeprefix("whsec_"))
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        mine = "v1," + base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode()
        with self.lock:
            if not any(hmac.compare_digest(mine, theirs) for theirs in headers["webhook-signature"].split(" ")):
                self.refused += 1
                return False
            entry = json.loads(body)
            if headers["webhook-id"] in self.booked:
                self.repeated += 1
            else:
                self.booked[headers["webhook-id"]] = (entry["type"], entry["userId"], entry["units"])
            return True

    def entries(self):
        """What was booked, by the ids of the deliveries."""
        with self.lock:
            return dict(self.booked)

    def count(self):
        with self.lock:
            return len(self.booked)

    def wait(self, count, patience):
        deadline = time.monotonic() + patience
        while self.count() < count:
            if time.monotonic() > deadline:
                raise AssertionError(f"{self.count()} deliveries were booked, {self.refused} refused; {count} are due")
            time.sleep(0.05)

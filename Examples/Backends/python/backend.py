"""A backend for Counterfoil in Python: standard library only. It runs in our tests, through purchases at both stores.

Start it with `python3 backend.py`. It reads these environment variables:

PORT                          where it listens on this machine; 0 lets the system choose
BOOK                          the file of its database
COUNTERFOIL_SERVER            the address of the server
COUNTERFOIL_SECRET_KEY        cfs_…
COUNTERFOIL_WEBHOOK_SECRETS   whsec_…; several with spaces between them while one is replaced
COUNTERFOIL_APP, COUNTERFOIL_USER_TOKEN_KID, COUNTERFOIL_USER_TOKEN_SECRET   as in the server's configuration
COUNTERFOIL_ENVIRONMENT       the environment that is booked; `production` unless it says otherwise
BEHIND_PROXY                  `yes` if a proxy of yours writes X-Forwarded-For: WeChat's H5 needs the payer's address
"""

import base64
import hashlib
import hmac
import http.server
import json
import os
import pathlib
import re
import sqlite3
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

BODY_MAX = 512 * 1024  # bytes; a signed transaction has at most 256 KiB
TOLERANCE = 300  # seconds by which the time of a delivery may differ from now
LIMIT = 35  # seconds for one call of the server: longer than the 25 s of `?wait=`
BACKENDS_OWN = {"userId", "reference", "payerAddress"}
ORDER = "orders/[0-9A-Za-z_~%-]{1,256}"
READ = re.compile(f"/v1/(products|orders|entitlements|balances|{ORDER})")
WRITE = re.compile(f"/v1/({ORDER}/(close|approval-pending|wechat-pay)"
                   "|payments/(app-store|app-store/finished|wechat-pay))")
QUERY = re.compile("[0-9A-Za-z._~%=&-]{0,1024}")  # no `#`: what follows it would not reach the server


class Refusal(Exception):
    def __init__(self, status, code):
        super().__init__(code)
        self.status, self.code = status, code


class Book:
    """The tables of `schema.sql`."""

    def __init__(self, path):
        self.path = path
        with self.open() as database:
            database.execute("PRAGMA journal_mode = WAL")
            database.executescript((pathlib.Path(__file__).parent.parent / "schema.sql").read_text())

    def open(self):
        """A connection for one request: the server answers each request on a thread of its own."""
        database = sqlite3.connect(self.path, timeout=10, isolation_level=None)
        database.execute("PRAGMA synchronous = FULL")  # what is answered survives a power cut
        return database

    def order_number(self, user, phone_key, address):
        """The number of the order under that key, and the payer's address at its first request."""
        with self.open() as database:
            database.execute(
                "INSERT INTO order_number VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (user, phone_key, "M-" + str(uuid.uuid4()), address))
            return database.execute(
                "SELECT number, payer_address FROM order_number WHERE user_id = ? AND phone_key = ?",
                (user, phone_key)).fetchone()

    def book(self, delivery, text):
        """Stores the delivery and changes the wallet in one transaction. A repeated delivery changes nothing."""
        store, transaction, user = (text_of(delivery, name) for name in ("store", "transactionId", "userId"))
        units, entitlement = delivery.get("units"), delivery.get("entitlement")
        all_of_it = whole_of(units, "amount") if units else 1
        in_force = all_of_it if delivery["type"] == "grant.created" else whole_of(delivery, "inForce")
        gives = text_of(units, "unit") if units else text_of(entitlement, "name")
        sequence = whole_of(delivery, "sequence")
        database = self.open()
        try:
            database.execute("BEGIN IMMEDIATE")
            new = database.execute("INSERT INTO delivery VALUES (?, ?) ON CONFLICT DO NOTHING", (delivery["id"], text))
            if new.rowcount == 1:
                known = database.execute(
                    "SELECT sequence, in_force FROM holding WHERE store = ? AND transaction_id = ? AND user_id = ?",
                    (store, transaction, user)).fetchone() or (0, 0)
                # The totals of the highest sequence count: an earlier delivery may arrive later.
                if sequence > known[0]:
                    database.execute(
                        "INSERT INTO holding VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
                        " sequence = excluded.sequence, in_force = excluded.in_force, expires_at = excluded.expires_at",
                        (store, transaction, user, gives, sequence, in_force,
                         entitlement and entitlement.get("expiresAt")))
                    if units:
                        database.execute(
                            "INSERT INTO wallet VALUES (?, ?, ?)"
                            " ON CONFLICT DO UPDATE SET amount = amount + excluded.amount",
                            (user, gives, in_force - known[1]))
            database.execute("COMMIT")
        finally:
            database.close()  # without a commit this undoes everything

    def balances(self, user):
        with self.open() as database:
            return dict(database.execute("SELECT unit, amount FROM wallet WHERE user_id = ?", (user,)))


class Backend:
    def __init__(self, settings):
        self.server = settings["COUNTERFOIL_SERVER"]
        self.secret_key = settings["COUNTERFOIL_SECRET_KEY"]
        secrets = settings["COUNTERFOIL_WEBHOOK_SECRETS"].split()
        if not secrets or not all(secret.startswith("whsec_") for secret in secrets):
            raise ValueError("COUNTERFOIL_WEBHOOK_SECRETS must be one or more whsec_…")
        self.webhook_secrets = [base64.b64decode(secret[len("whsec_"):], validate=True) for secret in secrets]
        self.app = settings["COUNTERFOIL_APP"]
        self.kid = settings["COUNTERFOIL_USER_TOKEN_KID"]
        self.token_secret = settings["COUNTERFOIL_USER_TOKEN_SECRET"].encode()
        self.environment = settings.get("COUNTERFOIL_ENVIRONMENT", "production")
        self.book = Book(settings["BOOK"])

    # --- what the server says

    def receive(self, headers, body, now):
        """Checks a delivery and books it. Any answer but 2xx makes it come again."""
        identifier, sent = headers.get("webhook-id"), headers.get("webhook-timestamp", "")
        if not identifier or not re.fullmatch("[0-9]{1,12}", sent):
            raise Refusal(401, "signature_missing")
        if abs(now - int(sent)) > TOLERANCE:
            raise Refusal(401, "timestamp_outside_tolerance")
        signed = f"{identifier}.{sent}.".encode() + body
        theirs = [one[3:] for one in headers.get("webhook-signature", "").split(" ")[:10] if one.startswith("v1,")]
        if not any(self.is_signed(signed, one) for one in theirs):
            raise Refusal(401, "signature_wrong")
        text = body.decode()
        delivery = json.loads(text)
        if delivery["id"] != identifier:
            raise Refusal(400, "id_differs")  # the id in the signed body counts
        if delivery["environment"] != self.environment:
            return  # acknowledged and not booked: it is not our money
        if delivery["type"] not in ("grant.created", "grant.reversed", "grant.reinstated"):
            raise Refusal(422, "type_unknown")  # it comes again when this backend has learned it
        self.book.book(delivery, text)

    def is_signed(self, signed, signature):
        mine = [base64.b64encode(hmac.digest(secret, signed, "sha256")) for secret in self.webhook_secrets]
        return any([hmac.compare_digest(one, signature.encode()) for one in mine])

    # --- what the phone asks

    def user_token(self, user, now):
        """A token with which the phone may call the server itself, for an hour."""
        header = {"alg": "HS256", "typ": "JWT", "kid": self.kid}
        claims = {"sub": user, "aud": self.app, "iat": now, "exp": now + 3600}
        signed = ".".join(url_base64(json.dumps(part).encode()) for part in (header, claims))
        return signed + "." + url_base64(hmac.digest(self.token_secret, signed.encode(), "sha256"))

    def create_order(self, user, phone_key, text, address):
        """Makes an order of either store under our own number. A repeat with the same key is the same order."""
        if not phone_key or len(phone_key) > 255:
            raise Refusal(400, "key_missing")
        wish = self.phones_object(text)
        # A repeat must be the same request, although the phone may have changed its network.
        number, first_address = self.book.order_number(user, phone_key, address)
        own = {"userId": user, "reference": number}
        if wish.get("store") == "weChatPay":
            own["payerAddress"] = first_address
        return self.ask("POST", "/v1/orders", with_members(own, wish, text), number)

    def forward(self, user, method, path, query, text):
        """Passes on what a phone asks, in the name of that user alone."""
        if method == "GET" and READ.fullmatch(path) and QUERY.fullmatch(query):
            names = [name for name, _ in urllib.parse.parse_qsl(query, keep_blank_values=True)]
            if "userId" in names:
                raise Refusal(403, "user_is_the_sessions")
            named = urllib.parse.urlencode({"userId": user})
            return self.ask("GET", path + "?" + named + ("&" + query if query else ""))
        if method == "POST" and WRITE.fullmatch(path) and not query:
            return self.ask("POST", path, with_members({"userId": user}, self.phones_object(text), text))
        raise Refusal(404, "not_passed_on")

    def phones_object(self, text):
        """The members of the phone's body, none of which may be the backend's own."""
        members = json.loads(text or "{}")
        if not isinstance(members, dict):
            raise Refusal(400, "body_unreadable")
        if BACKENDS_OWN & members.keys():
            raise Refusal(403, "field_is_the_backends")
        return members

    def ask(self, method, path, body=None, key=None):
        """Status and body of the server's answer, whatever they are."""
        headers = {"Authorization": "Bearer " + self.secret_key}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if key is not None:
            headers["Idempotency-Key"] = key
        request = urllib.request.Request(self.server + path, body and body.encode(), headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=LIMIT) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as problem:
            return problem.code, problem.read()


def text_of(members, name):
    if not isinstance(members[name], str):
        raise ValueError(name)
    return members[name]


def whole_of(members, name):
    if type(members[name]) is not int:
        raise ValueError(name)
    return members[name]


def with_members(own, members, text):
    """The phone's JSON with our members in front. The rest stays byte for byte as the phone wrote it."""
    rest = text.strip()[1:] if text else "}"
    return json.dumps(own)[:-1] + ("," if members else "") + rest


def url_base64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Handler(http.server.BaseHTTPRequestHandler):
    backend = None
    behind_proxy = False
    timeout = 60  # seconds without a byte from the other side

    def user(self):
        """Whose session it is. This one believes everybody who knows a name: put your own check in its place."""
        header = self.headers.get("Authorization", "")
        if not header.startswith("Bearer session-of-"):
            raise Refusal(401, "session_missing")
        return header[len("Bearer session-of-"):]

    def payers_address(self):
        forwarded = self.headers.get("X-Forwarded-For", "") if self.behind_proxy else ""
        return forwarded.split(",")[-1].strip() or self.client_address[0]

    def body(self):
        length = self.headers.get("Content-Length", "0")
        if not length.isdecimal() or "Transfer-Encoding" in self.headers:
            raise Refusal(411, "length_missing")
        if int(length) > BODY_MAX:
            self.close_connection = True
            raise Refusal(413, "body_too_large")
        return self.rfile.read(int(length))

    def result(self):
        path, _, query = self.path.partition("?")
        body = self.body()
        now = int(time.time())
        if self.command == "POST" and path == "/counterfoil":
            self.backend.receive(self.headers, body, now)
            return 204, b""
        user, text = self.user(), body.decode()
        if self.command == "GET" and path == "/balances":
            return 200, json.dumps(self.backend.book.balances(user)).encode()
        if self.command == "POST" and path == "/user-token":
            return 200, json.dumps({"token": self.backend.user_token(user, now)}).encode()
        if self.command == "POST" and path == "/v1/orders":
            key = self.headers.get("Idempotency-Key")
            return self.backend.create_order(user, key, text, self.payers_address())
        return self.backend.forward(user, self.command, path, query, text)

    def answer(self):
        """Whatever goes wrong is an answer that makes the other side ask again."""
        try:
            status, body = self.result()
        except Refusal as refusal:
            status, body = refusal.status, json.dumps({"code": refusal.code}).encode()
        except (KeyError, TypeError, ValueError):
            status, body = 400, b'{"code":"body_unreadable"}'
        except (OSError, sqlite3.Error) as failure:
            print(type(failure).__name__, failure, file=sys.stderr, flush=True)
            status, body = 503, b'{"code":"try_again"}'
        self.send_response(status)
        if body:
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    Handler.backend = Backend(os.environ)
    Handler.behind_proxy = os.environ.get("BEHIND_PROXY") == "yes"
    listener = http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler)
    print(f"http://127.0.0.1:{listener.server_port}", flush=True)
    listener.serve_forever()

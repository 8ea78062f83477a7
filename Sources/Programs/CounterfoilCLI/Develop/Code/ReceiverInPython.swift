enum ReceiverInPython {
  /// What `counterfoil receiver code` prints for Python.
  static let text = #"""
    # A receiver of Counterfoil's deliveries in Python 3, without packages. It passes `counterfoil receiver test`.
    # Start it with PORT and COUNTERFOIL_WEBHOOK_SECRETS (whsec_…; several with spaces while one is replaced).
    # Use your database in place of the file: the id in a unique column, written in the transaction that books.
    import base64, hmac, http.server, json, os, threading, time, urllib.parse

    SECRETS = [base64.b64decode(one[len("whsec_"):]) for one in os.environ["COUNTERFOIL_WEBHOOK_SECRETS"].split()]
    ENVIRONMENT = os.environ.get("COUNTERFOIL_ENVIRONMENT", "production")
    BOOK = open(os.environ.get("BOOK", "deliveries.jsonl"), "a+b")
    LOCK, IDS, HOLDINGS = threading.Lock(), set(), {}


    def apply(delivery):
        IDS.add(delivery["id"])
        key, units = (delivery["store"], delivery["transactionId"], delivery["userId"]), delivery.get("units")
        left = (units["amount"] if units else 1) if delivery["type"] == "grant.created" else delivery["inForce"]
        if delivery["sequence"] > HOLDINGS.get(key, (0, 0))[0]:  # the highest sequence counts, whatever comes last
            HOLDINGS[key] = (delivery["sequence"], left if units else 0)


    def receive(fields, body):
        identifier, at = fields.get("webhook-id", ""), fields.get("webhook-timestamp", "")
        if not at.isdigit() or abs(time.time() - int(at)) > 300:
            return 401
        signed = f"{identifier}.{at}.".encode() + body  # the bytes as they came
        good = [b"v1," + base64.b64encode(hmac.digest(secret, signed, "sha256")) for secret in SECRETS]
        theirs = fields.get("webhook-signature", "").encode().split()
        if not any([hmac.compare_digest(one, other) for one in good for other in theirs]):
            return 401
        delivery = json.loads(body)
        if delivery["id"] != identifier:
            return 400
        if delivery["environment"] != ENVIRONMENT or delivery["type"].split(".")[0] != "grant":
            return 204  # not our money, or news of a later version
        with LOCK:
            if identifier not in IDS:
                BOOK.write(json.dumps(delivery).encode() + b"\n")
                BOOK.flush()
                os.fsync(BOOK.fileno())  # what is answered survives a power cut
                apply(delivery)
        return 204


    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            length = int(self.headers.get("content-length", 0))
            self.send_response(413 if length > 1 << 20 else receive(self.headers, self.rfile.read(length)))
            self.end_headers()

        def do_GET(self):  # only for the test: the units of a user
            user = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)["userId"][0]
            self.send_response(200)
            self.end_headers()
            self.wfile.write(str(sum(left for key, (_, left) in HOLDINGS.items() if key[2] == user)).encode())


    BOOK.seek(0)
    for line in BOOK:
        if line.endswith(b"}\n"):  # a line that was cut off was never acknowledged
            apply(json.loads(line))
    BOOK.write(b"\n")
    http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()

    """#
}

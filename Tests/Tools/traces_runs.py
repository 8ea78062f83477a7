"""Follows purchases through the built server by their traces, with collectors that take them and that misbehave.

Usage: traces_runs.py PROGRAM FOLDER OUTPUT

OUTPUT: JSON with `wrong`: the failed checks in words, `spans` and `requests`: how much was looked at.
"""

import http.server
import json
import pathlib
import subprocess
import sys
import time
import urllib.error
import urllib.request

from language_shop import Child
from otlp_collector import Collector, serve

BUNDLE = "com.example.demo"
MCHID = "1900000001"
PATIENCE = 60  # seconds; reaching them is a failed test
CALLER = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
AUTHORIZATION = "Basic collector-canary-5d1f"
HOSTILE = [
    "", "00", "x" * 4000, CALLER.upper(), CALLER[:-1], CALLER + "-more", "ff" + CALLER[2:],
    "00-" + "0" * 32 + "-00f067aa0ba902b7-01", "00-4bf92f3577b34da6a3ce929d0e0e4736-" + "0" * 16 + "-01",
    CALLER.replace("-", "_"), "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01", CALLER + "," + CALLER,
]


class Findings:
    def __init__(self):
        self.wrong = []

    def expect(self, holds, words):
        if not holds:
            self.wrong.append(words)


class Receiver:
    """The backend of the team: it keeps the headers of each delivery."""

    def __init__(self):
        self.got = []
        # The users whose deliveries fail at the first attempt: the next one has a span of its own.
        self.failing = set()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.got.append((body, dict(self.headers)))
                attempts = sum(1 for one, _ in outer.got if one["id"] == body["id"])
                self.send_response(500 if attempts == 1 and body["userId"] in outer.failing else 204)
                self.end_headers()

            def log_message(self, *arguments):
                pass

        self.server, self.address = serve(Handler)

    def of(self, order):
        return [headers for body, headers in list(self.got) if body.get("orderId") == order]


class Stores:
    """Stands between the server and the simulated stores, and keeps the header of each request."""

    def __init__(self, simulator):
        self.asked = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def pass_on(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                outer.asked.append((self.path, dict(self.headers)))
                headers = {name: value for name, value in self.headers.items()
                           if name.lower() not in ("host", "connection", "content-length")}
                # The simulator has Apple's production under a path of its own; WeChat Pay has none.
                place = "/app-store/production" if self.path.startswith("/inApps/") else ""
                request = urllib.request.Request(simulator + place + self.path, body or None, headers, method=self.command)
                try:
                    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                        status, fields, text = answer.status, answer.headers, answer.read()
                except urllib.error.HTTPError as answer:
                    status, fields, text = answer.code, answer.headers, answer.read()
                self.send_response_only(status)
                for name, value in fields.items():
                    if name.lower() not in ("connection", "content-length", "transfer-encoding"):
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_POST = do_PUT = pass_on

            def log_message(self, *arguments):
                pass

        self.server, self.address = serve(Handler)


class TracedShop:
    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)
        self.children = {}
        self.canaries = {AUTHORIZATION}
        self.run(program, "init", "--directory", str(self.folder / "shop"))
        simulator = self.start("simulator", program + "-lab", "simulator", "--data",
                               str(self.folder / "shop/simulator"), "--port", "0")
        self.simulator = simulator.line_with("control").split()[-1].removesuffix("/simulator")
        simulator_folder = self.folder / "shop/simulator"
        while not (simulator_folder / "wechat-pay/merchant.json").exists():
            time.sleep(0.05)
        self.receiver, self.stores = Receiver(), Stores(self.simulator)
        (self.folder / "shop/collector.secret").write_text(AUTHORIZATION + "\n")
        self.canaries.add((self.folder / "shop/webhook.secret").read_text().strip())

    def configure(self, collector, sample=1.0):
        simulator = self.folder / "shop/simulator"
        key = json.loads((simulator / "app-store/api-key.json").read_text())
        merchant = json.loads((simulator / "wechat-pay/merchant.json").read_text())
        (self.folder / "shop/counterfoil.toml").write_text(f"""
            profile = "simulated"
            database = "counterfoil.db"
            trusted_roots = ["simulator/simulator-root.pem"]
            [otlp]
            endpoint = "{collector}/"
            sample = {sample}
            service = "till"
            headers = {{ Authorization = {{ file = "collector.secret" }} }}
            [[app]]
            id = "demo"
            bundle_id = "{BUNDLE}"
            app_apple_id = 1000000001
            [app.app_store]
            issuer_id = "{key['issuerId']}"
            key_id = "{key['keyId']}"
            private_key = {{ file = "simulator/app-store/{key['privateKeyFile']}" }}
            host = "{self.stores.address}"
            [app.wechat_pay]
            mchid = "{MCHID}"
            private_key = {{ file = "simulator/wechat-pay/apiclient_key.pem" }}
            certificate_file = "simulator/wechat-pay/apiclient_cert.pem"
            api_v3_keys = [{{ file = "simulator/wechat-pay/apiv3.key" }}]
            appid = "wx0000000000000001"
            notify_origin = "https://counterfoil.invalid"
            hosts = ["{self.stores.address}"]
            [[app.wechat_pay.public_key]]
            id = "{merchant['publicKeyId']}"
            file = "simulator/wechat-pay/pub_key.pem"
            [[app.user_token_key]]
            kid = "demo-1"
            algorithm = "HS256"
            secret = {{ file = "user-token.secret" }}
            [[app.endpoint]]
            name = "backend"
            url = "{self.receiver.address}/counterfoil"
            secrets = [{{ file = "webhook.secret" }}]
            may_be_inside = true
            [[app.product]]
            id = "coins.100"
            kind = "consumable"
            app_store_product_ids = ["{BUNDLE}.coins100"]
            units = {{ unit = "coin", amount = 100 }}
            wechat_price_fen = 600
            """)

    def make_operator(self):
        made = self.run(self.program, "keys", "create", "--kind", "operator", "--label", "tests", "--json",
                        "--config", str(self.folder / "shop/counterfoil.toml"))
        self.operator = json.loads(made)["key"]
        self.canaries.add(self.operator)

    def start_server(self):
        server = self.start("server", self.program, "serve", "--config", str(self.folder / "shop/counterfoil.toml"),
                            "--port", "0")
        self.server = json.loads(server.line_with("server.listening"))["address"]
        self.notify(self.server)
        self.control("PUT", f"/apps/{BUNDLE}/products/{BUNDLE}.coins100", {
            "type": "Consumable", "price": 6000, "currency": "CNY"})
        merchants = self.control("GET", "/wechat-pay/merchants")["merchants"]
        merchant = next(one for one in merchants if one["mchid"] == MCHID)
        key = (self.folder / "shop/simulator/wechat-pay/apiv3.key").read_text().strip()
        self.control("PUT", "/wechat-pay/merchants/" + MCHID, merchant | {
            "testAPIv3Key": key, "notificationOrigin": self.server})

    def notify(self, origin):
        """Tells Apple where its notifications go."""
        self.control("PUT", f"/apps/{BUNDLE}", {
            "appAppleId": 1000000001, "notificationUrl": origin + "/notifications/app-store"})

    def stop_server(self):
        """Ends the server as a service manager does; returns its exit code and the seconds that it took."""
        process, begun = self.children.pop("server").process, time.monotonic()
        process.terminate()
        return process.wait(PATIENCE), time.monotonic() - begun

    def start(self, name, *arguments):
        self.children[name] = Child(*arguments)
        return self.children[name]

    def close(self):
        for child in self.children.values():
            child.kill()

    def run(self, *arguments):
        return subprocess.run(arguments, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout

    def request(self, method, url, body=None, headers=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"} | (headers or {}),
                                         method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as response:
                status, text = response.status, response.read()
        except urllib.error.HTTPError as answer:
            status, text = answer.code, answer.read()
        return status, json.loads(text) if text else None

    def control(self, method, path, body=None):
        status, answer = self.request(method, self.simulator + "/simulator" + path, body)
        if status >= 300:
            raise RuntimeError(f"{method} {path}: {status} {answer}")
        return answer

    def token(self, user):
        token = self.run(self.program, "token", "--user", user, "--config",
                         str(self.folder / "shop/counterfoil.toml")).strip()
        self.canaries |= {user, token, token.split(".")[1], token.split(".")[2]}
        return token

    def ask(self, method, path, token, body=None, **headers):
        return self.request(method, self.server + path, body, {"Authorization": "Bearer " + token} | headers)

    def dropped(self):
        """The dropped spans by reason, and under `exported` those that arrived."""
        with urllib.request.urlopen(self.server + "/metrics", timeout=PATIENCE) as answer:
            lines = answer.read().decode().splitlines()
        counts = {}
        for line in lines:
            if line.startswith("counterfoil_trace_spans_dropped_total{"):
                counts[line.split('"')[1]] = float(line.split()[-1])
            if line.startswith("counterfoil_trace_spans_exported_total "):
                counts["exported"] = float(line.split()[-1])
        return counts

    # --- purchases

    def order(self, token, store, **headers):
        status, order = self.ask("POST", "/v1/orders", token, {
            "productId": "coins.100", "store": store, "platform": "ios" if store == "appStore" else "android"},
            **headers)
        if status != 201:
            raise RuntimeError(f"no order: {status} {order}")
        return order

    def buy_at_apple(self, user, order):
        self.control("PUT", "/accounts/" + user, {"environment": "Production"})
        bought = self.control("POST", "/purchases", {
            "account": user, "bundleId": BUNDLE, "productId": BUNDLE + ".coins100", "appAccountToken": order})
        self.canaries |= set(bought["signedTransaction"].split("."))
        self.canaries.add(bought["transaction"]["transactionId"])
        return bought

    def send_again(self, order):
        """Waits for a failed delivery, and sends it again as an operator does."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            for body, _ in list(self.receiver.got):
                if body.get("orderId") == order:
                    # A server that notes the failure a moment later answers the state from before.
                    time.sleep(0.5)
                    return self.ask("POST", f"/v1/operator/deliveries/{body['id']}/redrive", self.operator)
            time.sleep(0.05)
        raise RuntimeError("nothing was delivered")

    def await_delivery(self, token, order):
        """The state of an order's delivery, once it is acknowledged or after a while."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            _, answer = self.ask("GET", f"/v1/orders/{order}?wait=5&until=delivered", token)
            if answer.get("delivery") == "acknowledged":
                return "acknowledged"
        return f"{answer}"

    def app_store(self, user, question=False, **headers):
        """A purchase whose evidence the phone hands in, or of which it knows only the number."""
        token = self.token(user)
        order = self.order(token, "appStore", **headers)["id"]
        # A notification that comes first would leave nothing to ask.
        if question:
            self.notify("http://127.0.0.1:9")
        bought = self.buy_at_apple(user, order)
        body = {"transactionId": bought["transaction"]["transactionId"]} if question else {
            "evidence": bought["signedTransaction"]}
        status, answer = self.ask("POST", "/v1/payments/app-store", token, body)
        verdict = answer.get("payments", [{}])[0].get("verdict")
        self.notify(self.server)
        if user in self.receiver.failing:
            self.send_again(order)
        return order, verdict if status == 200 else f"{status} {answer}", self.await_delivery(token, order)

    def wechat_pay(self, user, **headers):
        """A purchase of which only WeChat Pay's notification tells."""
        token = self.token(user)
        order = self.order(token, "weChatPay", **headers)
        self.canaries.add("o-" + user)
        self.control("POST", "/wechat-pay/cashier", {
            "action": "pay", "openid": "o-" + user, "app": order["weChatPay"]})
        # A read of an unpaid order would ask WeChat Pay at once: the notification has to be first.
        end = time.monotonic() + PATIENCE
        while not self.receiver.of(order["id"]) and time.monotonic() < end:
            time.sleep(0.05)
        return order["id"], "fulfilled", self.await_delivery(token, order["id"])


def attributes(span):
    return {one.key: one.value.string_value or one.value.int_value for one in span.attributes}


def check_trace(shop, collector, findings, order, path, steps, statuses=(204,)):
    """The trace of an order is one tree, with the order's id, in which each step stands."""
    trace = order.replace("-", "")
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        spans = collector.of(trace)
        sent = [one for one in spans.values() if one.name == "Deliver"]
        if len(sent) >= len(statuses) and {one.name for one in spans.values()} >= steps:
            break
        time.sleep(0.2)
    names = sorted(one.name for one in spans.values())
    findings.expect(set(names) >= steps, f"{path}: the trace of the order has {names}")
    roots = [one for one in spans.values() if not one.parent_span_id]
    findings.expect([one.name for one in roots] == ["POST /v1/orders"], f"{path}: {[one.name for one in roots]} begin")
    for one in spans.values():
        parent = one.parent_span_id.hex()
        findings.expect(not parent or parent in spans, f"{path}: {one.name} is a part of nothing that was sent")
        findings.expect(one.start_time_unix_nano <= one.end_time_unix_nano, f"{path}: {one.name} ends before it begins")
    fulfilled = [attributes(one) for one in spans.values() if one.name == "Fulfil"]
    findings.expect(any(one.get("counterfoil.state") == "fulfilled" for one in fulfilled), f"{path}: {fulfilled}")
    findings.expect(path in {one.get("counterfoil.path") for one in fulfilled}, f"{path}: granted by {fulfilled}")
    told = {headers.get("traceparent") for headers in shop.receiver.of(order)}
    expected = {f"00-{trace}-{one.span_id.hex()}-01" for one in spans.values() if one.name == "Deliver"}
    findings.expect(told == expected and len(told) == len(statuses), f"{path}: the backend was told {told}, sent was {expected}")
    ended = {attributes(one).get("http.response.status_code") for one in sent}
    findings.expect(ended == set(statuses), f"{path}: the attempts ended with {ended}")
    return spans


def whole_traces(shop, collector, findings):
    common = {"POST /v1/orders", "CreateOrder", "Fulfil", "Deliver"}
    shop.receiver.failing.add("alice-canary")
    order, verdict, delivery = shop.app_store("alice-canary", traceparent=CALLER, tracestate="vendor=1,a@b=2")
    findings.expect((verdict, delivery) == ("fulfilled", "acknowledged"), f"App Store: {verdict} {delivery}")
    spans = check_trace(shop, collector, findings, order, "client", common | {
        "POST /v1/payments/app-store", "VerifyEvidence"}, statuses=(500, 204))
    links = [link for one in spans.values() if one.name == "POST /v1/orders" for link in one.links]
    findings.expect([(one.trace_id.hex(), one.span_id.hex(), one.trace_state) for one in links] == [
        (CALLER.split("-")[1], CALLER.split("-")[2], "vendor=1,a@b=2")], f"the caller's trace is linked as {links}")

    order, verdict, delivery = shop.app_store("bob-canary", question=True)
    findings.expect((verdict, delivery) == ("fulfilled", "acknowledged"), f"asking Apple: {verdict} {delivery}")
    spans = check_trace(shop, collector, findings, order, "storeAnswer", common | {"AskStore"})
    asked = [attributes(one) for one in spans.values() if one.name == "AskStore"]
    findings.expect([one["counterfoil.store"] for one in asked] == ["appStore"], f"Apple was asked: {asked}")

    order, verdict, delivery = shop.wechat_pay("carol-canary")
    findings.expect(delivery == "acknowledged", f"WeChat Pay: {delivery}")
    spans = check_trace(shop, collector, findings, order, "notification", common | {
        "AskStore", "POST /notifications/wechat-pay/{app}"})
    asked = [attributes(one) for one in spans.values() if one.name == "AskStore"]
    findings.expect({one["counterfoil.store"] for one in asked} == {"weChatPay"}, f"WeChat Pay was asked: {asked}")

    findings.expect(shop.stores.asked and not any(
        name.lower() in ("traceparent", "tracestate") for _, headers in shop.stores.asked for name in headers),
        "a store was told of a trace")
    findings.expect({one.get("Authorization") for one in collector.headers} == {AUTHORIZATION},
                    "the collector's header field was not sent")


def lines_of_log(shop, findings):
    lines = [json.loads(line) for line in shop.children["server"].lines if line.startswith("{")]
    created = [line for line in lines if line["event"] == "order.created"]
    findings.expect(bool(created), "no order was logged")
    for line in created:
        findings.expect(line.get("trace") == line["order"].replace("-", "") and line.get("span"), f"{line}")
    answered = [line for line in lines if line["event"] == "http.answered" and line["route"] == "CreateOrder"]
    findings.expect(all(line.get("trace") in {one["trace"] for one in created} for line in answered), f"{answered}")
    failed = [line for line in lines if line["event"] == "delivery.failed"]
    findings.expect(bool(failed) and all(line.get("trace") for line in failed), f"{failed}")


def hostile_headers(shop, findings):
    token = shop.token("dave-canary")
    for text in HOSTILE:
        for state in ("", "x", "=" * 600, "a=1,a=1"):
            status, answer = shop.ask("GET", "/v1/products", token, traceparent=text, tracestate=state)
            findings.expect(status == 200, f"{text[:80]!r} {state[:20]!r} was answered {status} {answer}")


def misbehaving_collectors(shop, collector, findings):
    for number, (manner, reason) in enumerate([
            ("refuses", "refused"), ("huge", "answerUnreadable"), ("garbage", None), ("cuts", None), ("busy", None)]):
        before = shop.dropped()
        collector.manner, asked = manner, collector.asked
        begun = time.monotonic()
        order, verdict, delivery = shop.app_store(f"eve-canary-{number}")
        took = time.monotonic() - begun
        findings.expect((verdict, delivery) == ("fulfilled", "acknowledged"), f"{manner}: {verdict} {delivery}")
        findings.expect(took < 20, f"{manner}: the purchase took {took} s")
        end = time.monotonic() + PATIENCE
        while collector.asked == asked and time.monotonic() < end:
            time.sleep(0.1)
        findings.expect(collector.asked > asked, f"{manner}: the collector was not asked")
        while reason and shop.dropped()[reason] <= before[reason] and time.monotonic() < end:
            time.sleep(0.2)
        after = shop.dropped()
        findings.expect(not reason or after[reason] > before[reason], f"{manner}: {before} became {after}")
    # What it was too busy for comes again.
    collector.manner = "takes"
    check_trace(shop, collector, findings, order, "client", {"POST /v1/orders", "CreateOrder", "Fulfil", "Deliver"})


def ends_in_time(shop, collector, findings):
    """With a collector that never answers, and with none, a purchase goes on and the server ends within its bound."""
    collector.manner = "hangs"
    _, verdict, delivery = shop.app_store("frank-canary")
    findings.expect((verdict, delivery) == ("fulfilled", "acknowledged"), f"hangs: {verdict} {delivery}")
    code, took = shop.stop_server()
    findings.expect(code == 0 and took < 15, f"hangs: the server ended with {code} after {took} s")
    collector.close()
    shop.start_server()
    _, verdict, delivery = shop.app_store("grace-canary")
    findings.expect((verdict, delivery) == ("fulfilled", "acknowledged"), f"is down: {verdict} {delivery}")
    code, took = shop.stop_server()
    findings.expect(code == 0 and took < 15, f"is down: the server ended with {code} after {took} s")


def flushes_at_the_end(shop, collector, findings):
    """What was traced last arrives although the server ends at once."""
    token = shop.token("heidi-canary")
    order = shop.order(token, "appStore")["id"]
    code, _ = shop.stop_server()
    names = {one.name for one in collector.of(order.replace("-", "")).values()}
    findings.expect(code == 0 and names == {"POST /v1/orders", "CreateOrder"}, f"at the end {names} were sent")
    shop.start_server()


def samples_whole_orders(shop, findings):
    """A share of the orders is sent, each with all its spans; the backend is told which."""
    collector = Collector()
    shop.configure(collector.address, sample=0.5)
    shop.start_server()
    orders = [shop.app_store(f"ivan-canary-{number}")[0] for number in range(12)]
    shop.stop_server()
    kept = 0
    for order in orders:
        spans = collector.of(order.replace("-", ""))
        flags = {headers["traceparent"][-2:] for headers in shop.receiver.of(order)}
        kept += bool(spans)
        findings.expect(flags == {"01" if spans else "00"}, f"{order}: {len(spans)} spans, told {flags}")
        names = {one.name for one in spans.values()}
        findings.expect(not spans or {"CreateOrder", "Fulfil", "Deliver"} <= names, f"{order}: only {names}")
    findings.expect(0 < kept < len(orders), f"{kept} of {len(orders)} orders were sent")
    return collector


def nothing_private(collectors, canaries, findings):
    text = b"\n".join(body for one in collectors for body in one.bodies).decode("utf-8", "replace")
    findings.expect(len(text) > 10_000, "hardly anything was sent")
    for canary in canaries:
        findings.expect(len(canary) > 5 and canary not in text, f"{canary[:24]} was sent to the collector")


def main(program, folder, output):
    findings = Findings()
    shop = TracedShop(program, folder)
    try:
        collector = Collector()
        shop.configure(collector.address)
        shop.make_operator()
        shop.start_server()
        whole_traces(shop, collector, findings)
        lines_of_log(shop, findings)
        hostile_headers(shop, findings)
        misbehaving_collectors(shop, collector, findings)
        flushes_at_the_end(shop, collector, findings)
        ends_in_time(shop, collector, findings)
        sampled = samples_whole_orders(shop, findings)
        nothing_private([collector, sampled], shop.canaries, findings)
        findings.wrong += collector.wrong + sampled.wrong
        report = {"wrong": findings.wrong, "spans": len(collector.spans) + len(sampled.spans),
                  "requests": collector.asked + sampled.asked}
    finally:
        shop.close()
    pathlib.Path(output).write_text(json.dumps(report))


main(*sys.argv[1:])

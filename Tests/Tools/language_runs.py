"""Runs the client in JavaScript and the backend in Java of `Examples/OverHTTP` against the built server.

Usage: language_runs.py PROGRAM NODE JAVA JAVAC FOLDER OUTPUT

OUTPUT: JSON with the output of each run, and `wrong`: the failed checks, in words.
"""

import collections
import json
import pathlib
import subprocess
import sys
import time

from language_shop import EXAMPLES, LanguageShop


class Findings:
    def __init__(self):
        self.wrong = []
        self.said = {}

    def expect(self, holds, words):
        if not holds:
            self.wrong.append(words)


def buys_once(shop, findings):
    """An order with the backend's own number is paid, submitted, finished and booked once; its record is deleted."""
    said = findings.said["buys once"] = shop.shop("alice", "--buy", "coins.100")
    findings.expect(said.get("outcome") == "fulfilled" and said["openOrders"] == 0 and said["unfinished"] == 0, str(said))
    shop.await_deliveries()
    booked = shop.booked()
    findings.expect(len(booked) == 1 and booked[0]["userId"] == "alice", f"booked {booked}")
    if not booked:
        return
    findings.expect(booked[0]["reference"].startswith("M-") and booked[0]["units"]["amount"] == 100, f"{booked}")
    findings.expect("referenceFrom" not in booked[0], "the number was taken for the phone's")
    order = shop.orders("alice")[0]
    findings.expect(order["reference"] == booked[0]["reference"], f"{order} is not what was booked")


def buys_without_gateway(shop, findings):
    said = findings.said["without a gateway"] = shop.shop("direct", "--buy", "coins.100", directly=True)
    findings.expect(said.get("outcome") == "fulfilled" and said["openOrders"] == 0, str(said))


def repeats_what_was_lost(shop, findings):
    said = findings.said["lost answers"] = shop.shop("bob", "--buy", "coins.100", "--lose-answers")
    findings.expect(said.get("outcome") == "fulfilled" and said["pauses"] == [1, 10], str(said))
    findings.expect(len(shop.orders("bob")) == 1, "a lost answer made a second order")


def client_is_killed(shop, findings):
    for step in ("order", "pay", "submit", "finish"):
        user = "killed-after-" + step
        first = shop.shop(user, "--buy", "coins.100", "--kill-after", step)
        findings.expect(first.get("ended") == -9, f"{user}: {first}")
        second = findings.said[user] = shop.shop(user)
        findings.expect(second.get("openOrders") == 0 and second["unfinished"] == 0, f"{user}: {second}")
        states = [order["state"] for order in shop.orders(user)]
        findings.expect(states == (["closed"] if step == "order" else ["paid"]), f"{user}: {states}")


def server_is_killed(shop, findings):
    shop.shop("carol", "--buy", "coins.100", "--kill-after", "pay")
    shop.stop("server")
    shop.start_server()
    said = findings.said["server killed"] = shop.shop("carol")
    findings.expect(said.get("openOrders") == 0 and said["unfinished"] == 0, str(said))
    findings.expect([order["state"] for order in shop.orders("carol")] == ["paid"], "carol's order is not paid")


def backend_is_killed(shop, findings):
    """Killed when the booking is on disk and before the answer: the delivery is sent again and not booked again."""
    shop.await_deliveries()
    shop.stop("backend")
    shop.start_backend("-Dcounterfoil.dieAfterBooking=true")
    before = len(shop.booked())
    said = findings.said["backend killed"] = shop.shop("dora", "--buy", "coins.100")
    died = shop.children["backend"].process.wait(60)
    findings.expect(died == 9, f"the backend ended with {died}")
    findings.expect(len(shop.booked()) == before + 1, "it died before it had booked")
    shop.stop("backend")
    shop.start_backend()
    again = findings.said["backend back again"] = shop.shop("dora")
    findings.expect(again.get("openOrders") == 0 and again["unfinished"] == 0, f"{said}, then {again}")
    shop.await_deliveries()
    findings.expect(len(shop.booked()) == before + 1, "what came again was booked again")


def forged_deliveries(shop, findings):
    shop.await_deliveries()
    before = shop.booked()
    forged = before[0] | {"id": "dlv_forged", "units": {"unit": "coin", "amount": 1000000}}
    for words, status, arguments in (
        ("without the right secret", 401, {"secret": "whsec_" + "A" * 44}),
        ("without a signature", 401, {"signature": "v1,AAAA"}),
        ("signed in no known way", 401, {"signature": "v2,AAAA"}),
        ("of an hour ago", 401, {"sent": int(time.time()) - 3600}),
        ("of an hour ahead", 401, {"sent": int(time.time()) + 3600}),
        ("at no time at all", 401, {"sent": "soon"}),
        ("with another id outside than inside", 400, {"identifier": "dlv_other"}),
    ):
        answered = shop.deliver(forged, **arguments)
        findings.expect(answered == status, f"a delivery {words} was answered {answered}")
    sandbox = forged | {"environment": "sandbox"}
    findings.expect(shop.deliver(sandbox) == 204, "a delivery of another world was not acknowledged")
    findings.expect(shop.deliver(before[0]) == 204, "a repeated delivery was not acknowledged")
    findings.expect(shop.booked() == before, "something forged or repeated was booked")


def gateway_guards_users(shop, findings):
    session = {"Authorization": "Bearer session-of-mallory"}
    for method, path, body, status in (
        ("POST", "/v1/payments/app-store", {"evidence": "x", "userId": "alice"}, 403),
        ("POST", "/v1/payments/app-store", b'{"parameters":{},"user\\u0049d":"alice"}', 403),
        ("GET", "/v1/orders?userId=alice", None, 403),
        ("GET", "/v1/deliveries", None, 404),
        ("POST", "/v1/users/alice/balances/coin/debits", {}, 404),
        ("POST", "/v1/payments/app-store", b"[]", 400),
    ):
        answered = shop.request(method, shop.backend + path, body, session)
        findings.expect(answered[0] == status, f"{method} {path} {body} was answered {answered}")
    findings.expect(shop.request("GET", shop.backend + "/v1/orders")[0] == 401, "without a session it answered")


def main(program, node, java, javac, folder, output):
    findings = Findings()
    classes = pathlib.Path(folder, "classes")
    subprocess.run([javac, "-Xlint:all", "-Werror", "-d", str(classes), *map(str, EXAMPLES.glob("*.java"))], check=True)
    shop = LanguageShop(program, node, java, str(classes), folder)
    try:
        shop.open()
        for run in (buys_once, buys_without_gateway, repeats_what_was_lost, client_is_killed, server_is_killed,
                    backend_is_killed, forged_deliveries, gateway_guards_users):
            run(shop, findings)
        shop.await_deliveries()
        booked = collections.Counter(one["transactionId"] for one in shop.booked())
        findings.expect(booked == shop.charged(), f"charged {shop.charged()}, booked {booked}")
        findings.said["charges"], findings.said["bookings"] = len(shop.charged()), sum(booked.values())
    finally:
        shop.close()
    pathlib.Path(output).write_text(json.dumps({"said": findings.said, "wrong": findings.wrong}))


if __name__ == "__main__":
    main(*sys.argv[1:])

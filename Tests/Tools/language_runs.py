"""Runs the client in JavaScript against the built server, through the backend in Python of `Examples/Backends`.

Usage: language_runs.py PROGRAM NODE FOLDER OUTPUT

OUTPUT: JSON with the output of each run, and `wrong`: the failed checks, in words.
"""

import collections
import json
import pathlib
import sys

from language_shop import LanguageShop


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


def main(program, node, folder, output):
    findings = Findings()
    shop = LanguageShop(program, node, folder)
    try:
        shop.open()
        for run in (buys_once, buys_without_gateway, repeats_what_was_lost, client_is_killed, server_is_killed):
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

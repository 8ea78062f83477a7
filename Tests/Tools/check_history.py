"""Judges a history that clients wrote while servers were killed and cut off. It knows the API and nothing of the engine.

usage: check_history.py HISTORY OUTPUT

HISTORY has one JSON object a line; times are nanoseconds of one monotonic clock.
  {"kind": "call", "invoked", "answered", "method", "path", "key", "request", "status", "answer"}
      A call of the API. Without an answer `status` is null: nobody knows whether it took effect.
  {"kind": "charge", "invoked", "answered", "transaction", "order"}   the store charged a customer
  {"kind": "delivery", "at", "id", "body"}                            the backend received a message
  {"kind": "rest", "at"}      everything is told: what is read after this is the end
  {"kind": "end", "lines"}    the last line, with the number of those before it

OUTPUT gets {"findings": [{"rule", "words"}], "counts": {…}}. Exit code 0, whatever was found.
"""

import collections
import json
import re
import sys

from history_balances import check_balances

GRANTED = 100  # what each purchase gives


class Findings:
    def __init__(self):
        self.found = []

    def add(self, rule, words):
        self.found.append({"rule": rule, "words": words})


class History:
    """The lines of a history, sorted by what they say."""

    def __init__(self, lines, findings):
        self.creations, self.order_reads, self.payments = [], [], []
        self.debits, self.entry_reads = [], []
        self.charges, self.deliveries = {}, []
        self.rest, self.unknown, self.others = None, 0, 0
        last = lines[-1] if lines else {}
        if last.get("kind") != "end" or last.get("lines") != len(lines) - 1:
            findings.add("incomplete", "the history has no end: lines are missing")
        for line in lines:
            if line["kind"] == "call":
                self.take(line)
            elif line["kind"] == "charge":
                self.charges[line["transaction"]] = line
            elif line["kind"] == "delivery":
                self.deliveries.append(line)
            elif line["kind"] == "rest":
                self.rest = line["at"]
        if self.rest is None:
            findings.add("incomplete", "the history never rests")
            self.rest = float("inf")

    def take(self, call):
        # A server that answers 5xx may have committed before it failed.
        call["isUnknown"] = call["status"] is None or call["status"] >= 500
        self.unknown += call["isUnknown"]
        parts = call["path"].split("?")[0].strip("/").split("/")
        match (call["method"], parts):
            case ("POST", ["v1", "orders"]):
                self.creations.append(call)
            case ("GET", ["v1", "orders", order]):
                call["order"] = order
                self.order_reads.append(call)
            case ("POST", ["v1", "payments", "app-store"]):
                self.payments.append(call)
            case ("POST", ["v1", "users", user, "balances", _, "debits"]):
                call["user"] = user
                self.debits.append(call)
            case ("GET", ["v1", "users", user, "balances", _, "entries"]):
                call["user"] = user
                self.entry_reads.append(call)
            case _:
                self.others += 1

    def fulfilments(self):
        """Each `fulfilled` that was answered, as call, transaction, order, whether it was the first."""
        for call in self.payments:
            if call["status"] == 200:
                for payment in call["answer"]["payments"]:
                    if payment["verdict"] == "fulfilled":
                        yield call, payment["transactionId"], payment.get("orderId"), payment.get("firstSeen")


def check_orders(history, findings):
    """Each key makes one order, which stays. Returns the user of each order."""
    by_key, users = {}, {}
    for call in history.creations:
        if call["status"] in (200, 201):
            order = call["answer"]["id"]
            users[order] = call["answer"]["userId"]
            if by_key.setdefault(call["key"], order) != order:
                findings.add("twoOrders", f"key {call['key']} made {by_key[call['key']]} and {order}")
    if len(set(by_key.values())) != len(by_key):
        findings.add("oneOrderTwice", "two keys made one order")
    final = {}
    for read in history.order_reads:
        if read["invoked"] > history.rest and not read["isUnknown"]:
            final[read["order"]] = read
    for order, user in sorted(users.items()):
        read = final.get(order)
        if read is None:
            findings.add("incomplete", f"order {order} was not read at the end")
        elif read["status"] != 200:
            findings.add("lostOrder", f"order {order} was answered, and at the end {read['status']}")
        elif read["answer"]["userId"] != user:
            findings.add("wrongUser", f"order {order} of {user} is of {read['answer']['userId']}")
    for charge in history.charges.values():
        read = final.get(charge["order"])
        if read and read["status"] == 200 and read["answer"]["state"] != "paid":
            findings.add("lostGrant", f"order {charge['order']} was charged and is {read['answer']['state']}")
    return users


def check_direction(history, findings):
    """An order goes from unknown to made to paid. Nobody who asks later is told less than one who was told before."""
    seen = collections.defaultdict(list)
    for call in history.creations:
        if call["status"] in (200, 201):
            seen[call["answer"]["id"]].append((call["invoked"], call["answered"], 1, "made"))
    for read in history.order_reads:
        if read["status"] == 404:
            seen[read["order"]].append((read["invoked"], read["answered"], 0, "read"))
        elif read["status"] == 200:
            level = 2 if read["answer"]["state"] == "paid" else 1
            seen[read["order"]].append((read["invoked"], read["answered"], level, "read"))
    for call, _, order, _ in history.fulfilments():
        if order:
            seen[order].append((call["invoked"], call["answered"], 2, "fulfilled"))
    for delivery in history.deliveries:
        order = json.loads(delivery["body"]).get("orderId")
        seen[order].append((delivery["at"], delivery["at"], 2, "delivered"))
    charged = {charge["order"]: charge["invoked"] for charge in history.charges.values()}
    for order, answers in sorted(seen.items()):
        back = None
        for invoked, answered, level, how in sorted(answers):
            for _, told, other, before in answers:
                if told < invoked and level < other and back is None:
                    back = f"{before} as {other} at {told}, then {how} as {level} from {invoked} to {answered}"
            if level == 2 and answered < charged.get(order, float("inf")):
                findings.add("unpaidGrant", f"order {order} was told as paid before any charge")
        if back:
            findings.add("goesBack", f"order {order}: {back}")


def check_payments(history, findings):
    """Each charge is granted for the order that it names, and told as new at most once."""
    new = collections.Counter()
    for call, transaction, order, is_first in history.fulfilments():
        charge = history.charges.get(transaction)
        if charge is None or call["answered"] < charge["invoked"]:
            findings.add("unpaidGrant", f"transaction {transaction} was fulfilled and not charged")
        elif order != charge["order"]:
            findings.add("wrongOrder", f"transaction {transaction} of order {charge['order']} was for {order}")
        new[transaction] += bool(is_first)
    for transaction, count in new.items():
        if count > 1:
            findings.add("doubledGrant", f"transaction {transaction} was new {count} times")


def check_deliveries(history, users, findings):
    """The backend gets one message for each charge, at least once, and always with the same content."""
    bodies, ids = {}, collections.defaultdict(set)
    for delivery in history.deliveries:
        if bodies.setdefault(delivery["id"], delivery["body"]) != delivery["body"]:
            findings.add("otherContent", f"message {delivery['id']} came with another body")
        body = json.loads(delivery["body"])
        charge = history.charges.get(body["transactionId"])
        ids[body["transactionId"]].add(delivery["id"])
        if charge is None or delivery["at"] < charge["invoked"]:
            findings.add("unpaidGrant", f"message {delivery['id']} is about no charge")
        elif (body["orderId"], body["userId"], body["units"]["amount"]) != (
            charge["order"], users.get(charge["order"]), GRANTED):
            findings.add("wrongDelivery", f"message {delivery['id']} says {body['orderId']}, {body['userId']}")
    for transaction in sorted(history.charges):
        if not ids[transaction]:
            findings.add("lostDelivery", f"nothing came about transaction {transaction}")
        if len(ids[transaction]) > 1:
            findings.add("doubledGrant", f"transaction {transaction} came as {sorted(ids[transaction])}")


def judge(lines):
    findings = Findings()
    history = History(lines, findings)
    users = check_orders(history, findings)
    check_direction(history, findings)
    check_payments(history, findings)
    check_deliveries(history, users, findings)
    check_balances(history, users, GRANTED, findings)
    counts = {
        "orders": len(users), "charges": len(history.charges), "deliveries": len(history.deliveries),
        "calls": len(lines), "unknown": history.unknown, "users": len(set(users.values())),
        "orderReads": len(history.order_reads), "balanceReads": len(history.entry_reads),
        "debits": len(history.debits), "payments": len(history.payments),
    }
    return {"findings": findings.found, "counts": counts}


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        lines = [json.loads(line) for line in file if re.search(r"\S", line)]
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump(judge(lines), file)


if __name__ == "__main__":
    main()

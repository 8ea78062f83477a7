"""A payment client that has only HTTP, a file as its vault, and a phone's payment queue.

A team writes such a client if it cannot use the client library. `Examples/OverHTTP` shows it: order,
store the record, pay, submit the evidence, finish only on the verdict, delete the record. Standard library only.

Every external action goes through `effect`, which calls a hook after it: a test kills the client there, before the
answer is read. Between two effects nothing happens that a kill could undo.
"""

import datetime
import uuid

from http_parts import Unreachable, Vault

PAUSES = (10, 30, 120)  # seconds between requests for a verdict
CLOCK_ALLOWANCE = 5 * 60  # seconds by which the clocks of server and store may differ


class Client:
    """One run of the app for one signed-in user, or for none."""

    def __init__(self, link, phone, vault_path, user, credential, *, store_products, sleep, hook):
        self.link = link
        self.phone = phone
        self.user = user
        self.credential = credential  # a user token, or the publishable key when no user is signed in
        self.store_products = store_products  # our product ids: the store's
        self.sleep = sleep
        self.hook = hook
        self.set_aside = {}  # transaction id: verdict; asked again at the next start
        self.asked = set()  # transactions that this run has submitted
        self.is_launching = False
        self.vault = Vault(vault_path, self.effect)

    def effect(self, name, act):
        result = act()
        self.hook(name)
        return result

    def ask(self, method, path, body=None, key=None):
        return self.effect(f"{method} {path.split('?')[0]}",
                           lambda: self.link.send(method, path, self.credential, body, key))

    # --- buying

    def purchase(self, product, quantity=1):
        """Sells one product and returns the outcome as a word. Completes open purchases first."""
        self.recover()
        if any(kept["verdict"] is None and kept["product"] == self.store_products[product]
               for kept in self.vault.evidence.values()):
            return "waitsForEarlier"
        key = str(uuid.uuid4())
        record = {"user": self.user, "product": product, "quantity": quantity, "state": "requested", "order": None}
        self.vault.orders[key] = record
        self.vault.write("order requested")
        if not self.make_order(key):
            return "noOrder"
        record["state"] = "paying"
        self.vault.write("paying")
        order = record["order"]
        self.effect("pay", lambda: self.phone.pay(
            order["appStore"]["productId"], quantity, order["appStore"]["appAccountToken"]))
        for entry in self.effect("hear", self.phone.callbacks):
            self.receive(entry, same_run=order["id"])
        if key in self.vault.orders and record["state"] == "paying":
            self.sleep(30)  # the callback is lost: read the queue, and ask
            self.look(same_run=order["id"])
            self.ask_about_orders()
        return "bought" if key not in self.vault.orders else self.vault.orders[key]["state"]

    def make_order(self, key):
        record = self.vault.orders[key]
        body = {"productId": record["product"], "quantity": record["quantity"], "store": "appStore", "platform": "ios"}
        for pause in (0, 1, 3):
            if pause:
                self.sleep(pause)
            try:
                status, answer = self.ask("POST", "/v1/orders", body, key)
            except Unreachable:
                continue
            if status in (200, 201):
                record["order"] = answer
                record["state"] = "created"
                self.vault.write("order made")
                return True
            if status in (400, 404, 409, 422):  # the server refused it: there is no order
                del self.vault.orders[key]
                self.vault.write("order refused")
                return False
        return False

    # --- what the store shows

    def look(self, same_run=None):
        for entry in self.effect("list queue", self.phone.unfinished):
            self.receive(entry, same_run)

    def receive(self, entry, same_run=None):
        if entry["state"] == "deferred":
            self.mark(entry, "deferred")
        elif entry["state"] == "failed":
            # It contains no charge, so no verdict is needed; the order stays.
            self.mark(entry, "failedOnce")
            self.effect("finish failed", lambda: self.phone.finish(entry))
        elif entry["state"] == "purchased":
            self.keep(entry, same_run)
            self.submit(entry["transactionId"], entry)

    def mark(self, entry, state):
        fitting = [record for record in self.vault.orders.values() if self.may_be_about(record, entry)]
        if len(fitting) == 1 and fitting[0]["state"] != state:
            fitting[0]["state"] = state
            self.vault.write(state)
            if state == "deferred":
                self.tell_approval_pending(fitting[0])

    def tell_approval_pending(self, record):
        if record["user"] == self.user and not record.get("approvalTold"):
            try:
                status, _ = self.ask("POST", f"/v1/orders/{record['order']['id']}/approval-pending", {})
            except Unreachable:
                return
            record["approvalTold"] = status == 200

    def may_be_about(self, record, entry):
        if record["state"] in ("requested", "created"):
            return False
        if entry.get("token") is not None:
            return entry["token"] == record["order"]["id"]
        bought = entry.get("purchaseDate")  # in milliseconds
        made = datetime.datetime.fromisoformat(record["order"]["createdAt"].replace("Z", "+00:00")).timestamp()
        return (record["order"]["appStore"]["productId"] == entry["product"]
                and record["quantity"] == entry["quantity"]
                and (bought is None or bought / 1000 >= made - CLOCK_ALLOWANCE))

    def keep(self, entry, same_run):
        """Stores evidence before it is sent; known evidence is not erased."""
        if entry["transactionId"] in self.vault.evidence:
            return
        # A charge without a token beside a sheet that did not fail belongs to an earlier purchase.
        failed = any(record["order"] and record["order"]["id"] == same_run and record["state"] == "failedOnce"
                     for record in self.vault.orders.values())
        plain = entry.get("token") == same_run or (entry.get("token") is None and failed)
        kept = {name: entry.get(name) for name in ("evidence", "product", "quantity", "token", "purchaseDate")}
        self.vault.evidence[entry["transactionId"]] = kept | {"sameRun": same_run if plain else None, "verdict": None}
        self.vault.write("evidence")

    # --- the server's verdict

    def submit(self, transaction, entry=None):
        """Asks for the verdict, and again after 10, 30 and 120 s; finishes only on the server's verdict."""
        if transaction in self.set_aside and not self.is_launching:
            return
        self.asked.add(transaction)
        for pause in (0,) + PAUSES:
            if pause:
                self.sleep(pause)
            answer = self.verdict(transaction)
            if answer is not None and answer["verdict"] != "pending":
                break
        else:
            return  # unknown; the next start asks again
        kept = self.vault.evidence[transaction]
        if not answer["finish"]:
            self.set_aside[transaction] = kept["verdict"] = answer["verdict"]
            self.vault.write("set aside")
            return
        if entry is not None:
            self.effect("finish", lambda: self.phone.finish(entry))
            try:
                self.ask("POST", "/v1/payments/app-store/finished", {"transactionIds": [transaction]})
            except Unreachable:
                pass  # the server does not need it
        self.forget(transaction, answer.get("orderId") if answer["verdict"] == "fulfilled" else None)

    def verdict(self, transaction):
        kept = self.vault.evidence[transaction]
        candidates = [record["order"]["id"] for record in self.vault.orders.values() if self.may_be_about(record, kept)]
        body = {"evidence": kept["evidence"], "transactionId": transaction, "orderIds": candidates[-50:],
                "sameRun": kept["sameRun"], "deviceVerificationId": self.phone.device,
                "productId": kept["product"], "quantity": kept["quantity"]}
        body = {name: value for name, value in body.items() if value not in (None, [])}
        if self.user is None:
            body.pop("orderIds", None)
            body.pop("sameRun", None)
        try:
            status, answer = self.ask("POST", "/v1/payments/app-store", body)
        except Unreachable:
            return None
        if status != 200:
            return None  # an error is no verdict: nothing is finished
        return next((one for one in answer["payments"] if one["transactionId"] == transaction),
                    answer["payments"][0] if answer["payments"] else None)

    def forget(self, transaction, order=None):
        self.vault.evidence.pop(transaction, None)
        for key, record in list(self.vault.orders.items()):
            if order is not None and record["order"] and record["order"]["id"] == order:
                del self.vault.orders[key]
        self.vault.write("owned")

    # --- recovery

    def recover(self, launching=False):
        """Completes what is open: the vault's unanswered orders, the store's queue, stored evidence, open orders."""
        self.is_launching = launching
        if self.user is not None:
            self.adopt_open_orders()
            for key in [key for key, one in self.vault.orders.items() if self.is_mine(one, "requested")]:
                self.make_order(key)
        self.look()
        for transaction in list(self.vault.evidence):
            if launching and transaction not in self.asked:
                self.submit(transaction)  # the queue no longer shows it: the last run ended after the finish
        if self.user is not None:
            self.ask_about_orders()
        self.is_launching = False

    def is_mine(self, record, *states):
        return record["user"] == self.user and record["state"] in states

    def adopt_open_orders(self):
        """On a new device, or after the app was removed, the server's list replaces the vault."""
        if self.user in self.vault.kept["usersKnown"]:
            return
        try:
            status, page = self.ask("GET", "/v1/orders?open=true&limit=100")
        except Unreachable:
            return
        if status != 200:
            return
        known = {record["order"]["id"] for record in self.vault.orders.values() if record["order"]}
        for order in page["orders"]:
            if order["id"] not in known and order["store"] == "appStore":
                self.vault.orders[order["id"]] = {
                    "user": self.user, "product": order["productId"], "quantity": order["quantity"],
                    "state": "paying", "order": order}
        self.vault.kept["usersKnown"].append(self.user)
        self.vault.write("open orders of the server")

    def ask_about_orders(self):
        for key, record in list(self.vault.orders.items()):
            if record["user"] != self.user or record["order"] is None:
                continue
            number = record["order"]["id"]
            try:
                if record["state"] == "created":  # its sheet never opened: nothing can be charged for it
                    status, order = self.ask("POST", f"/v1/orders/{number}/close", {})
                else:
                    status, order = self.ask("GET", f"/v1/orders/{number}")
            except Unreachable:
                continue
            if status == 200 and (order["state"] == "paid" or (order["state"] == "closed" and self.is_quiet(record))):
                del self.vault.orders[key]
                self.vault.write("order " + order["state"])
            elif record["state"] == "deferred":
                self.tell_approval_pending(record)

    def is_quiet(self, record):
        """Whether neither the store's queue nor the vault holds anything that could pay the order."""
        shown = self.effect("list queue", self.phone.unfinished)
        refused = {one for one, kept in self.vault.evidence.items() if kept["verdict"] == "refused"}
        held = [one for one in shown if one.get("transactionId") not in refused]
        held += [kept for one, kept in self.vault.evidence.items() if one not in refused]
        return not any(self.may_be_about(record, one) for one in held)

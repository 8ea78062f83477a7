"""A phone for tests: the part of a purchase between the app and the App Store's server.

The simulator is the store; it has no payment sheet and no queue of failed and deferred entries. The phone has both: it
survives a kill of the app, and each payment runs as the test has planned. The simulator reports what is charged and
what is unfinished.
"""

import json
import urllib.request


class Store:
    """The simulated App Store's control API."""

    def __init__(self, port, bundle):
        self.address = f"http://127.0.0.1:{port}/simulator"
        self.bundle = bundle

    def ask(self, method, path, body=None):
        request = urllib.request.Request(
            self.address + path, method=method, data=None if body is None else json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=30) as response:
            text = response.read()
        return json.loads(text) if text else None


class Phone:
    """One device with one Apple account and the queue of one app."""

    def __init__(self, store, account, device):
        self.store = store
        self.account = account
        self.device = device  # a UUID, the subject of the device's proof
        self.plans = []  # how the next payments run; without a plan they succeed
        self.entries = []  # failed and deferred entries, and those that a test has added
        self.told = []  # callbacks that the app has not received yet
        self.hidden = set()  # charged, but not visible before the next start
        self.charges_to_come = []  # the password was typed; the charge follows after the app is killed
        self.finishes_that_do_not_stick = 0
        self.tokens_are_lost = False  # after a relaunch no entry has one
        self.next_handle = 0
        store.ask("PUT", f"/accounts/{account}", {})

    def charge(self, product, quantity, token):
        body = {"account": self.account, "bundleId": self.store.bundle, "productId": product, "quantity": quantity,
                "deviceVerificationId": self.device}
        if token is not None:
            body["appAccountToken"] = token
        return self.entry(self.store.ask("POST", "/purchases", body))

    def entry(self, purchase):
        facts = purchase["transaction"]
        return {"state": "purchased", "transactionId": facts["transactionId"], "product": facts["productId"],
                "quantity": facts["quantity"], "purchaseDate": facts["purchaseDate"],
                "token": None if self.tokens_are_lost else facts.get("appAccountToken"),
                "evidence": purchase["signedTransaction"]}

    def put(self, state, product, quantity, token):
        self.next_handle += 1
        entry = {"state": state, "handle": self.next_handle, "product": product, "quantity": quantity, "token": token}
        self.entries.append(entry)
        return entry

    # --- what the app does

    def pay(self, product, quantity, token):
        """The payment sheet opens, and the customer types the password unless the plan differs."""
        plan = self.plans.pop(0) if self.plans else "normal"
        if plan == "normal":
            self.told.append(self.charge(product, quantity, token))
        elif plan == "toldTwice":
            entry = self.charge(product, quantity, token)
            self.told += [entry, dict(entry)]
        elif plan == "callbackLost":
            self.charge(product, quantity, token)
        elif plan == "tokenLost":
            self.told.append(self.charge(product, quantity, None))
        elif plan == "cancelled":
            self.told.append(self.put("failed", product, quantity, token))
        elif plan == "killedAfterPassword":
            self.charges_to_come.append((product, quantity, token))
        elif plan == "failedThoughCharged":
            self.hidden.add(self.charge(product, quantity, token)["transactionId"])
            self.told.append(self.put("failed", product, quantity, token))
        elif plan == "interrupted":
            # The first entry fails; the customer accepts the new terms, and a second purchase has no token (S4).
            self.told.append(self.put("failed", product, quantity, token))
            self.told.append(self.charge(product, quantity, None))
        elif plan == "interruptedForLater":
            self.told.append(self.put("failed", product, quantity, token))
            self.charges_to_come.append((product, quantity, None))
        elif plan == "askToBuy":
            self.told.append(self.put("deferred", product, quantity, token))
        else:
            raise ValueError(plan)

    def callbacks(self):
        told, self.told = self.told, []
        return told

    def unfinished(self):
        query = f"/unfinished?account={self.account}&bundleId={self.store.bundle}&deviceVerificationId={self.device}"
        charged = [self.entry(one) for one in self.store.ask("GET", query)["transactions"]]
        shown = [one for one in charged if one["transactionId"] not in self.hidden]
        return [dict(one, token=None) if self.tokens_are_lost else dict(one) for one in self.entries] + shown

    def finish(self, entry):
        if entry in self.entries or "handle" in entry:
            self.entries = [one for one in self.entries if self.name(one) != self.name(entry)]
        elif self.finishes_that_do_not_stick > 0:
            self.finishes_that_do_not_stick -= 1
        else:
            self.store.ask("POST", f"/transactions/{entry['transactionId']}/finish",
                           {"account": self.account, "bundleId": self.store.bundle})

    @staticmethod
    def name(entry):
        return entry.get("handle") or entry["transactionId"]

    # --- what happens to it

    def relaunch(self):
        """The app is started again: callbacks of the last run are lost, and pending charges are made."""
        self.told = []
        self.hidden = set()
        self.tokens_are_lost = True
        for product, quantity, token in self.charges_to_come:
            self.charge(product, quantity, token)
        self.charges_to_come = []

    def decide_ask_to_buy(self, approved):
        deferred = [one for one in self.entries if one["state"] == "deferred"]
        self.entries = [one for one in self.entries if one["state"] != "deferred"]
        for one in deferred:
            if approved:
                self.charge(one["product"], one["quantity"], one["token"])

    def charges(self):
        listed = self.store.ask("GET", f"/transactions?account={self.account}&bundleId={self.store.bundle}&limit=500")
        return [one for one in listed["transactions"] if one["isCharge"]]

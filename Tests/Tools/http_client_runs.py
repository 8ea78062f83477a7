"""Runs the client over plain HTTP through every scenario, and kills it at each of its steps.

Usage: http_client_runs.py SERVER_PORT SIMULATOR_PORT FOLDER GAP OUTPUT

FOLDER: that of `counterfoil-lab run`. GAP: the distance between two steps that are tried. OUTPUT: JSON with the runs,
the kills, the charges and the grants of each scenario, and `wrong`: the wrong results, in words. Each scenario runs
once for each step that is tried, and the client is killed right after that step. The last run ends before its step.
"""

import base64
import collections
import concurrent.futures
import hashlib
import hmac
import itertools
import json
import os
import pathlib
import sys
import tempfile
import time
import uuid

from http_client import Client
from http_parts import Link
from http_phone import Phone, Store
from http_scenarios import SCENARIOS

BUNDLE = "com.example.demo"
STORE_PRODUCTS = {"coins.100": BUNDLE + ".coins100", "season": BUNDLE + ".season"}
COINS_EACH = 100
STEPS_MAX = 400  # far more than any scenario takes
STARTS_MAX = 4  # what is open must be complete after so many starts


class Killed(BaseException):
    """The end of the process: the client does not catch it, and its clean-up does not count."""


class Shop:
    """The server under test, and the team's backend: it signs user tokens and holds the secret key."""

    def __init__(self, server_port, simulator_port, folder):
        self.port = server_port
        self.store = Store(simulator_port, BUNDLE)
        self.secret = pathlib.Path(folder, "user-token.secret").read_bytes()
        self.keys = json.loads(pathlib.Path(folder, "keys.json").read_text())

    def token(self, user):
        def part(value):
            return base64.urlsafe_b64encode(value).rstrip(b"=")
        now = int(time.time())
        claims = {"sub": user, "aud": "demo", "iat": now, "exp": now + 3600}
        signed = part(json.dumps({"alg": "HS256", "kid": "demo-1"}).encode()) + b"." + part(json.dumps(claims).encode())
        return (signed + b"." + part(hmac.digest(self.secret, signed, hashlib.sha256))).decode()

    def credential(self, user):
        return self.keys["publishable"] if user is None else self.token(user)


class World:
    """One phone, its vault and its users, of one run."""

    def __init__(self, shop, link, number, folder, kill_at):
        self.shop, self.link, self.folder = shop, link, folder
        self.name = f"run{number}"
        self.vault = os.path.join(folder, self.name + ".vault")
        self.phone = Phone(shop.store, self.name, str(uuid.uuid4()))
        self.kill_at = kill_at
        self.steps = 0
        self.killed_at = None
        self.slept = []
        self.refused = set()
        self.held = []  # the reasons of the payments that an operator had to decide

    def full(self, user):
        return None if user is None else f"{self.name}.{user}"

    def hook(self, step):
        self.steps += 1
        if self.steps == self.kill_at:
            self.killed_at = step
            raise Killed(step)

    def app(self, user):
        """Starts the app with that user signed in, which completes what is open."""
        self.phone.relaunch()
        self.link.broken = 0
        client = Client(self.link, self.phone, self.vault, self.full(user), self.shop.credential(self.full(user)),
                        store_products=STORE_PRODUCTS, sleep=self.slept.append, hook=self.hook)
        client.recover(launching=True)
        self.phone.tokens_are_lost = False  # purchases of this run keep their token
        return client

    def remove_vault(self):
        if os.path.exists(self.vault):
            os.remove(self.vault)

    def change_phone(self):
        self.remove_vault()
        old, self.phone = self.phone, Phone(self.shop.store, self.name, str(uuid.uuid4()))
        self.phone.entries = [one for one in old.entries if one["state"] == "deferred"]
        self.phone.charges_to_come = old.charges_to_come

    def order_of(self, user):
        status, order = self.link.send("POST", "/v1/orders", self.shop.credential(self.full(user)),
                                       {"productId": "coins.100", "store": "appStore"}, str(uuid.uuid4()))
        if status != 201:
            raise AssertionError(order)
        return order["id"]

    def kept(self):
        if not os.path.exists(self.vault):
            return {"orders": {}, "evidence": {}}
        return json.loads(pathlib.Path(self.vault).read_text())

    # --- the end

    def balance(self, user):
        _, answer = self.link.send("GET", "/v1/balances?userId=" + self.full(user), self.shop.keys["secret"])
        return sum(one["amount"] for one in answer["balances"])

    def heal(self):
        """Each user starts the app again; the team closes unpaid orders, as time would, and the app starts again."""
        self.kill_at = None
        for _ in range(STARTS_MAX):
            for user in ("anna", "bert"):
                self.app(user)
            self.give_held_ones("anna")
            if self.is_quiet():
                return
            # An unpaid order after an open sheet; the client itself must close orders without a sheet.
            for record in self.kept()["orders"].values():
                if record["state"] in ("paying", "failedOnce", "deferred"):
                    path = f"/v1/orders/{record['order']['id']}/close"
                    self.link.send("POST", path, self.shop.keys["secret"], {})

    def open_orders(self):
        pages = (self.link.send("GET", f"/v1/orders?open=true&limit=100&userId={self.full(user)}",
                                self.shop.keys["secret"])[1] for user in ("anna", "bert"))
        return [order["id"] for page in pages for order in page["orders"]]

    def give_held_ones(self, user):
        """An operator decides the held payments: this user bought them on this phone."""
        mine = {one["transactionId"] for one in self.phone.charges()}
        for one in self.link.send("GET", "/v1/operator/queue?limit=100", self.shop.keys["operator"])[1]["payments"]:
            if one["transactionId"] in mine and one["state"] == "held":
                self.held.append(one["reason"])
                self.link.send("POST", f"/v1/operator/payments/{one['transactionId']}/claim", self.shop.keys["operator"],
                               {"userId": self.full(user), "reason": "bought on that phone"})

    def is_quiet(self):
        kept = self.kept()
        return not kept["orders"] and set(kept["evidence"]) <= self.refused and not self.open_entries()

    def open_entries(self):
        return [one for one in self.phone.unfinished() if one.get("transactionId") not in self.refused]

    def problems(self, owed):
        """What is wrong: every charge must be granted once, nothing else granted, nothing left open."""
        problems = []
        charged = sum(one["quantity"] for one in self.phone.charges())
        granted = {user: self.balance(user) // COINS_EACH for user in ("anna", "bert")}
        if sum(granted.values()) != charged:
            problems.append(f"{charged} pieces charged, {granted} granted")
        if self.killed_at is None and granted != {user: owed.get(user, 0) for user in granted}:
            problems.append(f"owed {owed}, granted {granted}")
        if any(granted[user] > owed.get(user, 0) for user in granted if sum(owed.values()) == charged):
            problems.append(f"granted to the wrong one: {granted}, owed {owed}")
        if not self.is_quiet():
            kept = self.kept()
            problems.append(f"left open: orders {[(one['user'], one['state']) for one in kept['orders'].values()]}, "
                            f"evidence {[(number, one['verdict']) for number, one in kept['evidence'].items()]}, "
                            f"queue {[(one.get('transactionId'), one['state']) for one in self.open_entries()]}")
        if self.open_orders():
            problems.append(f"the server waits for ever for {self.open_orders()}")
        shown = {one.get("transactionId") for one in self.phone.unfinished()}
        if not self.refused <= shown:
            problems.append(f"what was refused has been finished: {self.refused - shown}")
        return problems


def run(shop, number, name, kill_at, folder):
    """Runs a scenario once; returns the world at its end, and what is wrong with it."""
    _, phases, owed = SCENARIOS[name]
    link = Link(shop.port)
    world = World(shop, link, number, folder, kill_at)
    for phase in phases:
        try:
            phase(world)
        except Killed:
            world.kill_at = None
            link.close()
    world.heal()
    problems = world.problems(owed)
    link.close()
    return world, [f"{name}, killed {world.killed_at}: {problem}" for problem in problems]


def run_scenario(shop, numbers, name, folder, is_killed, gap):
    result = collections.Counter()
    wrong, charges, pauses = [], {}, []
    first = 1 + len(name) % gap  # other steps in each scenario
    for kill_at in [*range(first, STEPS_MAX, gap), STEPS_MAX] if is_killed else [STEPS_MAX]:
        world, problems = run(shop, next(numbers), name, kill_at, folder)
        wrong += problems
        result["runs"] += 1
        result["kills"] += world.killed_at is not None
        for one in world.phone.charges():
            charges[one["transactionId"]] = one["quantity"]
        if world.killed_at is None:
            result["steps"] = world.steps
            pauses = world.slept
            break
    else:
        wrong.append(f"{name} takes more than {STEPS_MAX} steps")
    return name, dict(result), charges, pauses, wrong


def deliveries(shop):
    """The number of deliveries of each grant, by transaction."""
    link, granted, after = Link(shop.port), collections.Counter(), ""
    while True:
        _, page = link.send("GET", "/v1/deliveries?limit=100" + after, shop.keys["secret"])
        for one in page["deliveries"]:
            if one["delivery"]["type"] == "grant.created":
                granted[one["delivery"]["transactionId"]] += 1
        if page.get("next") is None:
            link.close()
            return granted
        after = "&after=" + page["next"]


def main(server_port, simulator_port, folder, gap, output):
    shop = Shop(int(server_port), int(simulator_port), folder)
    numbers, report, wrong, charged = itertools.count(1), {}, [], {}
    with tempfile.TemporaryDirectory() as vaults, concurrent.futures.ThreadPoolExecutor(6) as threads:
        # First with the notifications of the store, then without any: the phone alone must be enough.
        for kind, knob in (("notified", 0), ("by phone alone", 1)):
            shop.store.ask("PUT", "/knobs/notifyNever", {"value": knob})
            runs = [threads.submit(run_scenario, shop, numbers, name, vaults, knob == 1, int(gap)) for name in SCENARIOS]
            for name, result, charges, pauses, problems in (one.result() for one in runs):
                report[f"{name}, {kind}"] = result | {
                    "charges": len(charges), "pauses": pauses, "cites": SCENARIOS[name][0]}
                charged |= charges
                wrong += problems
    granted = deliveries(shop)
    wrong += [f"{one} was charged and delivered {granted[one]} times" for one in charged if granted[one] != 1]
    wrong += [f"{one} was delivered and never charged" for one in granted if one not in charged]
    pathlib.Path(output).write_text(json.dumps({"scenarios": report, "wrong": wrong}))


if __name__ == "__main__":
    main(*sys.argv[1:])

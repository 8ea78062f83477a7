"""The part of check_history.py that judges balances: is there any order of grants, debits and reads that explains all
answers? Each took effect at one moment between its call and its answer; a call without an answer at any time, or never.
"""

import collections
import itertools
import json

POSSIBILITIES_MAX = 200_000  # a user whose history allows more is reported, not passed over
NEVER = float("inf")


def check_balances(history, users, granted, findings):
    charges, debits, reads = (collections.defaultdict(list) for _ in range(3))
    for charge in history.charges.values():
        charges[users.get(charge["order"])].append(charge)
    for debit in history.debits:
        debits[debit["user"]].append(debit)
    for read in history.entry_reads:
        if read["status"] == 200:
            reads[read["user"]].append(read)
    told = first_told(history, reads)
    for user in sorted(set(users.values())):
        check_entries(user, charges[user], debits[user], reads[user], history.rest, findings)
        problem = Search(charges[user], debits[user], reads[user], told, granted).problem()
        if problem:
            findings.add("balance", f"no order of events explains the answers about {user}: {problem}")


def first_told(history, reads):
    """When anybody had first been told that a transaction is granted."""
    told = {}
    transactions = {charge["order"]: name for name, charge in history.charges.items()}

    def note(transaction, at):
        told[transaction] = min(told.get(transaction, NEVER), at)

    for call, transaction, _, _ in history.fulfilments():
        note(transaction, call["answered"])
    for read in history.order_reads:
        if read["status"] == 200 and read["answer"]["state"] == "paid":
            note(transactions.get(read["order"]), read["answered"])
    for delivery in history.deliveries:
        note(json.loads(delivery["body"])["transactionId"], delivery["at"])
    for read in (read for of_user in reads.values() for read in of_user):
        for entry in read["answer"]["entries"]:
            note(entry.get("transactionId"), read["answered"])
    return told


def names(read):
    """The debits and transactions that a read shows."""
    return {entry.get("bookingId") or entry.get("transactionId") for entry in read["answer"]["entries"]}


def check_entries(user, charges, debits, reads, rest, findings):
    """Entries are only added. Each read adds up, and shows what was answered before it and nothing that nobody asked."""
    asked = {charge["transaction"]: charge["invoked"] for charge in charges}
    booked, sure = {}, {}
    for debit in debits:
        name = debit["request"]["id"]
        asked[name] = min(asked.get(name, NEVER), debit["invoked"])
        if debit["status"] in (200, 201):
            booked[name] = min(booked.get(name, NEVER), debit["answered"])
    for read in sorted(reads, key=lambda read: read["answered"]):
        shown, answer = names(read), read["answer"]
        total = sum(entry["amount"] for entry in answer["entries"])
        if total != answer["balance"] or total < 0 or answer.get("next") or len(shown) != len(answer["entries"]):
            findings.add("wrongSum", f"{len(answer['entries'])} entries of {user} sum to {total}: {answer['balance']}")
        for name in sorted(shown, key=str):
            if asked.get(name, NEVER) > read["answered"]:
                findings.add("unasked", f"{user} has an entry of {name} that nobody asked for")
        for name, at in list(booked.items()) + list(sure.items()):
            if at < read["invoked"] and name not in shown:
                findings.add("lostEntry", f"{name} of {user} was told and is no longer an entry")
        for name in shown:
            sure.setdefault(name, read["answered"])
    final = [read for read in reads if read["invoked"] > rest]
    if not final:
        findings.add("incomplete", f"the balance of {user} was not read at the end")
    for read in final:
        for charge in charges:
            if charge["transaction"] not in names(read):
                findings.add("lostGrant", f"transaction {charge['transaction']} is no entry of {user}")


class Search:
    """All states in which the balance of one user can be, after each answer.

    A state is which open grants were made, which open debits were booked, and which open observations came true.
    Grants give the same amount. So the one that must be made first is always made first.
    """

    def __init__(self, charges, debits, reads, told, granted):
        self.granted, self.amounts = granted, {}
        self.base, self.settled = 0, set()
        self.deadlines = {}  # open grants
        self.open = collections.Counter()  # attempts under way of each debit
        self.observations = {}  # open ones, by number: what must be true at one moment
        self.states = {(frozenset(), frozenset(), frozenset())}
        final = max(reads, key=lambda read: read["invoked"], default=None)
        self.kept = names(final) if final else None
        self.events = sorted(
            itertools.chain(self.of_grants(charges, told), self.of_debits(debits), self.of_reads(reads, len(debits))),
            key=lambda event: event[:2])

    def of_grants(self, charges, told):
        for charge in charges:
            name = charge["transaction"]
            deadline = max(told.get(name, NEVER), charge["invoked"])
            yield (charge["invoked"], 0, self.begin_grant, name, deadline)
            if deadline < NEVER:
                yield (deadline, 1, self.end_grant, name, None)

    def of_debits(self, debits):
        for number, debit in enumerate(debits):
            name = debit["request"]["id"]
            self.amounts[name] = debit["request"]["amount"]
            yield (debit["invoked"], 0, self.begin_debit, name, None)
            if debit["status"] == 409:
                yield (debit["invoked"], 0, self.begin_observation, number, ("refused", name))
                yield (debit["answered"], 1, self.end_observation, number, f"{name} was refused")
            if debit["status"] in (200, 201):
                yield (debit["answered"], 1, self.end_debit, name, None)
            if not debit["isUnknown"]:
                yield (debit["answered"], 2, self.end_attempt, name, None)

    def of_reads(self, reads, first):
        for number, read in enumerate(reads, first):
            balance = read["answer"]["balance"]
            yield (read["invoked"], 0, self.begin_observation, number, ("balance", balance))
            yield (read["answered"], 1, self.end_observation, number, f"{balance} was told")

    def problem(self):
        """The first answer that nothing explains; None if there is none."""
        for _, _, event, name, detail in self.events:
            words = event(name, detail)
            if words:
                return words
        return None

    # Events: a call begins, or what it must have done by now is demanded.

    def begin_grant(self, name, deadline):
        self.deadlines[name] = deadline

    def begin_debit(self, name, _):
        self.open[name] += 1

    def end_attempt(self, name, _):
        self.open[name] -= 1

    def begin_observation(self, number, what):
        self.observations[number] = what

    def end_grant(self, name, _):
        words = self.demand(0, name, f"{name} was told as granted")
        self.base += self.granted
        del self.deadlines[name]
        return words

    def end_debit(self, name, _):
        if name in self.settled:
            return None
        words = self.demand(1, name, f"{name} was told as booked")
        self.base -= self.amounts[name]
        self.settled.add(name)
        return words

    def end_observation(self, number, words):
        words = self.demand(2, number, words)
        del self.observations[number]
        return words

    def demand(self, part, name, words):
        """Keeps the states in which something came true, and takes it out of them."""
        reached = self.reachable()
        if reached is None:
            return f"more than {POSSIBILITIES_MAX} possibilities"
        self.states = {
            tuple(names - {name} if number == part else names for number, names in enumerate(state))
            for state in reached if name in state[part]}
        return None if self.states else words

    def reachable(self):
        found = {self.observed(state) for state in self.states}
        waiting = list(found)
        while waiting:
            grants, debits, true = waiting.pop()
            balance = self.balance(grants, debits)
            following = []
            missing = [name for name in self.deadlines if name not in grants]
            if missing:
                first = min(missing, key=lambda name: (self.deadlines[name], name))
                following.append((grants | {first}, debits, true))
            for name, count in self.open.items():
                may_be = self.kept is None or name in self.kept
                if count and may_be and name not in debits | self.settled and balance >= self.amounts[name]:
                    following.append((grants, debits | {name}, true))
            for state in map(self.observed, following):
                if state not in found:
                    found.add(state)
                    waiting.append(state)
            if len(found) > POSSIBILITIES_MAX:
                return None
        return found

    def balance(self, grants, debits):
        return self.base + self.granted * len(grants) - sum(self.amounts[name] for name in debits)

    def observed(self, state):
        """The state with the open observations that are true in it."""
        grants, debits, true = state
        balance = self.balance(grants, debits)
        for number, (kind, value) in self.observations.items():
            if kind == "balance" and balance == value:
                true = true | {number}
            elif kind == "refused" and balance < self.amounts[value] and value not in debits | self.settled:
                true = true | {number}
        return (grants, debits, true)

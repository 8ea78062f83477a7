"""Runs the commands of the manual as a reader does, page by page, and checks what they print.

Usage: manual_commands.py PROGRAM FOLDER OUTPUT [PAGE ...]

PROGRAM: the built server; `PROGRAM-lab` lies beside it.
FOLDER: an empty folder.
PAGE: only these pages, such as docs/start.md.
OUTPUT: JSON with `wrong`, the failed checks in words, `ran` and `explained`, the numbers of blocks that ran and that
say why not, and `skipped`, those for which a program is absent.

`docs/commands.json` says where the blocks of each page run. A block runs unless it gives a reason of the closed list.
The ports of a page are replaced by those of the running programs. If data follows a block, the block must print data of
the same form, and its numbers then replace those of the page in the blocks that follow.
"""

import datetime
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

from language_shop import BUNDLE, Child
from manual_pages import ROOT, blocks, english_of, manual, without_comments
from served_site import Findings, Site, ask

PATIENCE = 120  # seconds for one block; reaching it is a failed test
PLAN = json.loads((ROOT / "docs/commands.json").read_text())


class Lab:
    """A folder in which a reader has called `make run`."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.start("--first-purchase", until="bob has 100")
        keys = json.loads((folder / "data/keys.json").read_text())
        self.key = {"Authorization": "Bearer " + keys["secret"]}
        token = subprocess.run([program, "token", "--user", "alice"], cwd=folder, capture_output=True, text=True,
                               timeout=PATIENCE, check=True).stdout.strip()
        self.environment = {"KEY": keys["secret"], "OPERATOR_KEY": keys["operator"], "TOKEN": token}

    def start(self, *options, until="  data  "):
        os.chdir(self.folder)  # its data is in ./data
        self.child = Child(self.program + "-lab", "run", "--port", "0", *options)
        self.child.line_with(until)
        text = "".join(self.child.lines)
        self.server, self.simulator = (f"http://127.0.0.1:{port}" for port in re.findall(r"localhost:(\d+)", text)[:2])

    def close(self):
        self.child.kill()

    def stop(self):
        self.child.process.send_signal(signal.SIGINT)
        self.child.process.wait(PATIENCE)

    def control(self, method, path, body=None):
        return ask(self.simulator + "/simulator" + path, method, body)

    def buy(self, user, token=None, product=".coins100"):
        self.control("PUT", "/accounts/phone-of-" + user, {})
        wish = {"account": "phone-of-" + user, "bundleId": BUNDLE, "productId": BUNDLE + product}
        return self.control("POST", "/purchases", wish | ({"appAccountToken": token} if token else {}))["transaction"]

    # What must be so before a block runs. Each returns what replaces the page's own numbers.

    def simulated_transaction(self, _):
        shutil.copy(self.folder / "data/first-purchase.jws", self.folder / "transaction.jws")
        return {}

    def pay_at_the_cashier(self, known):
        code = next(new for old, new in known.items() if old.startswith("weixin://"))
        self.control("POST", "/wechat-pay/cashier", {
            "code_url": code, "openid": "oCarol000000000000000000000", "action": "pay"})
        return {}

    def a_configuration(self, _):
        Site(self.program, self.folder / "site").close()
        shutil.copytree(self.folder / "site", self.folder, dirs_exist_ok=True)
        return {}

    def a_backup(self, _):
        subprocess.run([self.program, "backup", "--to", "backups"], cwd=self.folder, check=True, capture_output=True,
                       timeout=PATIENCE)
        return {}

    def a_payment_without_an_owner(self, _):
        transaction = self.buy("erin")["transactionId"]
        self.shown("payments", transaction)
        return {"401956454190009": transaction}

    def shown(self, kind, transaction):
        """What the server shows of a purchase. It learns of it by a notification, which a busy machine sends late."""
        for _ in range(100):
            shown = subprocess.run([self.program, kind, "show", transaction], cwd=self.folder, text=True,
                                   capture_output=True, timeout=PATIENCE)
            if shown.returncode == 0:
                return shown.stdout
            time.sleep(0.1)
        raise RuntimeError(f"no notification of the purchase came: {shown.stderr}")

    def a_subscriber(self, _):
        transaction = self.buy("frank", product=".club.monthly")["transactionId"]
        shown = self.shown("subscriptions", transaction)
        end = re.search(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*Z", shown)
        return {"2000001952144140": transaction, "2026-12-26T02:39:37Z": end[0]}

    def a_paid_wechat_order(self, _):
        listed = ask(self.server + "/v1/orders?userId=bob", headers=self.key)["orders"]
        return {"01a1fbf6-5aa7-74c8-b995-0f5d32d468ba": listed[0]["id"]}

    def a_debt(self, _):
        fields = self.key | {"Idempotency-Key": "spent"}
        balances = self.server + "/v1/users/alice/balances"
        balance = ask(balances, headers=self.key)["balances"][0]["amount"]
        ask(balances + "/coin/debits", "POST", {"amount": balance, "id": "spent"}, fields)
        told = self.control("GET", "/transactions?limit=500")["transactions"]
        paid = next(one for one in told if one["account"] == "alice")
        self.control("POST", f"/transactions/{paid['transactionId']}/refund", {})
        for _ in range(100):
            held = ask(balances, headers=self.key)["balances"]
            if held[0]["amount"] < 0:
                return {}
            time.sleep(0.1)
        raise RuntimeError(f"no debt came of a refund: {held}")

    def a_day_with_a_bill(self, _):
        day = datetime.datetime.now(datetime.timezone(datetime.timedelta(hours=8))) - datetime.timedelta(days=2)
        return {"2026-11-20": day.strftime("%Y-%m-%d")}

    def earlier_purchases(self, _):
        (self.folder / "purchases.csv").write_text(
            f"transactionId,originalTransactionId,userId,productId\n2000000111111111,,alice,{BUNDLE}.coins100\n")
        return {}

    def earlier_deliveries(self, _):
        (self.folder / "delivered.txt").write_text("2000000111111111\n")
        return {}


class Served:
    """A folder with a configuration, and a server that runs by it."""

    def __init__(self, program, folder):
        self.folder = folder
        self.site = Site(program, folder)
        process = self.site.serve()
        self.server, self.simulator = self.site.server, self.site.simulator
        self.site.control("PUT", f"/apps/{BUNDLE}", {
            "appAppleId": 1000000001, "notificationUrl": self.server + "/notifications/app-store"})
        merchant = json.loads((folder / "simulator/wechat-pay/merchant.json").read_text())["mchid"]
        known = next(one for one in self.site.control("GET", "/wechat-pay/merchants")["merchants"]
                     if one["mchid"] == merchant)
        self.site.control("PUT", "/wechat-pay/merchants/" + merchant, known | {
            "notificationOrigin": self.server,
            "testAPIv3Key": (folder / "simulator/wechat-pay/apiv3.key").read_text()})
        self.environment = {"KEY": self.site.secret, "SERVER_PID": str(process.pid)}

    def close(self):
        self.site.close()


ROOMS = {"lab": Lab, "served": Served}


def documents(text):
    """The JSON values that stand one after the other in a text; none where it is not all JSON."""
    found, place, reader = [], 0, json.JSONDecoder()
    try:
        while place < len(text.rstrip()):
            place += len(text[place:]) - len(text[place:].lstrip())
            value, place = reader.raw_decode(text, place)
            found.append(value)
    except ValueError:
        return []
    return found


def leaves(value, path=()):
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, path + (name,))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, path + (index,))
    else:
        yield path, value


class Page:
    def __init__(self, path, room, findings):
        self.path, self.room, self.findings = path, room, findings
        self.known = {}

    def run(self, block, following, rule):
        before = rule.get("before")
        if before:
            self.known |= getattr(self.room, before)(self.known)
        if rule.get("stopped"):
            self.room.stop()
        left = rule.get("leavesOut", {"line": "\0"})
        text = block.replace(left["line"], ":")
        if "where" in left:
            self.findings.expect(left["line"] in block and named(left), f"{self.path}: nothing runs {left['line']}")
        for old, new in self.known.items():
            text = text.replace(old, new)
        for port, address in ((8080, self.room.server), (8081, self.room.simulator)):
            text = text.replace(f"http://127.0.0.1:{port}", address)
        # Variables that a block sets are there in the next one, as in the reader's shell.
        script = f"set -ea\n[ ! -f .variables ] || . ./.variables\n{text}\nexport -p >.variables\n"
        program = pathlib.Path(self.room.site.program if isinstance(self.room, Served) else self.room.program)
        environment = os.environ | self.room.environment | {
            "PATH": f"{program.parent}:{os.environ['PATH']}", "LANG": "C.UTF-8"}
        done = subprocess.run(["sh", "-c", script], cwd=self.room.folder, env=environment, capture_output=True,
                              text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
        self.findings.expect(
            done.returncode == rule.get("exit", 0),
            f"{self.path}: ended with {done.returncode}: {block}{done.stdout[-400:]}{done.stderr[-400:]}")
        refused = re.search(r'"type":"urn:counterfoil:error:[a-z_]+', done.stdout)
        self.findings.expect(not refused, f"{self.path}: {refused and refused[0]}: {block}{done.stdout[-400:]}")
        self.compare(block, following, done.stdout)
        if rule.get("stopped"):
            self.room.start()
        if rule.get("removes"):
            (self.room.folder / rule["removes"]).unlink()

    def compare(self, block, following, printed):
        shown = documents(following.text) if following and following.language == "json" else []
        got = documents(printed)
        if not shown:
            return
        if len(shown) != len(got):
            return self.findings.expect(False, f"{self.path}: other data than shown: {block}{printed[:400]}")
        for expected, actual in zip(shown, got):
            actual = dict(leaves(actual))
            for path, old in leaves(expected):
                if path not in actual:
                    self.findings.expect(False, f"{self.path}: {'.'.join(map(str, path))} is not printed: {block}")
                elif isinstance(old, str) and isinstance(actual[path], str) and len(old) >= 16 and old != actual[path]:
                    self.known[old] = actual[path]


def named(rule):
    """Whether the words stand in the place that a rule names."""
    place = ROOT / rule["where"]
    files = [place] if place.is_file() else sorted(place.rglob("*.swift"))
    return any(rule["words"] in file.read_text() for file in files)


def reason(path, rule, findings):
    """Whether a block says why it is not run. The reason must be of the closed list, and be true."""
    if "why" not in rule:
        return False
    findings.expect(rule["why"] in PLAN["reasons"], f"{path}: {rule['why']} is no reason of the list")
    if rule["why"] == "elsewhere":
        findings.expect(named(rule), f"{path}: {rule['where']} does not have the words {rule['words']}")
    return True


def unplanned(findings):
    """Every page with commands has a room, and every rule has a block."""
    for path in manual():
        commands = [block for block in blocks(path) if block.language == "sh"]
        if path.endswith(".zh-CN.md"):
            same = [without_comments(one.text) for one in blocks(english_of(path)) if one.language == "sh"]
            findings.expect([without_comments(one.text) for one in commands] == same,
                            f"{path} has other commands than {english_of(path)}")
            continue
        findings.expect(not commands or path in PLAN["pages"], f"docs/commands.json does not have {path}")
        for rule in PLAN["pages"].get(path, {"blocks": []})["blocks"]:
            findings.expect(any(one.text.startswith(rule["first"]) for one in commands),
                            f"{path} has no block that begins with {rule['first']}")
    for path in PLAN["pages"]:
        findings.expect((ROOT / path).is_file(), f"there is no {path}")


def main(program, folder, output, *only):
    folder, findings = pathlib.Path(folder), Findings()
    ran = explained = 0
    skipped = []
    unplanned(findings)
    for number, (path, page) in enumerate(PLAN["pages"].items()):
        if only and path not in only:
            continue
        place = folder / str(number)
        (place / ".build").mkdir(parents=True)
        (place / ".build/debug").symlink_to(pathlib.Path(program).parent)
        (place / "Examples").symlink_to(ROOT / "Examples")
        (place / "Clients").symlink_to(ROOT / "Clients")
        all_blocks = blocks(path)
        room = ROOMS[page["room"]](program, place)
        try:
            shown = Page(path, room, findings)
            for index, block in enumerate(all_blocks):
                if block.language != "sh":
                    continue
                rules = [one for one in page["blocks"] if block.text.startswith(one["first"])]
                rule = rules[0] if rules else {}
                if reason(path, rule, findings):
                    explained += 1
                elif "needs" in rule and not shutil.which(rule["needs"]):
                    skipped.append(f"{path}: {rule['needs']}")
                else:
                    shown.run(block.text, (all_blocks + [None])[index + 1], rule)
                    ran += 1
        finally:
            room.close()
    pathlib.Path(output).write_text(json.dumps({
        "wrong": findings.wrong, "done": findings.done, "ran": ran, "explained": explained, "skipped": skipped}))


if __name__ == "__main__":
    main(*[str(pathlib.Path(one).absolute()) if index < 3 else one for index, one in enumerate(sys.argv[1:])])

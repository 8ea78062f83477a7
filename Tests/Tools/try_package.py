"""Tries the Debian packages in a fresh root, as an operator would: scripts/try-package makes the root and runs it.

usage: try_package.py ROOT OTHER_ROOT FIRST SECOND

FIRST and SECOND are folders with the packages, the second with a higher revision. Every step is checked; the first
that is not as it should be ends the trial with 1. In OTHER_ROOT the backup is restored, as on another machine after the
loss of the first. What was bought, refunded and spent since the backup must come back, and the books of the receiver
must stay as they are.
"""

import json
import pathlib
import re
import shutil
import shlex
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

from local_ports import free_port
from notify_socket import NotifySocket
from webhook_books import WebhookBooks

CONFIGURATION = "/etc/counterfoil/counterfoil.toml"
SECRETS = "/etc/counterfoil/secrets"
DATA = "/var/lib/counterfoil"
BUNDLE = "org.shop.game"
STORE_PRODUCT = "org.shop.game.coins100"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
PATIENCE = 120  # seconds for each thing that is waited for; the machine may be busy


class Failure(Exception):
    pass


def check(holds, words):
    if not holds:
        raise Failure(words)


def say(words):
    print(f"try-package: {words}", flush=True)


class Trial:
    def __init__(self, root):
        self.port, self.store_port, self.webhook_port = free_port(), free_port(), free_port()
        self.key = None
        self.server = None
        self.bought = {}
        self.use(root)

    def use(self, root):
        """From now on the machine is the one in that folder."""
        self.root = pathlib.Path(root)
        self.manager = NotifySocket(self.root / "run/counterfoil-manager")

    # --- the root

    def command(self, words, user=None):
        as_user = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--"] if user else []
        return ["chroot", str(self.root), "/usr/bin/env", "-i", f"PATH={PATH}", "HOME=/tmp", "LANG=C.UTF-8",
                "DEBIAN_FRONTEND=noninteractive"] + as_user + list(words)

    def json(self, *words, user=None):
        """What a command prints on its standard output, as JSON."""
        return json.loads(self.run(*words, user=user, separately=True))

    def run(self, *words, user=None, code=0, separately=False):
        """Runs a command in the root and returns all that it printed, or its standard output alone."""
        ended = subprocess.run(self.command(words, user), capture_output=True, text=True, timeout=600)
        shown = ended.stdout + ended.stderr
        check(ended.returncode == code, f"{shlex.join(words)} ended with {ended.returncode}, not {code}: {shown[-2000:]}")
        return ended.stdout if separately else shown

    def place(self, path):
        return self.root / path.lstrip("/")

    def owner(self, path):
        facts = self.place(path).stat()
        names = {}
        for file, number in (("etc/passwd", facts.st_uid), ("etc/group", facts.st_gid)):
            for line in (self.root / file).read_text().splitlines():
                fields = line.split(":")
                if int(fields[2]) == number:
                    names[file] = fields[0]
        return f"{names['etc/passwd']}:{names['etc/group']} {stat.S_IMODE(facts.st_mode):04o}"

    def install(self, folder, *names):
        """apt installs the packages with what they depend on, and nothing else."""
        inside = []
        for name in names:
            file = next(pathlib.Path(folder).glob(f"{name}_*.deb"))
            target = self.root / "tmp" / file.name
            target.write_bytes(file.read_bytes())
            inside.append(f"/tmp/{file.name}")
        return self.run("apt-get", "install", "-q", "-y", "--no-install-recommends", *inside)

    # --- the server

    def start(self):
        """Starts the command of the unit as its user, with a socket and a manager that is told."""
        unit = self.place("/lib/systemd/system/counterfoil.service").read_text()
        socket = self.place("/lib/systemd/system/counterfoil.socket").read_text()

        def value(name, text=unit):
            return re.search(rf"^{name}=(.*)$", text, re.MULTILINE).group(1)

        name = value("FileDescriptorName", socket)
        log = open(self.root / "tmp/server.log", "ab")
        self.manager.forget()
        self.server = subprocess.Popen(
            self.command(
                ["env", "NOTIFY_SOCKET=/run/counterfoil-manager", "systemd-socket-activate",
                 f"--listen=127.0.0.1:{self.port}", f"--fdname={name}", "-E", "NOTIFY_SOCKET"]
                + shlex.split(value("ExecStart")), value("User")),
            stdout=log, stderr=log)
        deadline = time.monotonic() + PATIENCE
        while True:  # the first call starts it
            try:
                if self.ask("GET", "/livez")[0] == 200:
                    break
            except OSError:
                check(self.server.poll() is None, f"the server ended: {self.log()}")
                check(time.monotonic() < deadline, f"the server does not answer: {self.log()}")
                time.sleep(0.2)
        self.manager.wait("READY=1", PATIENCE)

    def stop(self):
        self.manager.forget()
        self.server.send_signal(signal.SIGTERM)
        check(self.server.wait(PATIENCE) == 0, f"the server ended with {self.server.returncode}: {self.log()}")
        self.manager.wait("STOPPING=1", PATIENCE)

    def reload(self):
        self.manager.forget()
        self.server.send_signal(signal.SIGHUP)
        self.manager.wait("RELOADING=1", PATIENCE)
        check("refused" not in self.manager.wait("READY=1", PATIENCE), f"the reload was refused: {self.log()}")

    def log(self):
        return (self.root / "tmp/server.log").read_text(errors="replace")[-3000:]

    def ask(self, method, path, body=None, **fields):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", method=method, data=None if body is None else json.dumps(body).encode())
        request.add_header("Content-Type", "application/json")
        if self.key:
            request.add_header("Authorization", f"Bearer {self.key}")
        for name, value in fields.items():
            request.add_header(name.replace("_", "-"), value)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read() or b"null")

    def store(self, method, path, body=None):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.store_port}/simulator{path}", method=method,
            data=None if body is None else json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.loads(answer.read() or b"null")

    def buy(self, user):
        """Orders, pays at the simulated store, hands the evidence in, and returns the balance."""
        status, order = self.ask("POST", "/v1/orders", {"productId": "coins.100", "store": "appStore", "userId": user})
        check(status == 201, f"the order was answered {status}: {order}")
        self.store("PUT", f"/accounts/{user}", {"environment": "Production"})
        bought = self.store("POST", "/purchases", {
            "account": user, "bundleId": BUNDLE, "productId": STORE_PRODUCT, "appAccountToken": order["id"]})
        self.bought[user] = bought
        status, answer = self.ask("POST", "/v1/payments/app-store", {
            "evidence": bought["signedTransaction"], "orderIds": [order["id"]], "userId": user})
        verdict = answer["payments"][0]["verdict"] if status == 200 else answer
        check(verdict == "fulfilled", f"the payment of {user} was answered {status}: {verdict}")
        return self.balance(user)

    def transaction(self, user):
        return self.bought[user]["transaction"]["transactionId"]

    def spend(self, user, amount, number):
        """A debit under the backend's own number: the same number is booked once."""
        status, answer = self.ask(
            "POST", f"/v1/users/{user}/balances/coin/debits", {"amount": amount, "reason": "sword"}, Idempotency_Key=number)
        check(status in (200, 201), f"the debit was answered {status}: {answer}")

    def balance(self, user):
        status, answer = self.ask("GET", f"/v1/users/{user}/balances")
        check(status == 200, f"the balance was answered {status}")
        return answer["balances"][0]["amount"]


def fill_in(trial):
    """The six lines that the file asks for, and what only a trial with simulated stores needs."""
    store = trial.root / "var/tmp/simulator/app-store"
    access = json.loads((store / "api-key.json").read_text())
    key = trial.place(SECRETS + "/apple.p8")
    key.write_bytes((store / access["privateKeyFile"]).read_bytes())
    trial.run("chown", "counterfoil:counterfoil", SECRETS + "/apple.p8")
    key.chmod(0o600)
    path = trial.place(CONFIGURATION)
    text = path.read_text()
    values = {
        "id": '"game"', "bundle_id": f'"{BUNDLE}"', "app_apple_id": "1001", "deliver_from": "2026-01-01T00:00:00Z",
    }
    lines, edited = [], 0
    for line in text.splitlines():
        marked = re.match(r"(\w+) = .*# <- (\d)\.", line)
        if marked:
            edited += 1
            value = {"5": '"coins.100"', "6": f'["{STORE_PRODUCT}"]'}.get(marked.group(2)) or values[marked.group(1)]
            line = f"{marked.group(1)} = {value}"
        lines.append(line)
    check(edited == 6, f"{edited} lines are marked, not 6")
    text = "\n".join(lines) + "\n"
    for old, new in (
        ('profile = "production"', 'profile = "simulated"\ntrusted_roots = ["/etc/counterfoil/simulator-root.pem"]'),
        ('# [[app.endpoint]]\n# name = "backend"\n# url = "https://backend.example/counterfoil"\n'
         '# secrets = [{ file = "secrets/webhook.secret" }]',
         f'[[app.endpoint]]\nname = "backend"\nurl = "http://127.0.0.1:{trial.webhook_port}/counterfoil"\n'
         'secrets = [{ file = "secrets/webhook.secret" }]\nmay_be_inside = true'),
        ('# [app.app_store]\n# issuer_id = "00000000-0000-0000-0000-000000000000"\n# key_id = "0000000000"\n'
         '# private_key = { file = "secrets/SubscriptionKey.p8" }',
         f'[app.app_store]\nissuer_id = "{access["issuerId"]}"\nkey_id = "{access["keyId"]}"\n'
         f'private_key = {{ file = "secrets/apple.p8" }}\nhost = "http://127.0.0.1:{trial.store_port}"'),
    ):
        check(old in text, f"the configuration has no {old!r}")
        text = text.replace(old, new)
    path.write_text(text)


def try_installation(trial, first):
    trial.run("apt-get", "update", "-q")
    trial.install(first, "counterfoil")
    say(trial.run("counterfoil", "version").strip() + " is installed, " + trial.run(
        "dpkg-query", "-W", "-f=${Version}, depends on ${Depends}", "counterfoil"))
    for path, owner in (
        (CONFIGURATION, "root:counterfoil 0640"), ("/etc/counterfoil", "root:counterfoil 0750"),
        (SECRETS, "counterfoil:counterfoil 0700"), (DATA, "counterfoil:counterfoil 0700"),
        (SECRETS + "/user-token.secret", "counterfoil:counterfoil 0600"), ("/usr/bin/counterfoil", "root:root 0755"),
    ):
        check(trial.owner(path) == owner, f"{path} is {trial.owner(path)}, not {owner}")
    refused = trial.run("counterfoil", "serve", "--config", CONFIGURATION, user="counterfoil", code=2)
    for key in ("id", "bundle_id", "app_apple_id", "deliver_from", "product[0].id"):
        check(re.search(r"counterfoil\.toml:\d+:\d+: app\[0\]\." + re.escape(key) + ": configuration_", refused),
              f"{key} is not asked for: {refused}")
    check(not trial.place(DATA + "/counterfoil.db").exists(), "a refused start made a database")
    say("unfilled, it does not start and names what to fill in:")
    for line in refused.splitlines()[:6]:
        say("  " + line[:140])


def try_purchase(trial, first, books):
    trial.install(first, "counterfoil-lab")
    lab = subprocess.Popen(
        trial.command(["counterfoil-lab", "simulator", "--data", "/var/tmp/simulator", "--port", str(trial.store_port)]),
        stdout=subprocess.DEVNULL, stderr=open(trial.root / "tmp/simulator.log", "wb"))
    root = trial.root / "var/tmp/simulator/simulator-root.pem"
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            trial.store("GET", "")
            break
        except OSError:
            words = (trial.root / "tmp/simulator.log").read_text(errors="replace")[-1000:]
            check(lab.poll() is None and time.monotonic() < deadline, f"the simulator does not start: {words}")
            time.sleep(0.1)
    (trial.place("/etc/counterfoil/simulator-root.pem")).write_bytes(root.read_bytes())
    fill_in(trial)
    trial.run("counterfoil", "config", "check", "--config", CONFIGURATION, user="counterfoil")
    trial.key = trial.json(
        "counterfoil", "keys", "create", "--kind", "secret", "--label", "backend", "--json", "--config", CONFIGURATION,
        user="counterfoil")["key"]
    trial.start()
    check('"socket":"serviceManager"' in trial.log(), "the socket is not the manager's")
    trial.store("PUT", f"/apps/{BUNDLE}", {
        "appAppleId": 1001, "notificationUrl": f"http://127.0.0.1:{trial.port}/notifications/app-store"})
    trial.store("PUT", f"/apps/{BUNDLE}/products/{STORE_PRODUCT}", {"type": "Consumable", "price": 6000, "currency": "CNY"})
    check(trial.buy("alice") == 100, "the first purchase gave another amount")
    books.wait(1, PATIENCE)
    say("started by the unit's command under systemd-socket-activate, READY told; a purchase granted and delivered")


def try_reload(trial, books):
    """A new amount and a new webhook secret, while callers ask without a pause."""
    over, asked, failed = threading.Event(), [0], []

    def caller():
        while not over.is_set():
            asked[0] += 1
            try:
                status, _ = trial.ask("GET", "/v1/users/alice/balances")
                if status != 200:
                    failed.append(status)
            except OSError as error:
                failed.append(repr(error))

    callers = [threading.Thread(target=caller) for _ in range(4)]
    for thread in callers:
        thread.start()
    path = trial.place(CONFIGURATION)
    for amount in (150, 200, 250):
        path.write_text(re.sub(r"amount = \d+", f"amount = {amount}", path.read_text()))
        trial.place(SECRETS + "/webhook.secret").write_text(books.new_secret())
        trial.reload()
        time.sleep(0.5)
    over.set()
    for thread in callers:
        thread.join()
    check(not failed, f"{len(failed)} of {asked[0]} calls failed: {failed[:3]}")
    check(asked[0] > 50, f"only {asked[0]} calls were made")
    check(trial.buy("bob") == 250, "the new amount does not count")
    books.wait(2, PATIENCE)
    say(f"3 reloads with a new amount and a new webhook secret, {asked[0]} calls meanwhile, 0 failed")


def try_upgrade(trial, second):
    before = trial.place(CONFIGURATION).read_bytes(), trial.place(SECRETS + "/user-token.secret").read_bytes()
    trial.stop()
    old = trial.run("dpkg-query", "-W", "-f=${Version}", "counterfoil")
    trial.install(second, "counterfoil")
    new = trial.run("dpkg-query", "-W", "-f=${Version}", "counterfoil")
    check(old != new, f"still {old}")
    after = trial.place(CONFIGURATION).read_bytes(), trial.place(SECRETS + "/user-token.secret").read_bytes()
    check(before == after, "the upgrade changed the configuration or a secret")
    check(trial.owner(CONFIGURATION) == "root:counterfoil 0640", trial.owner(CONFIGURATION))
    trial.start()
    check(trial.balance("alice") == 100 and trial.buy("carol") == 250, "after the upgrade the books differ")
    say(f"stopped with 0, upgraded from {old} to {new}: configuration, secrets and balances are as before")


def try_backup(trial):
    made = trial.json(
        "counterfoil", "backup", "--to", DATA + "/backups", "--json", "--config", CONFIGURATION, user="counterfoil")
    trial.run("counterfoil", "restore", DATA + "/backups", "--drill", user="counterfoil")
    trial.run("counterfoil", "audit", "--config", CONFIGURATION, user="counterfoil")
    saved = trial.root.parent / "saved"
    shutil.rmtree(saved, ignore_errors=True)
    shutil.copytree(trial.place(DATA + "/backups"), saved / "backups")
    shutil.copytree(trial.place("/etc/counterfoil"), saved / "etc")
    say(f"backed up beside the running server: {made['manifest']['bytes']} bytes, {made['manifest']['rows']['orders']} orders; drill and audit are clean")


def happen_since_the_backup(trial, books):
    """An order that is paid, a refund and a debit, none of which is in the backup. Returns the balances after it."""
    check(trial.buy("dave") == 250, "the purchase after the backup gave another amount")
    trial.store("POST", f"/transactions/{trial.transaction('bob')}/refund", {})
    books.wait(5, PATIENCE)  # four grants, and what the refund took back
    trial.spend("alice", 30, "sword-1")
    balances = {user: trial.balance(user) for user in trial.bought}
    check(balances == {"alice": 70, "bob": 0, "carol": 250, "dave": 250}, f"the balances are {balances}")
    return balances


def try_restoration(trial, second, books, balances, other_root):
    """Another machine with the backup, the configuration and the secrets. The stores know what happened since."""
    saved = trial.root.parent / "saved"
    booked = books.entries()
    trial.use(other_root)
    trial.run("apt-get", "update", "-q")
    trial.install(second, "counterfoil")
    for file in (saved / "etc").rglob("*"):
        if file.is_file():
            target = trial.place("/etc/counterfoil") / file.relative_to(saved / "etc")
            target.write_bytes(file.read_bytes())
    trial.run("chown", "-R", "counterfoil:counterfoil", SECRETS)
    shutil.copytree(saved / "backups", trial.place(DATA + "/backups"))
    trial.run("chown", "-R", "counterfoil:counterfoil", DATA)
    trial.run("counterfoil", "restore", DATA + "/backups", "--to", DATA + "/counterfoil.db", user="counterfoil")
    trial.start()
    deadline = time.monotonic() + PATIENCE
    while trial.ask("GET", "/readyz")[0] != 200:
        check(time.monotonic() < deadline, f"the stores were not asked: {trial.log()}")
        time.sleep(0.2)
    # The backend repeats what it did since: its debits, and the evidence of phones. An order that is lost cannot be paid,
    # so the operator gives that payment to its user.
    for _ in range(2):
        trial.spend("alice", 30, "sword-1")
    status, answer = trial.ask("POST", "/v1/payments/app-store", {
        "evidence": trial.bought["dave"]["signedTransaction"], "userId": "dave"})
    check(status == 200 and answer["payments"][0]["verdict"] == "held", f"the evidence was answered {status}: {answer}")
    own, trial.key = trial.key, trial.json(
        "counterfoil", "keys", "create", "--kind", "operator", "--label", "me", "--json", "--config", CONFIGURATION,
        user="counterfoil")["key"]
    status, answer = trial.ask("POST", f"/v1/operator/payments/{trial.transaction('dave')}/claim", {
        "userId": "dave", "reason": "the order is newer than the backup"})
    check(status == 200, f"the claim was answered {status}: {answer}")
    trial.key = own
    deadline = time.monotonic() + PATIENCE
    while (now := {user: trial.balance(user) for user in balances}) != balances:
        check(time.monotonic() < deadline, f"the balances are {now}, and were {balances}: {trial.log()}")
        time.sleep(0.2)
    trial.run("counterfoil", "audit", "--config", CONFIGURATION, user="counterfoil")
    check(books.entries() == booked, f"the receiver has booked {books.entries()}, and had {booked}")
    trial.stop()
    say(f"restored on a second root: the stores were asked, {len(balances)} balances as before the loss, and the receiver's "
        f"books are equal: {len(booked)} entries, {books.repeated} sent again and booked nothing")


def try_removal(trial, books):
    trial.stop()
    trial.run("apt-get", "remove", "-q", "-y", "counterfoil")
    check(not trial.place("/usr/bin/counterfoil").exists(), "the program is still there")
    for path in (CONFIGURATION, SECRETS + "/user-token.secret", DATA + "/counterfoil.db"):
        check(trial.place(path).exists(), f"{path} went with the program")
    shown = trial.run("dpkg", "--purge", "counterfoil")
    check("is kept as /var/backups/counterfoil-" in shown, f"the purge says nothing of the database: {shown}")
    check(not trial.place("/var/lib/counterfoil").exists(), "the folder of the database is still there")
    check(not trial.place(CONFIGURATION).exists(), "the configuration is still there")
    kept = next(trial.place("/var/backups").glob("counterfoil-*"))
    check(stat.S_IMODE(kept.stat().st_mode) == 0o700, "others can read what was kept")
    with sqlite3.connect(f"file:{kept}/database/counterfoil.db?mode=ro", uri=True) as database:
        orders = database.execute("SELECT count(*) FROM orders").fetchone()[0]
        check(database.execute("PRAGMA quick_check").fetchone()[0] == "ok", "the kept database is damaged")
    check(orders == 4 and books.count() == 5, f"{orders} orders are kept, {books.count()} were delivered")
    check((kept / "secrets/user-token.secret").exists(), "the secrets are gone")
    say(f"removed: configuration and database stay. Purged: {orders} orders are kept as {'/' + str(kept.relative_to(trial.root))}")


def main():
    root, other_root, first, second = sys.argv[1:]
    trial = Trial(root)
    try:
        try_installation(trial, first)
        books = WebhookBooks(trial.webhook_port, lambda: trial.place(SECRETS + "/webhook.secret").read_text())
        try_purchase(trial, first, books)
        try_reload(trial, books)
        try_upgrade(trial, second)
        try_backup(trial)
        balances = happen_since_the_backup(trial, books)
        try_removal(trial, books)
        try_restoration(trial, second, books, balances, other_root)
    except (Failure, AssertionError, OSError, ValueError, KeyError, subprocess.SubprocessError) as failure:
        say(f"FAILED: {failure}")
        return 1
    say("everything worked")
    return 0


if __name__ == "__main__":
    sys.exit(main())

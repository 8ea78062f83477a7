"""Runs the Kotlin client: its checks in simulated time, then real processes with a kill at each step.

Usage: kotlin_runs.py SERVER_PORT SIMULATOR_PORT DATA GAP JAVA JAVAC FOLDER OUTPUT

OUTPUT: JSON with the numbers of both, and `wrong`: what failed, in words. With GAP n each n-th step is killed.
"""

import base64
import hashlib
import hmac
import json
import pathlib
import subprocess
import sys
import time
import urllib.request

import flutter_golden
from kotlin_build import PACKAGE, built

# What the customer does in WeChat, and what the app hears.
STORIES = {
    "paid and told": {"action": "pay", "code": 0},
    "paid, the callback lost": {"action": "payAndLeave"},
    "paid, and WeChat says -1": {"action": "pay", "code": -1},
    "cancelled": {"action": "cancel", "code": -2},
    "paid a second later, after a cancel": {"action": "payLater", "seconds": 1, "code": -2},
    "not paid, and WeChat says 0": {"action": "leave", "code": 0},
}
# The eight ways in which the callback gets lost (1A.15): the visit, when the app is in front again (milliseconds after
# the opening; none: it never left it), and how often WeChat Pay charges. The ninth, a process that is gone, is a kill.
LOST = (
    ("1: the back key over the pay sheet", {"action": "leave"}, 100, 0),
    ("2: the password box is left", {"action": "leave"}, 600, 0),
    ("3: the home screen, then the app, then paid", {"action": "payLater", "seconds": 2}, 300, 1),
    ("4: locked over the pay sheet, then paid", {"action": "payLater", "seconds": 1}, 1500, 1),
    ("5: the notification shade, then paid", {"action": "payLater", "seconds": 1}, 200, 1),
    ("6: paid, and home instead of done", {"action": "payAndLeave"}, 400, 1),
    ("7: back in the middle of WeChat's login", {"action": "leave"}, 2500, 0),
    ("8: the chooser is cancelled", {"action": "cancel"}, None, 0),
)
KILLED = ("paid and told", "paid, the callback lost", "cancelled")
STEPS_MAX = 60


class Runs:
    def __init__(self, server_port, simulator_port, data, java, class_path, folder):
        self.server = f"http://127.0.0.1:{server_port}"
        self.simulator = f"http://127.0.0.1:{simulator_port}/simulator/wechat-pay"
        self.data = pathlib.Path(data)
        self.java, self.class_path, self.folder = java, class_path, pathlib.Path(folder)
        self.secret = (self.data / "user-token.secret").read_text().strip()
        self.backend = json.loads((self.data / "keys.json").read_text())["secret"]
        self.wrong = []
        self.count = 0

    def expect(self, holds, words):
        if not holds:
            self.wrong.append(words)

    def token(self, user):
        """A user token as the app's backend signs it."""
        def part(data):
            return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
        now = int(time.time())
        head = part(b'{"alg":"HS256","typ":"JWT","kid":"demo-1"}')
        body = part(json.dumps({"sub": user, "aud": "demo", "iat": now, "exp": now + 3600}).encode())
        code = hmac.digest(self.secret.encode(), f"{head}.{body}".encode(), hashlib.sha256)
        return f"{head}.{body}.{part(code)}"

    def get(self, url, credential=None):
        request = urllib.request.Request(url, headers={"Authorization": "Bearer " + credential} if credential else {})
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.loads(response.read())

    def user(self, name, taps=0, visit=None, **more):
        return {"name": name, "token": self.token(name), "vault": str(self.folder / (name + ".vault")), "taps": taps,
                **({"visit": visit} if visit else {}), **more}

    def run(self, users, die_at=None):
        """One process of the app. Returns its results, or None if it was killed."""
        script, result = self.folder / "script.json", self.folder / "result.json"
        result.unlink(missing_ok=True)
        script.write_text(json.dumps({"server": self.server, "simulator": self.simulator, "users": users,
                                      **({"dieAt": die_at} if die_at else {})}))
        ended = subprocess.run(
            [self.java, "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-cp", ":".join(self.class_path),
             "counterfoil.RealRunKt", str(script), str(result)], capture_output=True, text=True, timeout=300)
        if ended.returncode == 9:
            return None
        if ended.returncode != 0:
            raise RuntimeError(ended.stderr[-3000:])
        return json.loads(result.read_text())

    # --- the truth

    def orders(self, user):
        return self.get(f"{self.server}/v1/orders?limit=100&userId={user}", self.backend)["orders"]

    def charges(self):
        """By order: whether WeChat Pay took money for it."""
        page = self.get(f"{self.simulator}/orders?limit=500")
        self.expect(not page["more"], "more orders than a page has")
        return {order["out_trade_no"]: order["state"] == "SUCCESS" for order in page["orders"]}

    def judge(self, user, expected, charges):
        """Charged is paid, once; nothing else is."""
        orders = self.orders(user)
        charged = [one for one in orders if charges.get(one["id"].replace("-", "").upper())]
        paid = [one for one in orders if one["state"] == "paid"]
        self.expect([one["id"] for one in charged] == [one["id"] for one in paid],
                    f"{user}: charged {len(charged)}, paid {len(paid)}")
        self.expect(len(charged) == expected, f"{user}: charged {len(charged)} times, expected {expected}")
        return len(charged)


def stories(runs):
    """Each story undisturbed; two taps; the callback lost and the app in front again."""
    users = [runs.user(f"story-{number}", 1, visit) for number, visit in enumerate(STORIES.values())]
    users.append(runs.user("two-taps", 2, STORIES["paid and told"]))
    users.append(runs.user("in-front", 1, {"action": "leave"}, foregroundAfter=100))
    results = {one["name"]: one for one in runs.run(users)}
    should = ["fulfilled", "fulfilled", "fulfilled", "cancelled", None, "awaitingConfirmation"]
    for number, outcome in enumerate(should):
        got = results[f"story-{number}"]
        fits = got["outcomes"] == outcome or outcome is None and got["outcomes"] in ("fulfilled", "cancelled")
        runs.expect(fits and got["sheets"] == 1, f"{list(STORIES)[number]}: {got}")
    two = results["two-taps"]
    runs.expect(two["outcomes"] == "fulfilled fulfilled" and two["sheets"] == 1, f"two taps: {two}")
    front = results["in-front"]
    runs.expect(front["outcomes"] == "awaitingConfirmation" and front["milliseconds"] < 20_000, f"in front: {front}")
    time.sleep(2)
    # The one who paid later hears it at the next launch, if not before.
    runs.run([runs.user("story-4")])
    charges = runs.charges()
    charged = sum(runs.judge(f"story-{number}", 1 if number in (0, 1, 2, 4) else 0, charges) for number in range(6))
    return charged + runs.judge("two-taps", 1, charges) + runs.judge("in-front", 0, charges)


def lost_callbacks(runs):
    users = [runs.user(f"lost-{number}", 1, visit, **({} if front is None else {"foregroundAfter": front}))
             for number, (_, visit, front, _) in enumerate(LOST)]
    for (name, _, front, charges), got in zip(LOST, runs.run(users)):
        known = ("awaitingConfirmation", "fulfilled") if charges else ("awaitingConfirmation",)
        runs.expect(got["outcomes"] in known and got["sheets"] == 1, f"lost callback {name}: {got}")
        # Coming back ends the wait; without it the caller waits for its whole time.
        runs.expect(front is None or got["milliseconds"] < 20_000, f"lost callback {name}: {got}")
    time.sleep(2)
    for result in runs.run([runs.user(one["name"]) for one in users]):
        runs.expect(result["isComplete"], f"{result}")
    truth = runs.charges()
    return sum(runs.judge(f"lost-{number}", one[3], truth) for number, one in enumerate(LOST))


def kills(runs, gap):
    """Each story is killed after each step, in a process of its own; then all users launch the app again."""
    killed, reached = [], {}
    for number, name in enumerate(KILLED):
        for step in range(1 + number % gap, STEPS_MAX, gap):
            user = f"killed-{number}-{step}"
            if runs.run([runs.user(user, 1, STORIES[name])], die_at=step) is not None:
                reached[name] = step
                break
            killed.append(user)
    runs.expect(set(reached) == set(KILLED), f"the last step was not reached: {reached}")
    for result in runs.run([runs.user(user) for user in killed]):
        runs.expect(result["isComplete"], f"not complete after the launch: {result}")
    charges = runs.charges()
    # Whoever was not charged buys again; whoever was is not charged a second time by anything that was left open.
    free = [user for user in killed if not any(one["state"] == "paid" for one in runs.orders(user))]
    late = []
    for result in runs.run([runs.user(user, 1, STORIES["paid and told"]) for user in free]):
        # The server asks WeChat Pay about an order at most once in two seconds, and its own look may have been the one.
        if result["outcomes"] == "awaitingConfirmation":
            late.append(result["name"])
        else:
            runs.expect(result["outcomes"] == "fulfilled" and result["open"] == 0, f"after the kill: {result}")
    if late:
        time.sleep(2.2)
        for result in runs.run([runs.user(user) for user in late]):
            runs.expect(result["isComplete"] and result["open"] == 0, f"after the kill, a launch later: {result}")
    charges = runs.charges()
    return len(killed), len(free), sum(runs.judge(user, 1, charges) for user in killed)


def main(server_port, simulator_port, data, gap, java, javac, folder, output):
    golden = PACKAGE / "Clients/flutter/test/golden.json"
    flutter_golden.main(str(golden))
    class_path = built(java, javac)
    checked = pathlib.Path(folder, "checked.json")
    subprocess.run([java, "-cp", ":".join(class_path), "counterfoil.CoreRunKt", str(checked), str(golden)], check=True,
                   capture_output=True, text=True, timeout=300)
    said = json.loads(checked.read_text())
    runs = Runs(server_port, simulator_port, data, java, class_path, folder)
    runs.wrong += said.pop("failed")
    said["charges"] = stories(runs)
    said["chargesOfLostCallbacks"] = lost_callbacks(runs)
    said["killedProcesses"], said["boughtAgain"], said["chargesAfterKills"] = kills(runs, int(gap))
    pathlib.Path(output).write_text(json.dumps({"said": said, "wrong": runs.wrong}))


if __name__ == "__main__":
    main(*sys.argv[1:])

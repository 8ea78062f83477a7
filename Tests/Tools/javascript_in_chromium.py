"""Buys with the JavaScript client in headless Chromium: Native (QR), H5, and JSAPI over a stand-in of WeChat's bridge.

Usage: javascript_in_chromium.py CHROMIUM DRIVER SERVER_PORT SIMULATOR_PORT FOLDER OUTPUT

FOLDER: that of `counterfoil-lab run`. OUTPUT: JSON with `wrong`, the failed checks in words, and `done`, the number of
checks that passed. The page talks to a gateway of its own origin, which holds the secret key, as a team's backend does.
"""

import http.server
import json
import pathlib
import random
import sys
import threading
import time
import urllib.error
import urllib.request

from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from cashier_in_chromium import PATIENCE, Browser
from wechat_pay_sdk import Findings, Simulator

ROOT = pathlib.Path(__file__).parents[2]
CLIENT = ROOT / "Clients/javascript/src"
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Shop</title>
<h1>Shop</h1>
<button id="buy">Buy 100 coins</button>
<p>Code: <code id="code"></code> <button id="close" hidden>Close</button></p>
<p>Outcome: <output id="outcome"></output></p>
<p id="words"></p>
<p>Events: <span id="events"></span></p>
<script type="module" src="/page.mjs"></script>
"""


class Gateway(http.server.BaseHTTPRequestHandler):
    """Serves the page and the client, and passes calls on with the session's user."""

    protocol_version = "HTTP/1.1"
    server_address = ""  # set before it serves
    simulator = None
    secret = ""

    def do_GET(self):
        path = self.path.split("?")[0]
        if path == "/shop":
            self.answer(200, "text/html; charset=utf-8", PAGE.encode())
        elif path == "/page.mjs":
            self.answer(200, "text/javascript", (ROOT / "Tests/Tools/javascript_page.mjs").read_bytes())
        elif path.startswith("/client/") and (CLIENT / path.removeprefix("/client/")).is_file() and ".." not in path:
            self.answer(200, "text/javascript", (CLIENT / path.removeprefix("/client/")).read_bytes())
        elif path.startswith("/gateway/"):
            self.pass_on("GET", None)
        else:
            self.answer(404, "text/plain", b"")

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/cashier":
            result = self.simulator.call("POST", "/cashier", body)
            return self.answer(200, "application/json", json.dumps(result).encode())
        self.pass_on("POST", body)

    def pass_on(self, method, body):
        user = self.headers["Authorization"].removeprefix("Bearer session-of-")
        url = Gateway.server_address + self.path.removeprefix("/gateway")
        headers = {"Authorization": "Bearer " + Gateway.secret, "Content-Type": "application/json"}
        if "Idempotency-Key" in self.headers:
            headers["Idempotency-Key"] = self.headers["Idempotency-Key"]
        if body is None:
            url += ("&" if "?" in url else "?") + "userId=" + user
        data = None if body is None else json.dumps(body | {"userId": user}).encode()
        request = urllib.request.Request(url, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                status, kind, text = answer.status, answer.headers["Content-Type"], answer.read()
        except urllib.error.HTTPError as refused:
            status, kind, text = refused.code, refused.headers["Content-Type"], refused.read()
        self.answer(status, kind, text)

    def answer(self, status, kind, body):
        try:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the page was left while it waited

    def log_message(self, *arguments):
        pass


class Page:
    """The shop's page as a customer sees it."""

    def __init__(self, browser, origin, findings):
        self.browser, self.driver, self.origin, self.findings = browser, browser.driver, origin, findings
        self.user = ""

    def open(self, way, **more):
        query = "".join(f"&{name}={value}" for name, value in more.items())
        self.browser.open(f"{self.origin}/shop?way={way}&user={self.user}{query}")
        self.wait(lambda: self.driver.title == "Ready", f"{way}: the page is not ready")

    def wait(self, holds, words):
        try:
            WebDriverWait(self.driver, PATIENCE, 0.1).until(lambda _: holds())
        except Exception:
            self.findings.expect(False, f"{words}: {self.browser.text()}")
            raise

    def text(self, name):
        return self.driver.find_element(By.ID, name).text

    def press(self, name):
        self.driver.find_element(By.ID, name).click()

    def code(self):
        self.wait(lambda: self.text("code"), "no code is shown")
        return self.text("code")

    def outcome(self, expected):
        self.wait(lambda: self.text("outcome"), "there is no outcome")
        self.findings.expect(self.text("outcome") == expected, f"{expected}: {self.browser.text()}")
        words = self.text("words")
        self.findings.expect("." in words and "。" in words, f"{expected}: not in both languages: {words}")


def orders(user, balance):
    """The orders of a user and their state; `balance` must be their coins."""
    def ask(path):
        headers = {"Authorization": "Bearer " + Gateway.secret}
        request = urllib.request.Request(Gateway.server_address + path, headers=headers)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.loads(answer.read())
    coins = sum(one["amount"] for one in ask("/v1/balances?userId=" + user)["balances"])
    states = sorted(one["state"] for one in ask("/v1/orders?limit=100&userId=" + user)["orders"])
    return states, coins == balance


def native(findings, page, simulator):
    """A phone pays the code that the page shows; the page learns it without any sign. Then one that is closed."""
    page.open("NATIVE")
    page.press("buy")
    code = page.code()
    findings.expect(code.startswith("weixin://"), f"the code is {code}")
    findings.expect(simulator.visit("pay", code_url=code)["errCode"] == 0, "the phone could not pay")
    paid = time.monotonic()
    page.outcome("fulfilled")
    # Not by the silence of 30 seconds: a page with a code asks all the time.
    findings.expect(time.monotonic() - paid < 25, f"the page learned of it after {time.monotonic() - paid} s")
    page.press("buy")
    page.wait(lambda: page.text("code") != code, "no second code")
    page.press("close")
    page.outcome("cancelled")
    # Closed on the page, and paid on the phone all the same: the next tap charges nothing.
    simulator.visit("payAndLeave", code_url=page.text("code"))
    page.press("buy")
    page.outcome("fulfilled")
    findings.expect("earlier payment" in page.text("words"), page.text("words"))
    findings.expect(orders(page.user, 200) == (["paid", "paid"], True), f"Native: {orders(page.user, 200)}")


def reloaded(findings, page, simulator):
    """The tab is reloaded while the code is shown, and paid meanwhile: the next page finds it."""
    page.open("NATIVE")
    page.press("buy")
    code = page.code()
    page.browser.open("about:blank")
    simulator.visit("payAndLeave", code_url=code)
    page.open("NATIVE")
    findings.expect("orderGranted" in page.text("events"), f"after a reload: {page.text('events')}")
    findings.expect(orders(page.user, 100) == (["paid"], True), f"reloaded: {orders(page.user, 100)}")


def tabs(findings, page, simulator):
    """Two tabs over one storage buy the same: one order, and both learn of it."""
    page.open("NATIVE")
    page.press("buy")
    code = page.code()
    first = page.driver.current_window_handle
    page.driver.switch_to.new_window("tab")
    page.open("NATIVE")
    page.press("buy")
    page.code()
    findings.expect(len(orders(page.user, 0)[0]) == 1, f"two tabs made {orders(page.user, 0)}")
    simulator.visit("pay", code_url=page.text("code"))
    page.outcome("fulfilled")
    page.driver.close()
    page.driver.switch_to.window(first)
    page.outcome("fulfilled")
    findings.expect(orders(page.user, 100) == (["paid"], True), f"two tabs: {orders(page.user, 100)} {code}")


def h5(findings, page, simulator):
    """The page is left for the cashier, which returns to it; a payer who cancels; one who goes back by the browser."""
    page.open("H5")
    page.press("buy")
    page.wait(lambda: "/cashier/h5" in page.browser.address(), "the page was not left")
    page.browser.press("Cancel")
    page.outcome("awaitingConfirmation")
    page.press("buy")
    page.wait(lambda: "/cashier/h5" in page.browser.address(), "the page was not left again")
    page.browser.press("Pay")
    page.wait(lambda: page.driver.title == "Ready", "the page is not back")
    findings.expect("order=" in page.browser.address(), page.browser.address())
    page.outcome("fulfilled")
    findings.expect(orders(page.user, 100) == (["paid"], True), f"H5: {orders(page.user, 100)}")
    page.open("H5")
    page.press("buy")
    page.wait(lambda: "/cashier/h5" in page.browser.address(), "the page was not left for the third time")
    prepay_id = page.browser.address().split("prepay_id=")[1].split("&")[0]
    simulator.visit("payAndLeave", prepay_id=prepay_id)
    page.driver.back()
    page.wait(lambda: "orderGranted" in page.text("events"), "paid, then back by the browser")
    findings.expect(orders(page.user, 200) == (["paid", "paid"], True), f"H5, back: {orders(page.user, 200)}")


def jsapi(findings, page, simulator):
    """WeChat's bridge comes late, cancels, pays, and pays without calling back."""
    for action, outcome, coins in (("cancel", "cancelled", 0), ("pay", "fulfilled", 100),
                                   ("fail", "client_wechat_failed", 100)):
        page.open("JSAPI", action=action)
        page.press("buy")
        page.outcome(outcome)
        findings.expect(orders(page.user, coins)[1], f"JSAPI, {action}: {orders(page.user, coins)}")
    page.open("JSAPI", action="payAndLeave")
    page.press("buy")
    page.wait(lambda: orders(page.user, 200)[1], "JSAPI: it was not paid")
    page.driver.execute_script("document.dispatchEvent(new Event('visibilitychange'))")
    page.outcome("fulfilled")
    findings.expect(orders(page.user, 200)[0] == ["paid", "paid"], f"JSAPI: {orders(page.user, 200)}")


def main(chromium, driver, server_port, simulator_port, folder, output):
    findings, simulator = Findings(), Simulator(f"http://127.0.0.1:{simulator_port}")
    Gateway.server_address, Gateway.simulator = f"http://127.0.0.1:{server_port}", simulator
    Gateway.secret = json.loads(pathlib.Path(folder, "keys.json").read_text())["secret"]
    served = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Gateway)
    threading.Thread(target=served.serve_forever, daemon=True).start()
    browser = Browser(chromium, driver)
    page = Page(browser, f"http://127.0.0.1:{served.server_port}", findings)
    try:
        for scene in (native, reloaded, tabs, h5, jsapi):
            page.user = f"{scene.__name__}{random.randrange(10**9)}"
            try:
                scene(findings, page, simulator)
            except Exception as error:  # the others are tried all the same
                findings.expect(False, f"{scene.__name__}: {type(error).__name__}: {str(error)[:300]}")
    finally:
        browser.end()
    pathlib.Path(output).write_text(json.dumps({"wrong": findings.wrong, "done": findings.done}, ensure_ascii=False))


if __name__ == "__main__":
    main(*sys.argv[1:])

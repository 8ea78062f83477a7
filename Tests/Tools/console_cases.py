"""Twelve customers who say "I paid and got nothing": how many clicks lead from the search box to what to tell them.

`console_in_chromium.py` plays them. `docs/console.md` lists them with their clicks; the two must agree.
"""

import json
import pathlib
import time
import urllib.error
import urllib.request

from selenium.webdriver.common.by import By

from cashier_in_chromium import PATIENCE
from console_browser import left, search
from wechat_pay_sdk import Simulator

BUNDLE = "com.example.demo"
MERCHANT = "1900000001"
CLICKS_MAX = 3
DOCUMENT = pathlib.Path(__file__).parents[2] / "docs/console.md"


class Shop:
    """The ready-made shop of `counterfoil-lab run`, and both stores."""

    def __init__(self, server, simulator, folder):
        self.folder = folder
        self.keys = json.loads((pathlib.Path(folder) / "keys.json").read_text())
        self.server, self.simulator = f"http://127.0.0.1:{server}", f"http://127.0.0.1:{simulator}"
        self.cashier = Simulator(self.simulator)
        self.request = None  # The id of the newest request to the server.

    def ask(self, method, path, body=None, key="secret", **fields):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", **fields}
        if path.startswith("/v1/"):
            headers["Authorization"] = "Bearer " + self.keys[key]
        base = self.server if path.startswith("/v1/") else self.simulator
        request = urllib.request.Request(base + path, method=method, data=data, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                text = answer.read()
                self.request = answer.headers.get("X-Request-Id")
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.code} {error.read()[:300]}") from None
        return json.loads(text) if text else None

    def wait(self, look, words):
        for _ in range(200):
            found = look()
            if found:
                return found
            time.sleep(0.1)
        raise TimeoutError(words)

    def read(self, path):
        """What an operator reads there; nothing while it is unknown."""
        try:
            return self.ask("GET", "/v1/operator" + path, key="operator")
        except RuntimeError:
            return None

    # WeChat Pay

    def order_at_wechat_pay(self, user, action="pay", **more):
        order = self.ask("POST", "/v1/orders", {
            "productId": "coins.100", "store": "weChatPay", "tradeType": "NATIVE", "userId": user, "platform": "web",
            **more})
        self.cashier.visit(action, code_url=order["weChatPay"]["codeUrl"])
        if action == "pay":
            self.wait(lambda: self.ask("GET", f"/v1/orders/{order['id']}?wait=10")["state"] == "paid", "it was not paid")
        return order["id"]

    @staticmethod
    def out_trade_no(order):
        return order.replace("-", "").upper()

    def transaction(self, order):
        """WeChat Pay's number of what paid that order."""
        return self.cashier.call("GET", f"/orders/{MERCHANT}/{self.out_trade_no(order)}")["order"]["transaction_id"]

    def refunds(self, order):
        return self.ask("GET", f"/v1/orders/{order}/refunds")["refunds"]

    # App Store

    def order_at_app_store(self, user):
        return self.ask("POST", "/v1/orders", {
            "productId": "coins.100", "store": "appStore", "userId": user, "platform": "ios"})

    def charge(self, account, product="com.example.demo.coins100", order=None):
        """What Apple charges: the transaction, and the signed text."""
        self.ask("PUT", f"/simulator/accounts/{account}", {})
        token = {} if order is None else {"appAccountToken": order["appStore"]["appAccountToken"]}
        bought = self.ask("POST", "/simulator/purchases", {
            "account": account, "bundleId": BUNDLE, "productId": product, **token})
        return bought["transaction"]["transactionId"], bought["signedTransaction"]

    def report(self, evidence, user=None):
        body = {"evidence": evidence} if user is None else {"evidence": evidence, "userId": user}
        return self.ask("POST", "/v1/payments/app-store", body, key="publishable" if user is None else "secret")

    def notification_of(self, transaction):
        """The number of a notification about that transaction, once the server has it."""
        def known():
            told = self.ask("GET", f"/simulator/notifications?bundleId={BUNDLE}&limit=100")["notifications"]
            numbers = [one["notificationUUID"] for one in told if transaction in str(one)]
            return next((one for one in numbers if self.read("/notifications/" + one)), None)

        return self.wait(known, "no notification came")

    def bought(self, user):
        """An order, and the transaction that paid it."""
        order = self.order_at_app_store(user)
        transaction, evidence = self.charge(user, order=order)
        self.report(evidence, user)
        return order["id"], transaction

    def acknowledge(self, order):
        """The backend takes the delivery of that order."""
        def waiting():
            listed = self.ask("GET", "/v1/deliveries")["deliveries"]
            return [one["id"] for one in listed if one["delivery"].get("orderId") == order]

        for delivery in self.wait(waiting, "no delivery"):
            self.ask("POST", f"/v1/deliveries/{delivery}/ack", {})


def not_told(shop):
    return shop.bought("case-apple")[1]


def not_told_by_reference(shop):
    shop.order_at_wechat_pay("case-reference", reference="SF-CASE-2")
    return "SF-CASE-2"


def acknowledged(shop):
    shop.acknowledge(shop.order_at_wechat_pay("case-acknowledged"))
    return "case-acknowledged"


def without_owner(shop):
    transaction, evidence = shop.charge("case-nobody")
    shop.report(evidence)
    return transaction


def unknown_product(shop):
    product = {"type": "Consumable", "price": 6000, "currency": "CNY"}
    shop.ask("PUT", f"/simulator/apps/{BUNDLE}/products/{BUNDLE}.mystery", product)
    transaction, evidence = shop.charge("case-mystery", product=BUNDLE + ".mystery")
    shop.report(evidence)
    return transaction


def cancelled(shop):
    return shop.order_at_wechat_pay("case-cancelled", action="cancel")


def closed(shop):
    order = shop.order_at_wechat_pay("case-closed", action="leave")
    shop.ask("POST", f"/v1/orders/{order}/close", {})
    shop.wait(lambda: shop.ask("GET", f"/v1/orders/{order}")["state"] == "closed", "it was not closed")
    return shop.out_trade_no(order)


def refunded_by_apple(shop):
    order, transaction = shop.bought("case-refunded")
    shop.ask("POST", f"/simulator/transactions/{transaction}/refund", {})

    def is_reversed():
        story = shop.ask("GET", f"/v1/operator/payments/appStore/simulated/{transaction}", key="operator")
        return story["payment"]["state"] == "reversed"

    shop.wait(is_reversed, "the refund was not told")
    return order


def refund_under_way(shop):
    order = shop.order_at_wechat_pay("case-refund")
    shop.ask("POST", f"/v1/orders/{order}/refund", {}, **{"Idempotency-Key": "case-refund"})
    return shop.transaction(order)


def paid_late(shop):
    order = shop.order_at_app_store("case-late")
    shop.ask("POST", f"/v1/orders/{order['id']}/close", {})
    shop.report(shop.charge("case-late", order=order)[1], "case-late")
    shop.acknowledge(order["id"])
    return shop.ask("GET", f"/v1/operator/orders/{order['id']}", key="operator")["supportCode"]


def set_aside(shop):
    transaction = without_owner(shop)
    shop.ask("POST", f"/v1/operator/payments/{transaction}/set-aside", {"reason": "a stolen card"}, key="operator")
    return transaction


def complained(shop):
    number = shop.out_trade_no(shop.order_at_wechat_pay("case-complained"))
    shop.ask("POST", "/simulator/wechat-pay/complaints", {
        "mchid": MERCHANT, "out_trade_no": number, "text": "没有到账", "refund": 600})
    shop.wait(lambda: shop.ask("GET", "/v1/operator/complaints", key="operator")["complaints"], "no complaint came")
    return number


# By their name in the document: what makes them, and a part of the sentence for the customer. A refund may be done by
# the time at which a slow machine shows the page.
CASES = {
    "App Store, the backend does not answer": (not_told, "is recorded for you"),
    "WeChat Pay, the backend does not answer": (not_told_by_reference, "is recorded for you"),
    "delivered, and the customer does not see it": (acknowledged, "was delivered to your account"),
    "a payment that names nobody": (without_owner, "a colleague is checking it"),
    "a product that nobody configured": (unknown_product, "a colleague is checking it"),
    "cancelled at WeChat Pay's cashier": (cancelled, "not received a payment for this order yet"),
    "closed before it was paid": (closed, "not received a payment for this order. If"),
    "refunded by Apple": (refunded_by_apple, "was refunded"),
    "a refund that is under way": (refund_under_way, "Your refund is under way", "was refunded"),
    "paid after it was closed": (paid_late, "was delivered to your account"),
    "set aside by an operator": (set_aside, "a colleague is checking it"),
    "complained at WeChat Pay": (complained, "is recorded for you"),
}


def told(driver):
    found = driver.find_elements(By.CSS_SELECTOR, ".tell q")
    return found[0].text if found else None


def clicks_to_the_sentence(driver, origin, term):
    """Types the term into the search box, and follows the first order or payment until a page has the sentence."""
    search(driver, origin, term)
    clicks = 1
    while told(driver) is None and clicks <= CLICKS_MAX:
        links = driver.find_elements(By.CSS_SELECTOR, "main .list a.id")
        if not links:
            return clicks, None
        links[0].click()
        left(driver, links[0])
        clicks += 1
    return clicks, told(driver)


def documented():
    """The table of the document: each case with its clicks."""
    rows = [line.strip("| \n").split(" | ") for line in DOCUMENT.read_text().splitlines() if line.startswith("| ")]
    return {row[0]: int(row[2]) for row in rows if len(row) == 3 and row[2].isdigit()}


def play(run, origin, shop):
    counted = {}
    for name, (stage, *words) in CASES.items():
        try:
            term = stage(shop)
        except (RuntimeError, TimeoutError, KeyError) as error:
            run.expect(False, f"{name}: it was not staged: {error!r}")
            continue
        clicks, sentence = clicks_to_the_sentence(run.driver, origin, term)
        run.expect(clicks <= CLICKS_MAX, f"{name}: {clicks} clicks")
        run.expect(sentence is not None and any(part in sentence for part in words), f"{name}: {sentence}")
        counted[name] = clicks
        run.quiet(name)
    run.expect(counted == documented(), f"docs/console.md has {documented()}, counted were {counted}")

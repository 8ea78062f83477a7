"""What operators do in the console for one customer: refund with a second person, claim, answer, find by each key."""

import base64
import datetime
import hashlib
import hmac
import json
import pathlib
import time
import uuid

from selenium.webdriver.common.by import By

from console_browser import change_language, left, links_of, main_text, press_form, search
from console_cases import BUNDLE, MERCHANT, told

BASE = "/console/app/demo"
CLUB = BUNDLE + ".club.monthly"
LANGUAGES = ("en", "zh-Hans")


def in_both_languages(run, show):
    """Shows a page in English, then in Chinese, and goes back to English. `show` gets the language."""
    for language in LANGUAGES:
        show(language)
        run.driver.get(run.driver.current_url.split("/console")[0] + BASE)
        change_language(run.driver, language)


# A refund that a second person approves


def waiting(driver, number):
    """The item of the approvals whose object is that payment."""
    items = driver.find_elements(By.CSS_SELECTOR, "main .items li")
    return next(one for one in items if number in one.text)


def forge(driver, target, **fields):
    """Sends a form that no page of this operator has."""
    main = driver.find_element(By.TAG_NAME, "main")
    driver.execute_script("""
        const form = document.createElement("form");
        form.method = "post";
        form.action = arguments[0];
        for (const [name, value] of Object.entries(arguments[1])) {
          const field = document.createElement("input");
          [field.type, field.name, field.value] = ["hidden", name, value];
          form.append(field);
        }
        document.body.append(form);
        form.submit();
        """, target, fields)
    left(driver, main)


def refused_forms(run, origin, target, digest):
    """Nobody approves what they asked for, also not with the form of another; and no form without a session's token."""
    driver = run.driver

    def show(name, status, token, words):
        def once(language):
            driver.get(origin + BASE + "/approvals")
            own = driver.find_element(By.NAME, "token").get_attribute("value")
            forge(driver, target, token=token or own, press=uuid.uuid4().hex, digest=digest, reason="I agree with me")
            shown = words[language] if words else ""
            run.expect(shown in main_text(driver), f"{name}: {main_text(driver)[:300]}")
            run.look(name, language, status=status)
        in_both_languages(run, once)

    words = {"en": "Nobody approves what they asked for.", "zh-Hans": "任何人都不能复核自己的申请。"}
    show("own-approval", 409, None, words)
    show("foreign-form", 403, "0" * 43, None)


def refund_with_a_second_person(run, second, origin, shop):
    """One operator asks, and may not approve it; another does. Only then is the customer paid back."""
    order = shop.order_at_wechat_pay("case-second")
    number = shop.transaction(order)
    page = f"{BASE}/payments/weChatPay/simulated/{number}"
    run.driver.get(origin + page)
    press_form(run.driver, "Refund")
    run.expect("Another operator has to approve it now." in main_text(run.driver), "asking for a refund has no notice")
    item = waiting(run.driver, number)
    run.expect("waits" in item.text and "ticket 58213 <b>" in item.text, f"the approval says {item.text}")
    run.expect(not item.find_elements(By.TAG_NAME, "form"), "who asked may approve")
    run.expect(shop.refunds(order) == [], "it was refunded without an approval")
    run.quiet("asking for a refund")
    in_both_languages(run, lambda language: run.visit(origin, BASE + "/approvals", "approvals", language))
    in_both_languages(second, lambda language: second.visit(
        origin, BASE + "/approvals", "approvals-to-decide", language))
    second.driver.get(origin + BASE + "/approvals")
    item = waiting(second.driver, number)
    form = item.find_element(By.CSS_SELECTOR, "form[action$='/approve']")
    digest = form.find_element(By.NAME, "digest").get_attribute("value")
    refused_forms(run, origin, form.get_attribute("action"), digest)
    run.expect(shop.refunds(order) == [], "a refused form refunded it")
    item.find_element(By.TAG_NAME, "summary").click()
    form.find_element(By.NAME, "reason").send_keys("the receipt is <b>")
    form.find_element(By.TAG_NAME, "button").click()
    left(second.driver, form)
    text = waiting(second.driver, number).text
    run.expect("Done. It stands in the audit log." in main_text(second.driver), "approving has no notice")
    run.expect("done" in text and "demo-second" in text, f"the approval says {text}")
    second.quiet("approving a refund")
    run.driver.get(origin + page)
    said = told(run.driver) or ""
    run.expect("Your refund is under way" in said or "was refunded" in said, f"the refunded payment says {said}")
    refunds = shop.refunds(order)
    run.expect([one["amount"] for one in refunds] == [600], f"refunds: {refunds}")
    run.driver.get(origin + "/console/audit-log")
    text = main_text(run.driver)
    run.expect("approval.ask" in text and "approval.approve" in text and "payment.refund" in text, text[:300])
    run.expect("the receipt is <b>" in text, f"the audit log has no reason of who approved: {text[:300]}")


# A payment that names nobody


def claim(run, origin, shop):
    """An operator gives a payment that waits to a user, who has it then."""
    driver = run.driver
    number, evidence = shop.charge("case-without-owner")
    shop.report(evidence)
    in_both_languages(run, lambda language: run.visit(
        origin, f"{BASE}/payments/appStore/simulated/{number}", "waiting-payment", language))
    search(driver, origin, number)
    run.expect(f"/payments/appStore/simulated/{number}" in driver.current_url, f"claim: at {driver.current_url}")
    press_form(driver, "Give to a user", user="case-claimed")
    run.expect("It stands in the audit log." in main_text(driver), "claiming has no notice")
    run.expect("Give to a user" not in main_text(driver), "a claimed payment may be claimed again")
    links = [one for one in driver.find_elements(By.CSS_SELECTOR, "main a") if one.text == "case-claimed"]
    run.expect(links != [], "the payment's page does not name its owner")
    links[0].click()
    left(driver, links[0])
    run.expect("/users/case-claimed" in driver.current_url, f"the owner's link leads to {driver.current_url}")
    entries = driver.find_element(By.LINK_TEXT, "Entries of coin")
    panel = entries.find_element(By.XPATH, "ancestor::section").text
    run.expect("100" in panel, f"the user's balances: {panel}")
    entries.click()
    left(driver, entries)
    text = main_text(driver)
    run.expect("+100" in text and "granted" in text and number in text, f"the balance's page says {text[:300]}")
    balance = f"{BASE}/users/case-claimed/balances/coin?environment=simulated"
    in_both_languages(run, lambda language: run.visit(origin, balance, "balance", language))


# A complaint


def answer_a_complaint(run, origin, shop):
    """A complaint is answered and ended before its deadline, and WeChat Pay knows it."""
    driver = run.driver
    number = shop.out_trade_no(shop.order_at_wechat_pay("case-answered"))
    made = shop.ask("POST", "/simulator/wechat-pay/complaints", {
        "mchid": MERCHANT, "out_trade_no": number, "text": "付了钱没有到账"})["complaint_id"]
    shop.wait(lambda: made in str(shop.ask("GET", "/v1/operator/complaints", key="operator")), "no complaint came")
    driver.get(origin + BASE + "/complaints")
    row = next(one for one in driver.find_elements(By.CSS_SELECTOR, "main tr") if made in one.text)
    run.expect("to answer" in row.text and "over" not in row.text, f"the list of complaints says {row.text}")
    link = row.find_element(By.LINK_TEXT, made)
    link.click()
    left(driver, link)
    text = main_text(driver)
    run.expect("付了钱没有到账" in text and "not answered" in text, f"the complaint's page says {text[:300]}")
    press_form(driver, "Answer the customer", text="您好，已为您补发。")
    text = main_text(driver)
    run.expect("It stands in the audit log." in text, "answering has no notice")
    run.expect("您好，已为您补发。" in text and "to end it" in text and "not answered" not in text, text[:300])
    press_form(driver, "End the complaint")
    text = main_text(driver)
    run.expect("It stands in the audit log." in text, "ending a complaint has no notice")
    run.expect("over" not in text and "End the complaint" not in text and "ended it" in text, text[:300])
    run.quiet("answering a complaint")
    known = shop.ask("GET", "/simulator/wechat-pay/complaints?limit=500")["complaints"]
    known = next(one for one in known if made in str(one))
    run.expect("PROCESSED" in str(known), f"WeChat Pay has {str(known)[:300]}")
    driver.get(origin + BASE + "/complaints")
    run.expect(made not in main_text(driver), "an ended complaint stands among the open ones")
    search(driver, origin, made)
    run.expect("/complaints/" + made in driver.current_url, f"a complaint's number leads to {driver.current_url}")


# Each key of the search


def user_token(folder, user):
    """What the app's backend gives to a user, as `docs/http-alone.md` says."""
    def part(value):
        return base64.urlsafe_b64encode(value).rstrip(b"=")
    now = int(time.time())
    head, claims = {"alg": "HS256", "kid": "demo-1"}, {"sub": user, "aud": "demo", "iat": now, "exp": now + 3600}
    signed = part(json.dumps(head).encode()) + b"." + part(json.dumps(claims).encode())
    secret = pathlib.Path(folder, "user-token.secret").read_bytes()
    return (signed + b"." + part(hmac.digest(secret, signed, hashlib.sha256))).decode()


def subscribed(shop):
    """A subscription that was refunded and bought again: its two transactions, and what Apple signed of the second."""
    numbers = []
    for _ in range(2):
        order = shop.ask("POST", "/v1/orders", {
            "productId": "club.monthly", "store": "appStore", "userId": "case-keys", "platform": "ios"})
        number, evidence = shop.charge("case-keys", product=CLUB, order=order)
        shop.report(evidence, "case-keys")
        if not numbers:
            shop.ask("POST", f"/simulator/transactions/{number}/refund", {})
        numbers.append(number)
    return *numbers, shop.read("/payments/appStore/simulated/" + numbers[1])["signed"]


def at_wechat_pay(shop):
    """Orders at WeChat Pay with their numbers: each key with the page to which it leads."""
    order = shop.order_at_wechat_pay("case-keys", reference="SF-KEYS-1")
    story = shop.ask("GET", f"/v1/operator/orders/{order}", key="operator")
    shop.keys["case-keys"] = user_token(shop.folder, "case-keys")
    of_app = shop.ask("POST", "/v1/orders", {
        "productId": "coins.100", "store": "weChatPay", "tradeType": "APP", "platform": "android",
        "reference": "APP-KEYS-1"}, key="case-keys")["id"]
    shop.ask("POST", f"/v1/orders/{order}/refund", {"amount": 100}, **{"Idempotency-Key": "case-keys"})
    refund = shop.wait(lambda: next((one for one in shop.refunds(order) if "storeRefundId" in one), None), "no refund")
    page, payment = f"/orders/{order}", "/payments/weChatPay/simulated/" + shop.transaction(order)
    shop.ask("GET", f"/v1/orders/{order}")
    request = shop.request
    return {
        "order id": (order, page), "order id with spaces and quotes": (f"  “{order}” ", page),
        "merchant's order number": (shop.out_trade_no(order), page), "support code": (story["supportCode"], page),
        "request": (request, page),
        "backend reference": ("SF-KEYS-1", page), "app reference": ("APP-KEYS-1", f"/orders/{of_app}"),
        "WeChat Pay transaction": (shop.transaction(order), payment),
        "delivery": (story["deliveries"][0]["id"], "/deliveries/" + story["deliveries"][0]["id"]),
        # A refund stands on the page of its payment.
        "our refund number": (refund["id"], payment), "WeChat Pay refund number": (refund["storeRefundId"], payment),
    }


def at_app_store(shop):
    """Payments at the App Store with their numbers."""
    # Apple answers for order numbers of production alone; the account keeps its environment.
    shop.ask("PUT", "/simulator/accounts/case-keys", {"environment": "Production"})
    order, transaction = shop.bought("case-keys")
    page = f"/payments/appStore/simulated/{transaction}"
    number = shop.ask("GET", f"/simulator/transactions/{transaction}")["orderId"]
    shop.ask("POST", "/v1/operator/orders/lookup", {"number": number}, key="operator")
    token = str(uuid.uuid4())
    waiting_number, evidence = shop.charge("case-keys", order={"appStore": {"appAccountToken": token}})
    shop.report(evidence)
    first, second, signed = subscribed(shop)
    notification = shop.notification_of(transaction)
    renewed = f"/payments/appStore/simulated/{second}"
    return {
        "App Store order id": (order, f"/orders/{order}"), "App Store transaction": (transaction, page),
        "Apple's order number": (number, page), "token of a payment that waits": (
            token, f"/payments/appStore/simulated/{waiting_number}"),
        "original transaction": (first, "/search", first, second), "line item": (signed["webOrderLineItemId"], renewed),
        "app transaction": (signed["appTransactionId"], "/users/case-keys"),
        "notification": (notification, "/notifications/" + notification), "user": ("case-keys", "/users/case-keys"),
    }, (first, notification)


def each_key(run, origin, shop):
    """Each key leads to its page, or to hits that name it. Returns further pages for the tour."""
    found, (first, notification) = at_app_store(shop)
    for name, (term, page, *hits) in {**at_wechat_pay(shop), **found}.items():
        search(run.driver, origin, term)
        text = main_text(run.driver)
        run.expect(page in run.driver.current_url and "Nothing was found" not in text,
                   f"{name} {term}: at {run.driver.current_url}: {text[:200]}")
        rows = [one.text for one in run.driver.find_elements(By.CSS_SELECTOR, "main table tbody tr")] if hits else []
        for hit in hits:
            run.expect(any(hit in row for row in rows), f"{name} {term}: hits {rows}")
        run.quiet(name)
    return {
        "search-hits": f"{BASE}/search?q={first}", "search-hint": BASE + "/search?q=",
        "subscription": f"{BASE}/subscriptions/{first}?environment=simulated",
        "notification": f"{BASE}/notifications/{notification}?environment=simulated",
    }


def compare_a_day(run, origin):
    """Compares the day before yesterday in Beijing, whose bill is there at any hour. Returns its page."""
    moment = datetime.datetime.now(datetime.timezone(datetime.timedelta(hours=8))) - datetime.timedelta(days=2)
    run.driver.get(origin + BASE + "/reconciliation")
    press_form(run.driver, "Compare now", store="weChatPay", day=f"{moment:%Y-%m-%d}")
    text = main_text(run.driver)
    run.expect("It stands in the audit log." in text and f"{moment:%Y-%m-%d}" in text, f"comparing: {text[:300]}")
    run.quiet("comparing a day")
    return {"reconciled-day": links_of(
        run.driver, origin, BASE + "/reconciliation", f"/reconciliation/weChatPay/{moment:%Y-%m-%d}")[0]}

"""Works in the console with headless Chromium: signs in, finds an order, reads it, sends its delivery again.

Usage: console_in_chromium.py CHROMIUM DRIVER LINK SERVER_PORT SIMULATOR_PORT FOLDER OUTPUT [PICTURES [AXE]]

LINK signs in once. FOLDER: that of `counterfoil-lab run`. OUTPUT: JSON with `wrong`, the failed checks in words, and
`done`, the number of checks that passed. PICTURES: a folder for a picture of each page in both languages. AXE: the file
axe.min.js; with it each page is checked for accessibility.
"""

import base64
import json
import pathlib
import sys
import time
import urllib.request

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.common.virtual_authenticator import VirtualAuthenticatorOptions
from selenium.webdriver.support.wait import WebDriverWait

from cashier_in_chromium import PATIENCE
from wechat_pay_sdk import Findings, Simulator

WIDTHS = (320, 768, 1440)


def browser(chromium, driver, scripts=True):
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "no-first-run"):
        options.add_argument("--" + argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    if not scripts:
        options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
    started = webdriver.Chrome(options, webdriver.ChromeService(driver))
    started.set_page_load_timeout(PATIENCE)
    return started


def resize(driver, width, dark=False):
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})


def loaded(driver, condition):
    # An element of the page before is gone while the next one loads.
    WebDriverWait(driver, PATIENCE, ignored_exceptions=[StaleElementReferenceException]).until(condition)


class Run:
    def __init__(self, driver, findings, pictures, axe):
        self.driver, self.findings, self.pictures, self.axe = driver, findings, pictures, axe

    def expect(self, fact, words):
        self.findings.expect(fact, words)

    def quiet(self, page):
        """No message in the console of the browser: a violation of the policy is one, too."""
        messages = [entry["message"] for entry in self.driver.get_log("browser")
                    if "nothing-here" not in entry["message"]
                    # Chromium advises RS256 beside ES256; passkeys here sign with ES256 alone.
                    and "pubKeyCredParams" not in entry["message"]]
        self.expect(messages == [], f"{page}: {messages}")

    def visit(self, origin, path, name, language):
        driver = self.driver
        driver.get(origin + path)
        page = f"{name} ({language})"
        self.expect(driver.find_element(By.TAG_NAME, "html").get_attribute("lang") == language, f"{page}: language")
        self.expect(len(driver.find_elements(By.TAG_NAME, "h1")) == 1, f"{page}: headings")
        for width in WIDTHS:
            resize(driver, width)
            wider = driver.execute_script("return document.documentElement.scrollWidth - window.innerWidth")
            self.expect(wider <= 0, f"{page}: {wider} px too wide at {width} px")
            if self.pictures and width != 768:
                self.picture(f"{name}-{language}-{width}")
        if self.axe:
            resize(driver, 1440)
            self.accessible(page)
            resize(driver, 1440, dark=True)
            self.accessible(page + " dark")
            if self.pictures and name == "order":
                self.picture(f"{name}-{language}-dark")
            resize(driver, 1440)
        self.quiet(page)

    def picture(self, name):
        shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True})
        (pathlib.Path(self.pictures) / (name + ".png")).write_bytes(base64.b64decode(shot["data"]))

    def accessible(self, page):
        self.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": self.axe})
        result = self.driver.execute_async_script("""
            const done = arguments[arguments.length - 1];
            axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]})
              .then((result) => done(result.violations.map((one) =>
                one.id + ": " + one.nodes.slice(0, 3).map((node) => node.target.join(" ")).join("; "))),
                (error) => done([String(error)]));
            """)
        self.expect(result == [], f"{page}: {result}")


def pages(order):
    base = "/console/app/demo"
    return {
        "overview": base, "search": base + "/search?q=no-such-thing", "orders": base + "/orders",
        "order": f"{base}/orders/{order}", "payments": base + "/payments", "deliveries": base + "/deliveries",
        "needs-attention": base + "/needs-attention", "audit-log": "/console/audit-log",
        "refunds": base + "/refunds", "subscriptions": base + "/subscriptions",
        "reconciliation": base + "/reconciliation", "consumption-requests": base + "/consumption-requests",
        "account": "/console/me", "accounts": "/console/accounts", "not-found": base + "/nothing-here",
    }


def press_form(driver, summary):
    """Opens the form behind a button, states the reason, and sends it."""
    button = next(one for one in driver.find_elements(By.TAG_NAME, "summary") if one.text == summary)
    button.send_keys(Keys.ENTER)
    form = button.find_element(By.XPATH, "..").find_element(By.TAG_NAME, "form")
    form.find_element(By.NAME, "reason").send_keys("ticket 58213 <b>")
    form.find_element(By.CSS_SELECTOR, "button[type=submit]").send_keys(Keys.ENTER)
    loaded(driver, lambda shown: "notice=" in shown.current_url)


def with_a_passkey(run, origin):
    """A new passkey signs in without a link, confirms, and is gone once it is removed."""
    driver = run.driver
    options = VirtualAuthenticatorOptions(
        protocol=VirtualAuthenticatorOptions.Protocol.CTAP2,
        transport=VirtualAuthenticatorOptions.Transport.INTERNAL,
        has_resident_key=True, has_user_verification=True, is_user_verified=True)
    driver.add_virtual_authenticator(options)
    driver.get(origin + "/console/me")
    name = driver.find_element(By.ID, "label")
    name.clear()
    name.send_keys("the tests' key <b>", Keys.ENTER)
    loaded(driver, lambda shown: "the tests' key <b>" in shown.find_element(By.TAG_NAME, "main").text)
    run.expect(len(driver.get_credentials()) == 1, "the authenticator has no passkey")
    run.quiet("adding a passkey")
    next(one for one in driver.find_elements(By.TAG_NAME, "button") if one.text == "Sign out").click()
    loaded(driver, lambda shown: "/console/enter" in shown.current_url)
    for language in ("en", "zh-Hans"):
        run.visit(origin, "/console/enter", "enter", language)
        change_language(driver, language)
    next(one for one in driver.find_elements(By.TAG_NAME, "button") if one.text == "Sign in with a passkey").click()
    loaded(driver, lambda shown: "/console/app/demo" in shown.current_url)
    run.quiet("signing in with a passkey")
    for language in ("en", "zh-Hans"):
        run.visit(origin, "/console/prove?to=/console/me", "prove", language)
        change_language(driver, language)
    next(one for one in driver.find_elements(By.TAG_NAME, "button") if one.text == "Confirm with your passkey").click()
    loaded(driver, lambda shown: shown.current_url.endswith("/console/me"))
    run.expect(driver.get_credentials()[0].sign_count >= 2, "the passkey was not used")
    # A device that does not recognise its holder cannot sign in.
    driver.set_user_verified(False)
    driver.get(origin + "/console/prove?to=/console/me")
    next(one for one in driver.find_elements(By.TAG_NAME, "button") if one.text == "Confirm with your passkey").click()
    loaded(driver, lambda shown: shown.find_element(By.CSS_SELECTOR, "form [role=alert]").text)
    driver.set_user_verified(True)
    driver.remove_virtual_authenticator()
    run.driver.get_log("browser")


def change_language(driver, language):
    other = "中文" if language == "en" else "English"
    next(one for one in driver.find_elements(By.TAG_NAME, "button") if one.text == other).click()
    loaded(driver, lambda shown: shown.find_element(By.TAG_NAME, "html").get_attribute("lang") != language)


def work(run, link, order):
    driver = run.driver
    origin = link.split("/console")[0]
    # The link: the script sends its code, and the address has it no more.
    driver.get(link)
    loaded(driver, lambda shown: "/console/app/demo" in shown.current_url)
    run.expect("#" not in driver.current_url, "the code stands in the address")
    run.quiet("signing in")
    # From anywhere: /, the number, Enter.
    driver.find_element(By.TAG_NAME, "body").send_keys("/")
    field = driver.switch_to.active_element
    run.expect(field.get_attribute("id") == "q", "the key / does not lead to the search field")
    field.send_keys(order, Keys.ENTER)
    loaded(driver, lambda shown: "/orders/" in shown.current_url)
    text = driver.find_element(By.TAG_NAME, "main").text
    run.expect("Tell the customer:" in text and "Paid and granted" in text, f"the order's page says {text[:300]}")
    # The delivery is sent again, by the keyboard alone.
    press_form(driver, "Send again now")
    text = driver.find_element(By.TAG_NAME, "main").text
    run.expect("It stands in the audit log." in text, "the notice is missing")
    run.expect("Delivery sent again by an operator" in text, "the timeline does not tell it")
    run.quiet("sending again")
    for language in ("en", "zh-Hans"):
        for name, path in pages(order).items():
            run.visit(origin, path, name, language)
        driver.get(origin + "/console/app/demo")
        change_language(driver, language)
    with_a_passkey(run, origin)
    driver.get(origin + "/console/audit-log")
    text = driver.find_element(By.TAG_NAME, "main").text
    run.expect("delivery.redrive" in text and "ticket 58213 <b>" in text, f"the audit log says {text[:300]}")
    return origin, driver.get_cookies()


def without_scripts(chromium, driver_path, findings, origin, cookies, order):
    """Search, the order and an action work without a script."""
    driver = browser(chromium, driver_path, scripts=False)
    try:
        driver.get(origin + "/console/enter")
        for cookie in cookies:
            driver.add_cookie({key: cookie[key] for key in ("name", "value", "path", "secure", "httpOnly")})
        driver.get(origin + "/console/app/demo")
        field = driver.find_element(By.ID, "q")
        field.send_keys(order, Keys.ENTER)
        loaded(driver, lambda shown: "/orders/" in shown.current_url)
        press_form(driver, "Send again now")
        findings.expect("It stands in the audit log." in driver.find_element(By.TAG_NAME, "main").text,
                        "nothing was sent again without scripts")
        findings.expect(not any(one.is_displayed() for one in driver.find_elements(By.CLASS_NAME, "copy")),
                        "a button that needs a script is shown without one")
    finally:
        driver.quit()


def paid_order(server, simulator, folder):
    """An order that was paid and granted; nobody has taken its delivery."""
    secret = json.loads((pathlib.Path(folder) / "keys.json").read_text())["secret"]

    def ask(method, path, body=None):
        request = urllib.request.Request(
            f"http://127.0.0.1:{server}{path}", method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": "Bearer " + secret, "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.loads(answer.read())

    order = ask("POST", "/v1/orders", {
        "productId": "coins.100", "store": "weChatPay", "tradeType": "NATIVE", "userId": "carol <b>", "platform": "web",
        "reference": "SF-20261122-000731"})
    Simulator(f"http://127.0.0.1:{simulator}").visit("pay", code_url=order["weChatPay"]["codeUrl"])
    for _ in range(100):
        if ask("GET", f"/v1/orders/{order['id']}?wait=10")["state"] == "paid":
            return order["id"]
        time.sleep(0.1)
    raise TimeoutError("the order was not paid")


def main(chromium, driver_path, link, server, simulator, folder, output, pictures=None, axe=None):
    findings = Findings()
    order = paid_order(server, simulator, folder)
    driver = browser(chromium, driver_path)
    try:
        run = Run(driver, findings, pictures, pathlib.Path(axe).read_text() if axe else None)
        origin, cookies = work(run, link, order)
        without_scripts(chromium, driver_path, findings, origin, cookies, order)
    finally:
        driver.quit()
    pathlib.Path(output).write_text(json.dumps({"wrong": findings.wrong, "done": findings.done}))


if __name__ == "__main__":
    main(*sys.argv[1:])

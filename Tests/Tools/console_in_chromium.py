"""Works in the console with headless Chromium: signs in, finds an order, reads it, sends its delivery again.

Usage: console_in_chromium.py CHROMIUM DRIVER LINK SERVER_PORT SIMULATOR_PORT FOLDER OUTPUT [PICTURES]

LINK signs in once. FOLDER: that of `counterfoil-lab run`. OUTPUT: JSON with `wrong`, the failed checks in words, and
`done`, the number of checks that passed. PICTURES: a folder for a picture of each page in both languages.

Each page is checked with axe-core, which the package axe-playwright-python brings along; its Python code is not used.
"""

import base64
import importlib.util
import json
import pathlib
import sys

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.common.virtual_authenticator import VirtualAuthenticatorOptions
from selenium.webdriver.support.wait import WebDriverWait

import console_cases
from cashier_in_chromium import PATIENCE
from wechat_pay_sdk import Findings

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
    def __init__(self, driver, findings, pictures):
        self.driver, self.findings, self.pictures = driver, findings, pictures
        package = importlib.util.find_spec("axe_playwright_python").submodule_search_locations[0]
        self.axe = (pathlib.Path(package) / "axe.min.js").read_text()

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
        resize(driver, 1440)
        self.accessible(page)
        if language == "en":
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
        "complaints": base + "/complaints?state=all", "users": base + "/users", "products": base + "/products",
        "endpoints": base + "/endpoints", "notifications": base + "/notifications", "health": base + "/health",
        "bills": base + "/bills", "reports": base + "/reports", "extensions": base + "/extensions",
        "user": base + "/users/case-complained", "account": "/console/me", "accounts": "/console/accounts", "not-found": base + "/nothing-here",
    }


def links_of(driver, origin, path, part):
    """The addresses on a page that have that part, without the origin."""
    driver.get(origin + path)
    links = [one.get_attribute("href") for one in driver.find_elements(By.CSS_SELECTOR, "main a")]
    return [link[len(origin):] for link in links if link and part in link]


def with_the_simulator(run, simulator):
    """The page of the simulator: buys, complains twice, withdraws, and plays a scenario; no script is there."""
    origin, driver = f"http://localhost:{simulator}", run.driver
    for language in ("en", "zh-Hans"):
        run.visit(origin, "/simulator/page?language=" + language, "simulator", language)
    driver.get(origin + "/simulator/page?language=en")

    def press(words, place=0):
        shown = driver.find_element(By.TAG_NAME, "main")
        [one for one in driver.find_elements(By.CSS_SELECTOR, "button") if one.text == words][place].click()
        loaded(driver, lambda _: is_gone(shown))
        return driver.find_element(By.CSS_SELECTOR, "[role=status]").text

    for words, place, said in (
            ("Do it", 0, "reported"), ("Buy", 0, "ordered"), ("Complain", 0, "complaint"), ("Complain again", 0, "again"),
            ("Withdraw", 0, "withdraw"), ("Move", 0, "WeChat Pay"), ("Plan", 0, "faults"),
            ("Forget all faults", 0, "api-faults"), ("Play", 0, "Kept:")):
        text = press(words, place)
        run.expect(said in text, f"the simulator's page: {words}: {text[:300]}")
    run.quiet("the simulator's page")


def is_gone(element):
    try:
        element.is_enabled()
        return False
    except WebDriverException:  # It is stale, or its page is just going.
        return True


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


def work(run, link, order, places):
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
    console_cases.play(run, origin, *places, loaded)
    shown = pages(order)
    for name, part in (("complaints", "/complaints/2"), ("payments", "/payments/"), ("deliveries", "/deliveries/")):
        shown[name[:-1]] = links_of(driver, origin, shown[name], part)[0]
    for language in ("en", "zh-Hans"):
        for name, path in shown.items():
            run.visit(origin, path, name, language)
        driver.get(origin + "/console/app/demo")
        change_language(driver, language)
    with_a_passkey(run, origin)
    with_the_simulator(run, places[1])
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


def main(chromium, driver_path, link, server, simulator, folder, output, pictures=None):
    findings = Findings()
    order = console_cases.Shop(server, simulator, folder).order_at_wechat_pay("carol <b>", reference="SF-20261122-000731")
    driver = browser(chromium, driver_path)
    try:
        run = Run(driver, findings, pictures)
        origin, cookies = work(run, link, order, (server, simulator, folder))
        without_scripts(chromium, driver_path, findings, origin, cookies, order)
    finally:
        driver.quit()
    pathlib.Path(output).write_text(json.dumps({"wrong": findings.wrong, "done": findings.done}))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Works in the console with headless Chromium: signs in, finds orders, acts on them, alone and with a second person.

Usage: console_in_chromium.py CHROMIUM DRIVER LINK SECOND_LINK SERVER_PORT SIMULATOR_PORT FOLDER OUTPUT [PICTURES]

LINK and SECOND_LINK sign two operators in, once each: those of `counterfoil-lab run --approvals`. FOLDER: that of this
server. OUTPUT: JSON with `wrong`, the failed checks in words, `done`, the number of checks that passed, and `scenes`,
that number for each part of the run. PICTURES: a folder for a picture of each page in both languages.
"""

import json
import pathlib
import sys

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.common.virtual_authenticator import VirtualAuthenticatorOptions

import console_cases
import console_keyboard
import console_scenes
from console_browser import Run, browser, button, change_language, left, links_of, loaded, main_text, press_form, search
from wechat_pay_sdk import Findings


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
        "user": base + "/users/case-complained", "account": "/console/me", "accounts": "/console/accounts",
        "not-found": base + "/nothing-here",
    }


def sign_in(run, link, order):
    """The link: the script sends its code, and the address has it no more. Then the first order is sent again."""
    driver = run.driver
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
    text = main_text(driver)
    run.expect("Tell the customer:" in text and "Paid and granted" in text, f"the order's page says {text[:300]}")
    press_form(driver, "Send again now")
    text = main_text(driver)
    run.expect("It stands in the audit log." in text, "the notice is missing")
    run.expect("Delivery sent again by an operator" in text, "the timeline does not tell it")
    run.quiet("sending again")


def tour(run, origin, shown):
    """Each page in both languages."""
    base = "/console/app/demo"
    # The complaint is one that is still open, with its buttons.
    for name, path, part in (
            ("complaint", "/complaints", "/complaints/2"), ("payment", "/payments", "/payments/"),
            ("delivery", "/deliveries", "/deliveries/")):
        shown[name] = links_of(run.driver, origin, base + path, part)[0]
    for language in console_scenes.LANGUAGES:
        for name, path in shown.items():
            run.visit(origin, path, name, language)
        run.driver.get(origin + "/console/app/demo")
        change_language(run.driver, language)


def with_the_simulator(run, simulator):
    """The page of the simulator: buys, complains twice, withdraws, and plays a scenario; no script is there."""
    origin, driver = f"http://localhost:{simulator}", run.driver
    for language in ("en", "zh-Hans"):
        run.visit(origin, "/simulator/page?language=" + language, "simulator", language)
    driver.get(origin + "/simulator/page?language=en")

    def press(words, place=0):
        shown = driver.find_element(By.TAG_NAME, "main")
        [one for one in driver.find_elements(By.CSS_SELECTOR, "button") if one.text == words][place].click()
        left(driver, shown)
        return driver.find_element(By.CSS_SELECTOR, "[role=status]").text

    for words, place, said in (
            ("Do it", 0, "reported"), ("Buy", 0, "ordered"), ("Complain", 0, "complaint"),
            ("Complain again", 0, "again"), ("Withdraw", 0, "withdraw"), ("Move", 0, "WeChat Pay"),
            ("Plan", 0, "faults"), ("Forget all faults", 0, "api-faults"), ("Play", 0, "Kept:")):
        text = press(words, place)
        run.expect(said in text, f"the simulator's page: {words}: {text[:300]}")
    run.quiet("the simulator's page")


def with_a_passkey(run, origin, order):
    """A new passkey signs in without a link, confirms, and is gone once it is removed. By keys alone, where it acts."""
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
    loaded(driver, lambda shown: "the tests' key <b>" in main_text(shown))
    run.expect(len(driver.get_credentials()) == 1, "the authenticator has no passkey")
    run.quiet("adding a passkey")
    button(driver, "Sign out").click()
    loaded(driver, lambda shown: "/console/enter" in shown.current_url)
    for language in ("en", "zh-Hans"):
        run.visit(origin, "/console/enter", "enter", language)
        change_language(driver, language)
    with run.scene("keyboard"):
        console_keyboard.sign_in(run)
        console_keyboard.send_again(run, order)
        console_keyboard.shortcuts(run, origin, order)
        console_keyboard.change_theme(run)
    for language in ("en", "zh-Hans"):
        run.visit(origin, "/console/prove?to=/console/me", "prove", language)
        change_language(driver, language)
    button(driver, "Confirm with your passkey").click()
    loaded(driver, lambda shown: shown.current_url.endswith("/console/me"))
    run.expect(driver.get_credentials()[0].sign_count >= 2, "the passkey was not used")
    # A device that does not recognise its holder cannot sign in.
    driver.set_user_verified(False)
    driver.get(origin + "/console/prove?to=/console/me")
    button(driver, "Confirm with your passkey").click()
    loaded(driver, lambda shown: shown.find_element(By.CSS_SELECTOR, "form [role=alert]").text)
    driver.set_user_verified(True)
    driver.remove_virtual_authenticator()
    run.driver.get_log("browser")


def sign_in_without_scripts(run, origin, link):
    """The code of the link is pasted into the form."""
    run.driver.get(origin + "/console/enter")
    field = run.driver.find_element(By.ID, "code")
    field.send_keys(link.split("#")[1], Keys.ENTER)
    left(run.driver, field)
    run.expect("/console/app/demo" in run.driver.current_url, f"without scripts: at {run.driver.current_url}")


def without_scripts(run, origin, shown, order):
    """Each page opens, and search, the order and an action work."""
    driver = run.driver
    for name, path in shown.items():
        driver.get(origin + path)
        headings = driver.find_elements(By.TAG_NAME, "h1")
        run.expect(len(headings) == 1 and headings[0].is_displayed(), f"{name} without scripts: headings")
        # The script of the console adds this to each page.
        run.expect(driver.find_elements(By.CSS_SELECTOR, ".sr[role=status]") == [], f"{name}: a script ran")
        run.expect(not any(one.is_displayed() for one in driver.find_elements(By.CSS_SELECTOR, "button.copy")),
                   f"{name}: a button that needs a script is shown without one")
    search(driver, origin, order)
    press_form(driver, "Send again now")
    run.expect("It stands in the audit log." in main_text(driver), "nothing was sent again without scripts")


def work(run, plain, second, links, shop, order):
    """`plain` is a browser without scripts, and `second` another one of the same operator, with them."""
    origin, shown = links[0].split("/console")[0], pages(order)
    # Without these nothing else can be tried: they end the run.
    sign_in(run, links[0], order)
    sign_in_without_scripts(plain, origin, links[1])
    second.driver.get(origin + "/console/enter")
    for cookie in plain.driver.get_cookies():
        second.driver.add_cookie({key: cookie[key] for key in ("name", "value", "path", "secure", "httpOnly")})
    with run.scene("cases"):
        console_cases.play(run, origin, shop)
    with run.scene("second person"):
        console_scenes.refund_with_a_second_person(run, second, origin, shop)
    with run.scene("claim"):
        console_scenes.claim(run, origin, shop)
    with run.scene("complaint"):
        console_scenes.answer_a_complaint(run, origin, shop)
    with run.scene("keys"):
        shown.update(console_scenes.each_key(run, origin, shop))
    with run.scene("compared day"):
        shown.update(console_scenes.compare_a_day(run, origin))
    with run.scene("pages"):
        tour(run, origin, shown)
    with run.scene("passkey"):
        with_a_passkey(run, origin, order)
    with run.scene("no script"):
        without_scripts(plain, origin, shown, order)
    with run.scene("simulator"):
        with_the_simulator(run, shop.simulator.split(":")[-1])
    run.driver.get(origin + "/console/audit-log")
    text = main_text(run.driver)
    run.expect("delivery.redrive" in text and "ticket 58213 <b>" in text, f"the audit log says {text[:300]}")


def main(chromium, driver_path, link, second_link, server, simulator, folder, output, pictures=None):
    findings, drivers = Findings(), []
    shop = console_cases.Shop(server, simulator, folder)
    order = shop.order_at_wechat_pay("carol <b>", reference="SF-20261122-000731")
    try:
        for scripts in (True, False, True):
            drivers.append(browser(chromium, driver_path, scripts=scripts))
        run = Run(drivers[0], findings, pictures, {})
        work(run, run.beside(drivers[1]), run.beside(drivers[2]), (link, second_link), shop, order)
    finally:
        for driver in drivers:
            driver.quit()
    pathlib.Path(output).write_text(
        json.dumps({"wrong": findings.wrong, "done": findings.done, "scenes": run.scenes}))


if __name__ == "__main__":
    main(*sys.argv[1:])

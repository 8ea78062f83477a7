"""The console by keys alone: Tab, Enter, Space and typed text, as somebody works who has no mouse.

No element is given to the driver: each key goes to what has the focus, and the focus is read from the page.
"""

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from console_browser import loaded, main_text, resize

# More stops than any page has before its content ends.
STOPS_MAX = 90

FOCUS = """
    const one = document.activeElement;
    const style = getComputedStyle(one), box = one.getBoundingClientRect();
    const name = one.labels?.[0]?.textContent ?? one.getAttribute("aria-label") ?? one.textContent;
    return {
      tag: one.tagName.toLowerCase(), id: one.id, name: name.trim(),
      outlined: one.matches(":focus-visible") && style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
      shown: box.width > 0 && box.right > 0 && box.left < innerWidth && box.bottom > 0 && box.top < innerHeight,
    };
    """


class Keyboard:
    def __init__(self, run):
        self.run, self.driver = run, run.driver

    def press(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def focus(self):
        return self.driver.execute_script(FOCUS)

    def tab_to(self, tag, name):
        """Presses Tab until that has the focus. Each stop on the way is visible and has an outline."""
        passed = []
        for _ in range(STOPS_MAX):
            self.press(Keys.TAB)
            at = self.focus()
            if at["tag"] == "body":  # The browser's own parts come between the last element and the first.
                continue
            stop = f"{at['tag']} {at['name'][:40]}"
            self.run.expect(at["outlined"] and at["shown"], f"the keyboard at {stop}: {at}")
            if (at["tag"], at["name"]) == (tag, name):
                return
            passed.append(stop)
        raise TimeoutError(f"Tab does not lead to {tag} {name}, only to {passed}")

    def skip_to_content(self):
        self.tab_to("a", "Skip to content")
        self.press(Keys.ENTER)
        self.run.expect(self.focus()["id"] == "content", "the first link does not skip to the content")


def sign_in(run):
    """On the sign-in page, with a passkey of this browser."""
    keyboard = Keyboard(run)
    keyboard.tab_to("button", "Sign in with a passkey")
    keyboard.press(Keys.ENTER)
    loaded(run.driver, lambda shown: "/console/app/demo" in shown.current_url)
    run.quiet("signing in with a passkey")


def send_again(run, order):
    """From the overview: finds the order, reads it, and sends its delivery again."""
    keyboard = Keyboard(run)
    keyboard.tab_to("input", "Search by any number")
    keyboard.press(order, Keys.ENTER)
    loaded(run.driver, lambda shown: "/orders/" in shown.current_url)
    keyboard.skip_to_content()
    keyboard.tab_to("summary", "Send again now")
    keyboard.press(Keys.SPACE)
    keyboard.tab_to("textarea", "Reason")
    keyboard.press("by keys alone")
    keyboard.tab_to("button", "Send again now")
    keyboard.press(Keys.SPACE)
    loaded(run.driver, lambda shown: "notice=" in shown.current_url)
    run.expect("It stands in the audit log." in main_text(run.driver), "sending again by keys has no notice")
    run.quiet("sending again by keys")


def at(run, ending):
    """Waits for the page with that ending of its address."""
    loaded(run.driver, lambda shown: shown.current_url.split("?")[0].endswith(ending))


def key_list(run, keyboard):
    """The dialog of all keys: it opens with ?, is accessible, and Escape closes it."""
    dialog = run.driver.find_element(By.ID, "keys")
    run.expect(not dialog.is_displayed(), "the list of the keys is open")
    keyboard.press("?")
    run.expect(dialog.is_displayed() and "g" in dialog.text, "? does not open the list of the keys")
    run.accessible("the list of the keys")
    run.fits("the list of the keys", 320)
    resize(run.driver, 1440)
    keyboard.press("j")
    run.expect(dialog.is_displayed(), "a key acts behind the list of the keys")
    keyboard.press(Keys.ESCAPE)
    run.expect(not dialog.is_displayed(), "Escape does not close the list of the keys")


def shortcuts(run, origin, order):
    """Single keys: where they lead, what they open, and where they do nothing."""
    keyboard, driver, base = Keyboard(run), run.driver, "/console/app/demo"
    driver.get(origin + base)
    key_list(run, keyboard)
    for second, ending in (("q", "/needs-attention"), ("d", "/deliveries"), ("a", "/audit-log")):
        keyboard.press("g", second)
        at(run, ending)
        driver.get(origin + base)
    keyboard.press("g", "o")
    at(run, "/orders")
    names = []
    for key in ("j", "j", "k"):
        keyboard.press(key)
        focus = keyboard.focus()
        run.expect(focus["tag"] == "a" and focus["outlined"] and focus["shown"], f"the key {key} leads to {focus}")
        names.append(focus["name"])
    run.expect(names[0] == names[2] != names[1], f"j, j and k lead to {names}")
    keyboard.press(Keys.ENTER)
    loaded(driver, lambda shown: "/orders/" in shown.current_url)
    driver.get(f"{origin}{base}/orders/{order}")
    page = driver.current_url
    keyboard.press("c")
    # A browser without a clipboard says the number itself.
    loaded(driver, lambda shown: shown.find_element(By.CSS_SELECTOR, ".sr[role=status]").get_attribute("textContent"))
    keyboard.press("r")
    run.expect(keyboard.focus()["tag"] in ("textarea", "input"), f"the key r leads to {keyboard.focus()}")
    keyboard.press("go?/r")
    typed = driver.execute_script("return document.activeElement.value")
    run.expect(typed.endswith("go?/r") and driver.current_url == page, f"keys act while typing: {typed}")
    run.quiet("single keys")
    switched_off(run, keyboard, origin)


def switched_off(run, keyboard, origin):
    """My account switches single keys off, and on again."""
    driver = run.driver
    driver.get(origin + "/console/me")
    switch = driver.find_element(By.CSS_SELECTOR, "[data-keys=switch]")
    before = switch.text
    switch.click()
    run.expect(switch.text != before, "the switch of the keys does not say how it stands")
    driver.get(origin + "/console/app/demo")
    keyboard.press("?", "g", "o")
    run.expect(not driver.find_element(By.ID, "keys").is_displayed(), "a key acts that is switched off")
    run.expect(driver.current_url.endswith("/console/app/demo"), "a key leads elsewhere that is switched off")
    driver.get(origin + "/console/me")
    driver.find_element(By.CSS_SELECTOR, "[data-keys=switch]").click()
    keyboard.press("?")
    run.expect(driver.find_element(By.ID, "keys").is_displayed(), "the keys are not on again")
    keyboard.press(Keys.ESCAPE)


def change_theme(run):
    """The button for the theme, and back. Afterwards the browser's wish counts again."""
    keyboard = Keyboard(run)
    keyboard.tab_to("button", "Theme")
    root = run.driver.find_element(By.TAG_NAME, "html")
    for theme in ("dark", "light"):
        keyboard.press(Keys.ENTER)
        run.expect(root.get_attribute("data-theme") == theme, f"the button does not make the theme {theme}")
        run.accessible(f"the {theme} theme by its button")
    run.driver.execute_script("localStorage.removeItem('theme'); delete document.documentElement.dataset.theme;")

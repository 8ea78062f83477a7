"""The console by keys alone: Tab, Enter, Space and typed text, as somebody works who has no mouse.

No element is given to the driver: each key goes to what has the focus, and the focus is read from the page.
"""

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from console_browser import loaded, main_text

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

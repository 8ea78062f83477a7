"""Headless Chromium for the console: opens pages, fills in forms, and checks what a page must be for everybody.

Each page is checked with axe-core, which the package axe-playwright-python brings along; its Python code is not used.
"""

import base64
import contextlib
import importlib.util
import pathlib

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select
from selenium.webdriver.support.wait import WebDriverWait

from cashier_in_chromium import PATIENCE

WIDTHS = (320, 768, 1440)
# A finger needs some pixels between two buttons.
BUTTON_GAP = 4
# The pairs of buttons that are nearer to each other than that.
# A closed `details` keeps the boxes of what it hides.
TOUCHING = """
    const shown = [...document.querySelectorAll("main .button")].filter((one) => one.checkVisibility())
      .map((one) => [one, one.getBoundingClientRect()]);
    const gap = (a, b) => Math.max(a.left - b.right, b.left - a.right, a.top - b.bottom, b.top - a.bottom);
    return shown.flatMap(([one, box], index) => shown.slice(index + 1).filter(([, other]) => gap(box, other) <
      arguments[0]).map(([other]) => one.textContent.trim() + " | " + other.textContent.trim()));
    """
# The pages of which there is a picture in the dark theme, too.
DARK = ("overview", "order", "payment", "needs-attention")


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


def is_gone(element):
    try:
        element.is_enabled()
        return False
    except WebDriverException:  # It is stale, or its page is just going.
        return True


def main_text(driver):
    return driver.find_element(By.TAG_NAME, "main").text


def left(driver, element):
    """Waits until the page of that element is gone and the next one is there."""
    loaded(driver, lambda shown: is_gone(element) and shown.find_elements(By.TAG_NAME, "main"))


def button(driver, words):
    return next(one for one in driver.find_elements(By.TAG_NAME, "button") if one.text == words)


def open_form(driver, summary):
    """Opens the form behind a button of the page, and returns it."""
    opener = next(one for one in driver.find_elements(By.TAG_NAME, "summary") if one.text == summary)
    opener.send_keys(Keys.ENTER)
    return opener.find_element(By.XPATH, "..").find_element(By.TAG_NAME, "form")


def press_form(driver, summary, **fields):
    """Opens the form behind a button, fills it in, states the reason, and sends it."""
    form = open_form(driver, summary)
    for name, value in fields.items():
        field = form.find_element(By.NAME, name)
        if field.tag_name == "select":
            Select(field).select_by_value(value)
        else:
            field.clear()
            field.send_keys(value)
    form.find_element(By.NAME, "reason").send_keys("ticket 58213 <b>")
    form.find_element(By.CSS_SELECTOR, "button[type=submit]").send_keys(Keys.ENTER)
    left(driver, form)


def search(driver, origin, term):
    """Types the term into the search box and presses Enter."""
    driver.get(origin + "/console/app/demo")
    field = driver.find_element(By.ID, "q")
    field.send_keys(term, Keys.ENTER)
    left(driver, field)


def change_language(driver, language):
    """Presses the button for the other language than that."""
    button(driver, "中文" if language == "en" else "English").click()
    loaded(driver, lambda shown: shown.find_element(By.TAG_NAME, "html").get_attribute("lang") != language)


def links_of(driver, origin, path, part):
    """The addresses on a page that have that part, without the origin."""
    driver.get(origin + path)
    links = [one.get_attribute("href") for one in driver.find_elements(By.CSS_SELECTOR, "main a")]
    return [link[len(origin):] for link in links if link and part in link]


class Run:
    """One operator's browser, and what was found."""

    def __init__(self, driver, findings, pictures, scenes):
        self.driver, self.findings, self.pictures, self.scenes = driver, findings, pictures, scenes
        package = importlib.util.find_spec("axe_playwright_python").submodule_search_locations[0]
        self.axe = (pathlib.Path(package) / "axe.min.js").read_text()

    def beside(self, driver):
        """The same in another browser."""
        return Run(driver, self.findings, self.pictures, self.scenes)

    def expect(self, fact, words):
        self.findings.expect(fact, words)

    @contextlib.contextmanager
    def scene(self, name):
        """Counts the checks that pass in a part of the run. If one part cannot go on, the next ones are tried."""
        before = self.findings.done
        try:
            yield
        except Exception as error:  # Whatever ends a scene is a finding.
            self.expect(False, f"{name}: it did not end: {error!r} at {self.driver.current_url}"[:1000])
        self.scenes[name] = self.scenes.get(name, 0) + self.findings.done - before

    def quiet(self, page, status=None):
        """No message in the console of the browser: a violation of the policy is one, too.

        The status of a page of an error is one, too, and is expected.
        """
        messages = [entry["message"] for entry in self.driver.get_log("browser")
                    if "nothing-here" not in entry["message"]
                    and not (status and f"a status of {status}" in entry["message"])
                    # Chromium advises RS256 beside ES256; passkeys here sign with ES256 alone.
                    and "pubKeyCredParams" not in entry["message"]]
        self.expect(messages == [], f"{page}: {messages}")

    def visit(self, origin, path, name, language):
        self.driver.get(origin + path)
        self.look(name, language)

    def look(self, name, language, status=None):
        """Checks the page that is open: language, heading, widths, axe in both themes, and its forms once open."""
        driver = self.driver
        page = f"{name} ({language})"
        self.expect(driver.find_element(By.TAG_NAME, "html").get_attribute("lang") == language, f"{page}: language")
        self.expect(len(driver.find_elements(By.TAG_NAME, "h1")) == 1, f"{page}: headings")
        for width in WIDTHS:
            self.fits(page, width)
            if width != 768:
                self.picture(f"{name}-{language}-{width}")
        self.themes(name, page, language)
        if driver.find_elements(By.CSS_SELECTOR, "details.act"):
            driver.execute_script("for (const one of document.querySelectorAll('details')) one.open = true;")
            self.fits(page + " with its forms open", 320)
            self.picture(f"{name}-forms-{language}-320")
            resize(driver, 1440)
            self.accessible(page + " with its forms open")
        self.quiet(page, status)

    def fits(self, page, width):
        resize(self.driver, width)
        wider = self.driver.execute_script("return document.documentElement.scrollWidth - window.innerWidth")
        self.expect(wider <= 0, f"{page}: {wider} px too wide at {width} px")
        touching = self.driver.execute_script(TOUCHING, BUTTON_GAP)
        self.expect(touching == [], f"{page}: buttons touch at {width} px: {touching[:3]}")

    def themes(self, name, page, language):
        resize(self.driver, 1440)
        self.accessible(page)
        if language == "en":
            resize(self.driver, 1440, dark=True)
            self.accessible(page + " dark")
            if name in DARK:
                self.picture(f"{name}-{language}-dark")
            resize(self.driver, 1440)

    def picture(self, name):
        if not self.pictures:
            return
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

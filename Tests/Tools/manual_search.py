"""Searches the built site of the manual in headless Chromium, in English and in Chinese.

Usage: manual_search.py CHROMIUM DRIVER FOLDER COUNT OUTPUT

CHROMIUM, DRIVER: the browser and its chromedriver, of one release.
FOLDER: the built site; it is served on this machine. The browser reaches nothing else.
COUNT: how many of the searches are made.
OUTPUT: JSON with `wrong`, the failed checks in words, and `done`, the number of checks that passed.
"""

import functools
import http.server
import json
import pathlib
import sys
import threading

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from served_site import Findings

PATIENCE = 60  # seconds for one page; reaching it is a failed test
SEARCHES = [
    ("README.zh-CN.html", "退款", "退款", ".zh-CN.html"),
    ("index.html", "refund", "Refund", ".html"),
    ("index.html", "reverse proxy", "Reverse", "proxies.html"),
    ("README.zh-CN.html", "支付授权目录", "目录", "before-wechat-pay.zh-CN.html"),
]


class Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def search(driver, address, words):
    """The text and the addresses of the first results."""
    driver.get(address)
    field = driver.find_element(By.CSS_SELECTOR, "input.md-search__input")
    driver.execute_script("arguments[0].focus()", field)
    field.send_keys(words)
    found = lambda one: one.find_elements(By.CSS_SELECTOR, ".md-search-result__link")
    WebDriverWait(driver, PATIENCE).until(found)
    results = found(driver)[:20]
    return [one.get_attribute("textContent") for one in results], [one.get_attribute("href") for one in results]


def main(chromium, chromedriver, folder, count, output):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Silent, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "no-first-run",
                     "host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"):
        options.add_argument("--" + argument)
    findings = Findings()
    driver = webdriver.Chrome(options, webdriver.ChromeService(chromedriver))
    try:
        driver.set_page_load_timeout(PATIENCE)
        for page, words, shown, place in SEARCHES[:int(count)]:
            texts, places = search(driver, f"http://127.0.0.1:{server.server_port}/{page}", words)
            findings.expect(any(shown.lower() in text.lower() for text in texts), f"{words}: found {texts}"[:600])
            findings.expect(any(one.split("?")[0].split("#")[0].endswith(place) for one in places),
                            f"{words}: found {places}"[:600])
    finally:
        driver.quit()
    pathlib.Path(output).write_text(json.dumps({"wrong": findings.wrong, "done": findings.done}, ensure_ascii=False))


if __name__ == "__main__":
    main(*sys.argv[1:])

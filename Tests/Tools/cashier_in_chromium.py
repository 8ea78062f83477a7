"""Uses the cashier pages of the simulated WeChat Pay in headless Chromium as a person does: open, cancel, leave, pay.

Usage: cashier_in_chromium.py CHROMIUM DRIVER PORT OUTPUT

CHROMIUM, DRIVER: the browser and its chromedriver, of one release. Selenium uses them, and downloads neither.
PORT: the port of the simulator on this machine.
OUTPUT: JSON with `wrong`, the failed checks in words, and `done`, the number of checks that passed.
"""

import json
import pathlib
import sys

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait
from wechatpayv3 import WeChatPay, WeChatPayType, core

from wechat_pay_sdk import APPID, MERCHANT, Elsewhere, Findings, Simulator

PATIENCE = 60  # seconds for one page; reaching it is a failed test


class Browser:
    """What a person sees and presses. Every step has a limit; the test that runs this script limits the whole."""

    def __init__(self, chromium, driver):
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        for argument in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "no-first-run"):
            options.add_argument("--" + argument)
        self.driver = webdriver.Chrome(options, webdriver.ChromeService(driver))
        self.driver.set_page_load_timeout(PATIENCE)
        self.driver.set_script_timeout(PATIENCE)

    def open(self, address):
        self.driver.get(address)

    def paste(self, text):
        self.driver.find_element(By.TAG_NAME, "input").send_keys(text)

    def press(self, words):
        """Presses the button with these words, and returns when the next page has loaded."""
        self.driver.execute_script("window.isPressed = true")
        buttons = self.driver.find_elements(By.TAG_NAME, "button")
        next(button for button in buttons if words in button.text).click()
        # Between two pages Chromium answers with errors of several kinds; each means that the page is not ready.
        wait = WebDriverWait(self.driver, PATIENCE, ignored_exceptions=[WebDriverException])
        wait.until(lambda driver: driver.execute_script(
            "return window.isPressed !== true && document.readyState === 'complete'"))

    def text(self):
        return self.driver.find_element(By.TAG_NAME, "body").text

    def address(self):
        return self.driver.current_url

    def end(self):
        self.driver.quit()


def state(sdk, number):
    return json.loads(sdk.query(out_trade_no=number)[1])["trade_state"]


def native(findings, browser, sdk, base):
    """The payer pastes the code into the cashier, leaves, returns, cancels, returns, and pays."""
    code, text = sdk.pay("钻石 <b>x60</b>", "BROWSERNATIVE1", {"total": 600, "currency": "CNY"}, pay_type=WeChatPayType.NATIVE)
    link = json.loads(text)["code_url"]
    for words, told, ends in (("Leave without paying", "Left without paying.", "NOTPAY"), ("取消", "已取消", "NOTPAY"),
                              ("Pay", "支付成功", "SUCCESS")):
        browser.open(base + "/cashier")
        browser.paste(link)
        browser.press("Open")
        shown = browser.text()
        findings.expect("¥6.00" in shown and "钻石 <b>x60</b>" in shown, f"the cashier shows {shown}")
        findings.expect(state(sdk, "BROWSERNATIVE1") == "NOTPAY", "paid before anybody pressed a button")
        browser.press(words)
        findings.expect(told in browser.text(), f"{words}: {browser.text()}")
        findings.expect(state(sdk, "BROWSERNATIVE1") == ends, f"{words}: {state(sdk, 'BROWSERNATIVE1')}")
    browser.open(base + "/cashier")
    browser.paste(link)
    browser.press("打开")
    findings.expect("The order is paid." in browser.text(), f"paid twice: {browser.text()}")


def h5(findings, browser, sdk, base):
    """The browser comes from the shop's page and returns to it, which proves nothing about the payment."""
    scene = {"payer_client_ip": "203.0.113.7", "h5_info": {"type": "Wap"}}
    back = base + "/simulator/wechat-pay/clock"
    for number, words, ends in (("BROWSERH5PAID1", "支付", "SUCCESS"), ("BROWSERH5GONE1", "Cancel", "NOTPAY")):
        code, text = sdk.pay("会员", number, {"total": 1, "currency": "CNY"}, scene_info=scene, pay_type=WeChatPayType.H5)
        link = json.loads(text)["h5_url"]
        browser.open(link + "&redirect_url=" + back.replace(":", "%3A").replace("/", "%2F"))
        browser.press(words)
        findings.expect(browser.address() == back, f"{words}: it is at {browser.address()}")
        findings.expect(state(sdk, number) == ends, f"{words}: {state(sdk, number)}")


def main(chromium, driver, port, output):
    base = f"http://127.0.0.1:{port}"
    core.requests = Elsewhere(base)
    findings, simulator = Findings(), Simulator(base)
    kit = simulator.call("POST", f"/merchants/{MERCHANT}/kit", {"appids": [APPID]})
    keys = simulator.call("GET", "/keys")
    sdk = WeChatPay(wechatpay_type=WeChatPayType.NATIVE, mchid=MERCHANT, private_key=kit["testPrivateKey"],
                    cert_serial_no=kit["certificateSerial"], appid=APPID, apiv3_key=kit["testAPIv3Key"],
                    notify_url="https://shop.example.com/notify", public_key=keys["publicKey"],
                    public_key_id=keys["publicKeyId"])
    browser = Browser(chromium, driver)
    try:
        native(findings, browser, sdk, base)
        h5(findings, browser, sdk, base)
    finally:
        browser.end()
    pathlib.Path(output).write_text(json.dumps({"wrong": findings.wrong, "done": findings.done}, ensure_ascii=False))


if __name__ == "__main__":
    main(*sys.argv[1:])

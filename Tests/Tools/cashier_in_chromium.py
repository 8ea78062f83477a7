"""A person at the cashier's pages of the simulated WeChat Pay, played in headless Chromium: opens, cancels, leaves, pays.

Usage: cashier_in_chromium.py CHROMIUM PORT OUTPUT

PORT: where the simulator listens on this machine.
OUTPUT: JSON with `wrong`, what did not come out as it must, in words, and `done`, how many checks held.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

from wechatpayv3 import WeChatPay, WeChatPayType, core

from wechat_pay_sdk import APPID, MERCHANT, Elsewhere, Findings, Simulator


class Browser:
    """Chromium by its own protocol over a pair of pipes: JSON, each message ended by a zero byte."""

    def __init__(self, program, folder):
        from_us, to_browser = os.pipe()
        from_browser, to_us = os.pipe()
        command = (f'exec "$0" --headless=new --no-sandbox --disable-gpu --no-first-run --remote-debugging-pipe '
                   f'--user-data-dir="$1" about:blank 3<&{from_us} 4>&{to_us}')
        self.process = subprocess.Popen(["/bin/sh", "-c", command, program, folder], pass_fds=(from_us, to_us),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(from_us)
        os.close(to_us)
        self.out = os.fdopen(to_browser, "wb")
        self.into = os.fdopen(from_browser, "rb")
        self.last = 0
        self.session = None
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")

    def message(self):
        text = bytearray()
        while (byte := self.into.read(1)) != b"\0":
            if not byte:
                raise RuntimeError("Chromium has ended")
            text += byte
        return json.loads(text)

    def call(self, method, **parameters):
        self.last += 1
        sent = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            sent["sessionId"] = self.session
        self.out.write(json.dumps(sent).encode() + b"\0")
        self.out.flush()
        while (answer := self.message()).get("id") != self.last:
            self.events.append(answer.get("method"))
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def loading(self, method, **parameters):
        """Does something that opens a page, and comes back when that page is there."""
        self.events = []
        result = self.call(method, **parameters)
        while "Page.loadEventFired" not in self.events:
            self.events.append(self.message().get("method"))
        return result

    def open(self, address):
        self.loading("Page.navigate", url=address)

    def ask(self, expression):
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def press(self, words):
        """Presses the button that says so, with the mouse, where a person sees it."""
        place = self.ask("(() => { const b = [...document.querySelectorAll('button')].find(b => b.innerText.includes("
                         + json.dumps(words) + ")); const r = b.getBoundingClientRect();"
                         " return [r.x + r.width / 2, r.y + r.height / 2] })()")
        mouse = {"x": place[0], "y": place[1], "button": "left", "clickCount": 1}
        self.call("Input.dispatchMouseEvent", type="mousePressed", **mouse)
        self.loading("Input.dispatchMouseEvent", type="mouseReleased", **mouse)

    def text(self):
        return self.ask("document.body.innerText")

    def end(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait(timeout=30)


def state(sdk, number):
    return json.loads(sdk.query(out_trade_no=number)[1])["trade_state"]


def native(findings, browser, sdk, base):
    """The code is pasted into the cashier; the payer leaves, comes back, cancels, comes back, and pays."""
    code, text = sdk.pay("钻石 <b>x60</b>", "BROWSERNATIVE1", {"total": 600, "currency": "CNY"}, pay_type=WeChatPayType.NATIVE)
    link = json.loads(text)["code_url"]
    for words, told, ends in (("Leave without paying", "Left without paying.", "NOTPAY"), ("取消", "已取消", "NOTPAY"),
                              ("Pay", "支付成功", "SUCCESS")):
        browser.open(base + "/cashier")
        browser.ask(f"document.querySelector('input').value = {json.dumps(link)}")
        browser.press("Open")
        shown = browser.text()
        findings.expect("¥6.00" in shown and "钻石 <b>x60</b>" in shown, f"the cashier shows {shown}")
        findings.expect(state(sdk, "BROWSERNATIVE1") == "NOTPAY", "paid before anybody pressed a button")
        browser.press(words)
        findings.expect(told in browser.text(), f"{words}: {browser.text()}")
        findings.expect(state(sdk, "BROWSERNATIVE1") == ends, f"{words}: {state(sdk, 'BROWSERNATIVE1')}")
    browser.open(base + "/cashier")
    browser.ask(f"document.querySelector('input').value = {json.dumps(link)}")
    browser.press("打开")
    findings.expect("The order is paid." in browser.text(), f"paid twice: {browser.text()}")


def h5(findings, browser, sdk, base):
    """The browser comes from the shop's page and goes back there, which says nothing about the payment."""
    scene = {"payer_client_ip": "203.0.113.7", "h5_info": {"type": "Wap"}}
    back = base + "/simulator/wechat-pay/clock"
    for number, words, ends in (("BROWSERH5PAID1", "支付", "SUCCESS"), ("BROWSERH5GONE1", "Cancel", "NOTPAY")):
        code, text = sdk.pay("会员", number, {"total": 1, "currency": "CNY"}, scene_info=scene, pay_type=WeChatPayType.H5)
        link = json.loads(text)["h5_url"]
        browser.open(link + "&redirect_url=" + back.replace(":", "%3A").replace("/", "%2F"))
        browser.press(words)
        findings.expect(browser.ask("location.href") == back, f"{words}: it is at {browser.ask('location.href')}")
        findings.expect(state(sdk, number) == ends, f"{words}: {state(sdk, number)}")


def main(program, port, output):
    base = f"http://127.0.0.1:{port}"
    core.requests = Elsewhere(base)
    findings, simulator = Findings(), Simulator(base)
    kit = simulator.call("POST", f"/merchants/{MERCHANT}/kit", {"appids": [APPID]})
    keys = simulator.call("GET", "/keys")
    sdk = WeChatPay(wechatpay_type=WeChatPayType.NATIVE, mchid=MERCHANT, private_key=kit["testPrivateKey"],
                    cert_serial_no=kit["certificateSerial"], appid=APPID, apiv3_key=kit["testAPIv3Key"],
                    notify_url="https://shop.example.com/notify", public_key=keys["publicKey"],
                    public_key_id=keys["publicKeyId"])
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(program, folder)
        try:
            native(findings, browser, sdk, base)
            h5(findings, browser, sdk, base)
        finally:
            browser.end()
    pathlib.Path(output).write_text(json.dumps({"wrong": findings.wrong, "done": findings.done}, ensure_ascii=False))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Drives every method of wechatpayv3 against the WeChat Pay of `counterfoil-lab simulator`.

Usage: wechat_pay_methods.py PORT OUTPUT

PORT: the port of the simulator on this machine.
OUTPUT: JSON with `methods`, the number of methods that the SDK has, `wrong`, the failed checks in words, `done`, the
  number of checks that passed, `missing`, the methods that no row of the table names, and `gone`, rows without a method.

The SDK itself says which methods it has. A direct merchant's methods have a case, which compares the answer with the
control API, once with platform certificates and once with the platform's public key, each with the SDK's client that
waits and with its asynchronous one. Every other method is called and must get the answer of a product that the simulator
does not have.
"""

import asyncio
import gzip
import hashlib
import inspect
import json
import pathlib
import sys
import tempfile
import threading
import time

import requests
from wechat_pay_sdk import APPID, MERCHANT, PAYER, REAL, Elsewhere, Findings, Merchant, Simulator
from wechat_pay_other_products import ARGUMENTS, BROKEN, BROKEN_ASYNCHRONOUS, OTHER_PRODUCTS, SAME_CALL
from wechatpayv3 import WeChatPay, WeChatPayType, core
from wechatpayv3.async_ import AsyncWeChatPay
from wechatpayv3.async_ import WeChatPayType as AsyncWeChatPayType

CASES = {}


def case(*methods):
    def enter(function):
        for method in methods:
            CASES[method] = function
        return function

    return enter


class AsyncElsewhere:
    """The same as `Elsewhere`, for the HTTP client of the asynchronous SDK."""

    def __init__(self, client, base):
        self.client, self.base = client, base

    def __getattr__(self, method):
        return lambda url, **named: getattr(self.client, method)(url=url.replace(REAL, self.base), **named)


class Waiting:
    """The asynchronous client, called like the other one: each call ends before it returns."""

    def __init__(self, base, **named):
        # Notifications come on another thread.
        client = AsyncWeChatPay(**self.translated(named))
        self.__dict__.update(loop=asyncio.new_event_loop(), lock=threading.Lock(), client=client)
        # It makes its HTTP client when it begins, and downloads the certificates at once.
        client._core._gate_way = base
        self.ended(client.__aenter__())
        client._core._gate_way, client._core._client = REAL, AsyncElsewhere(client._core._client, base)

    def ended(self, result):
        """The result of a call, also if it only begins one."""
        return self.loop.run_until_complete(result) if inspect.isawaitable(result) else result

    def __getattr__(self, name):
        found = getattr(self.client, name)
        if not inspect.iscoroutinefunction(found):
            return found

        def wait(*values, **named):
            with self.lock:
                return self.ended(found(*values, **self.translated(named)))

        wait.__signature__ = inspect.signature(found)
        return wait

    @staticmethod
    def translated(named):
        """The asynchronous client has a list of payment types of its own."""
        return {name: AsyncWeChatPayType[value.name] if isinstance(value, WeChatPayType) else value
                for name, value in named.items()}

    def __setattr__(self, name, value):
        setattr(self.client, name, value)


def methods_of(client):
    return {name for name, _ in inspect.getmembers(client, inspect.isfunction) if not name.startswith("_")}


class World:
    """A merchant with orders, as the control API has them, and the SDK for it."""

    def __init__(self, findings, simulator, merchant, sdk, way):
        self.findings, self.simulator, self.merchant, self.sdk, self.way = findings, simulator, merchant, sdk, way
        self.orders = 0

    def expect(self, holds, words):
        self.findings.expect(holds, f"{self.way}: {words}")

    def equal(self, found, wanted, words):
        self.expect(found == wanted, f"{words}: {found}, not {wanted}")

    def answered(self, call, status=200, code=None):
        """The JSON of an answer, which the SDK has verified."""
        found, text = call
        answer = json.loads(text) if text else {}
        self.equal((found, answer.get("code")), (status, code), f"answer {text}")
        return answer

    def order(self, total=600, **more):
        """A new order in the app, and what the app hands over."""
        self.orders += 1
        number = f"M{self.way}{self.orders:08}"
        answer = self.answered(self.sdk.pay("钻石", number, {"total": total, "currency": "CNY"}, **more))
        now = str(int(time.time()))
        sign = self.sdk.sign([APPID, now, "NONCE", answer["prepay_id"]])
        app = {"appId": APPID, "partnerId": MERCHANT, "prepayId": answer["prepay_id"], "package": "Sign=WXPay",
               "nonceStr": "NONCE", "timeStamp": now, "sign": sign}
        return number, app

    def paid(self, total=600, **more):
        number, app = self.order(total, **more)
        self.equal(self.simulator.visit("pay", app=app)["errCode"], 0, "payment")
        self.told = self.merchant.next()[1]
        return number

    def refunded(self, number, name, refund=250, total=600):
        amount = {"refund": refund, "total": total, "currency": "CNY"}
        return self.answered(self.sdk.refund(name, amount, out_trade_no=number))

    def known(self, number):
        return self.simulator.call("GET", f"/orders/{MERCHANT}/{number}")

    def bill(self, answer):
        """The lines of a bill, compressed and with its checksum."""
        address = answer["download_url"].replace(self.simulator.base, "")
        code, packed = self.sdk.download_bill(address)
        file = gzip.decompress(packed)
        self.equal((code, hashlib.sha1(file).hexdigest()), (200, answer["hash_value"]), "bill")
        return [line.lstrip("`").split(",`") for line in file.decode("utf-8-sig").splitlines()]


@case("pay", "sign")
def _(world):
    sdk, amount, more = world.sdk, {"total": 1, "currency": "CNY"}, dict(attach="附加", time_expire=None)
    number, app = world.order()
    world.equal(world.simulator.visit("pay", app={**app, "nonceStr": "X"})["reason"], "wrongSignature", "forged")
    world.equal(world.simulator.visit("cancel", app=app)["errCode"], -2, "cancelled")
    for kind in (WeChatPayType.JSAPI, WeChatPayType.MINIPROG):
        order = f"M{world.way}{kind.name}01"
        answer = world.answered(sdk.pay("钻石", order, amount, payer={"openid": PAYER}, pay_type=kind))
        package, now = "prepay_id=" + answer["prepay_id"], str(int(time.time()))
        page = {"appId": APPID, "timeStamp": now, "nonceStr": "N", "package": package, "signType": "RSA",
                "paySign": sdk.sign([APPID, now, "N", package])}
        world.equal(world.simulator.visit("leave", jsapi=page)["out_trade_no"], order, kind.name)
    scene = {"payer_client_ip": "203.0.113.7", "h5_info": {"type": "Wap"}}
    answer = world.answered(sdk.pay("钻石", f"M{world.way}H501", amount, scene_info=scene, pay_type=WeChatPayType.H5))
    world.expect("/cashier/h5?" in answer["h5_url"], answer)
    answer = world.answered(sdk.pay("钻石", f"M{world.way}NATIVE01", amount, pay_type=WeChatPayType.NATIVE))
    world.expect(answer["code_url"].startswith("weixin://"), answer)
    code = dict(pay_type=WeChatPayType.CODEPAY, scene_info={"store_info": {"id": "1"}}, payer={"auth_code": "1"})
    world.answered(sdk.pay("钻石", f"M{world.way}CODE01", amount, **code), 404, "RESOURCE_NOT_EXISTS")


@case("query")
def _(world):
    number, app = world.order(attach="附加")
    unpaid = world.answered(world.sdk.query(out_trade_no=number))
    world.equal((unpaid["trade_state"], unpaid["amount"]["total"]), ("NOTPAY", 600), "unpaid")
    world.expect("transaction_id" not in unpaid and "attach" not in unpaid, unpaid)
    world.equal(world.simulator.visit("payWithCoupon", app=app, coupon=100)["errCode"], 0, "payment")
    world.told = world.merchant.next()[1]
    paid = world.answered(world.sdk.query(out_trade_no=number))
    world.equal(world.answered(world.sdk.query(transaction_id=paid["transaction_id"])), paid, "by transaction id")
    world.equal(
        (paid["trade_state"], paid["attach"], paid["amount"]),
        ("SUCCESS", "附加", {"total": 600, "payer_total": 500, "currency": "CNY", "payer_currency": "CNY"}), "paid")
    world.equal([item["amount"] for item in paid["promotion_detail"]], [100], "coupon")
    known = world.known(number)
    world.equal(paid["transaction_id"], known["order"]["transaction_id"], "transaction id")
    world.answered(world.sdk.query(out_trade_no="NONE0001"), 404, "ORDER_NOT_EXIST")


@case("callback")
def _(world):
    number = world.paid()
    query = world.answered(world.sdk.query(out_trade_no=number))
    world.equal(world.told["event_type"], "TRANSACTION.SUCCESS", "event")
    world.equal(world.told["resource"], query, "what was told is what a query says")


@case("decrypt_callback")
def _(world):
    heard = []
    whole = world.sdk.callback
    world.sdk.callback = lambda headers, body: heard.append((headers, body)) or whole(headers, body)
    number = world.paid()
    world.sdk.callback = whole
    headers, body = heard[0]
    resource = json.loads(world.sdk.decrypt_callback(headers, body))
    world.equal(resource["out_trade_no"], number, "decrypted")
    world.equal(world.sdk.decrypt_callback(headers, body + b" "), None, "a changed body")


@case("close")
def _(world):
    number, _ = world.order()
    for _ in range(2):
        world.answered(world.sdk.close(number), 204)
    world.equal(world.answered(world.sdk.query(out_trade_no=number))["trade_state"], "CLOSED", "closed")
    world.answered(world.sdk.close(world.paid()), 400, "ORDERPAID")


@case("refund", "query_refund")
def _(world):
    number, name = world.paid(), f"MR{world.way}1"
    answer = world.refunded(number, name)
    world.equal(answer["status"], "PROCESSING", "refund")
    # What real answers always have.
    amount = dict(total=600, refund=250, payer_total=600, payer_refund=250, settlement_total=600, settlement_refund=250,
                  discount_refund=0, currency="CNY")
    world.equal({name: answer["amount"].get(name) for name in amount}, amount, "amounts")
    world.equal((answer["amount"]["from"], answer["promotion_detail"]), ([], []), "lists")
    world.equal(world.refunded(number, name)["refund_id"], answer["refund_id"], "repeated")
    more = {"refund": 351, "total": 600, "currency": "CNY"}
    world.answered(world.sdk.refund(f"MR{world.way}2", more, out_trade_no=number), 400, "INVALID_REQUEST")
    world.simulator.call("POST", "/clock", {"advanceSeconds": 60})
    told = world.merchant.next()[1]
    world.equal((told["event_type"], told["resource"]["refund_status"]), ("REFUND.SUCCESS", "SUCCESS"), "told")
    later = world.answered(world.sdk.query_refund(name))
    world.equal((later["status"], later["refund_id"], later["amount"]), ("SUCCESS", answer["refund_id"], answer["amount"]),
                "query")
    world.answered(world.sdk.query_refund("NONE0001"), 404, "RESOURCE_NOT_EXISTS")


@case("abnormal_refund")
def _(world):
    for kind, more in {
        "USER_BANK_CARD": dict(bank_type="CMB_DEBIT", bank_account="6225880123456789", real_name="张三"),
        "MERCHANT_BANK_CARD": {},
    }.items():
        name = f"MA{world.way}{kind[0]}"
        world.simulator.call("POST", "/faults", {"fault": "abnormalRefund", "operation": "refund"})
        refund = world.refunded(world.paid(), name)
        early = world.sdk.abnormal_refund(refund["refund_id"], name, kind, **more)
        world.answered(early, 400, "INVALID_REQUEST")
        world.simulator.call("POST", "/clock", {"advanceSeconds": 60})
        world.equal(world.merchant.next()[1]["event_type"], "REFUND.ABNORMAL", "abnormal")
        again = world.answered(world.sdk.abnormal_refund(refund["refund_id"], name, kind, **more))
        world.equal((again["status"], again["refund_id"]), ("PROCESSING", refund["refund_id"]), kind)
        world.simulator.call("POST", "/clock", {"advanceSeconds": 60})
        world.equal(world.merchant.next()[1]["event_type"], "REFUND.SUCCESS", kind)


@case("trade_bill", "download_bill")
def _(world):
    number = world.paid()
    paid = world.answered(world.sdk.query(out_trade_no=number))
    day = paid["success_time"][:10]
    world.simulator.call("PUT", "/knobs/billsAtOnce", {"value": 1})
    for kind, columns in (("ALL", 27), ("SUCCESS", 20), ("REFUND", 29)):
        rows = world.bill(world.answered(world.sdk.trade_bill(day, kind)))
        world.equal(len(rows[0][0].split(",")), columns, kind)
        mine = [row for row in rows if len(row) > 6 and number in row]
        world.equal(len(mine), 0 if kind == "REFUND" else 1, kind)
        if mine:
            world.equal((mine[0][5], mine[0][9]), (paid["transaction_id"], "SUCCESS"), kind)
    world.answered(world.sdk.trade_bill("2020-02-30"), 400, "PARAM_ERROR")
    code, text = world.sdk.download_bill(f"{REAL}/v3/billdownload/file?token=none")
    world.expect(code >= 400, f"an unknown file: {code} {text}")


@case("fundflow_bill")
def _(world):
    number = world.paid()
    paid = world.answered(world.sdk.query(out_trade_no=number))
    world.simulator.call("POST", f"/merchants/{MERCHANT}/transfers", {"kind": "withdrawal", "amount": 90})
    rows = world.bill(world.answered(world.sdk.fundflow_bill(paid["success_time"][:10])))
    mine = [row for row in rows if len(row) > 6 and (paid["transaction_id"] in row or number in row)]
    world.equal([(row[3], row[5], row[6]) for row in mine], [("交易", "收入", "6.00"), ("扣除交易手续费", "支出", "0.04")], "flow")
    world.expect(any(row[3:7] == ["提现", "提现", "支出", "0.90"] for row in rows), f"withdrawal {rows}")
    world.answered(world.sdk.fundflow_bill(paid["success_time"][:10], account_type="NONE"), 400, "PARAM_ERROR")
    world.simulator.call("PUT", "/knobs/billsAtOnce", {"value": 0})


@case("complaint_list_query", "complaint_detail_query", "complaint_history_query", "complaint_response",
      "complaint_update_refund", "complaint_complete", "complaint_image_download")
def _(world):
    sdk, number = world.sdk, world.paid()
    about = {"mchid": MERCHANT, "out_trade_no": number, "text": "没有到账", "refund": 600, "pictures": 1}
    made = world.simulator.call("POST", "/complaints", about)["complaint_id"]
    told = world.merchant.next()[1]
    world.equal((told["event_type"], told["resource"]), (
        "COMPLAINT.CREATE", {"complaint_id": made, "action_type": "CREATE_COMPLAINT"}), "told")
    facts = world.answered(sdk.complaint_detail_query(made))
    world.equal((facts["complaint_state"], facts["complaint_detail"], facts["apply_refund_amount"]),
                ("PENDING", "没有到账", 600), "complaint")
    world.equal([(one["out_trade_no"], one["amount"]) for one in facts["complaint_order_info"]], [(number, 600)], "order")
    day = facts["complaint_time"][:10]
    listed = world.answered(sdk.complaint_list_query(day, day, limit=50))
    world.expect(facts in listed["data"] and listed["total_count"] >= 1, f"list {listed}")
    world.answered(sdk.complaint_list_query("2026-02-02", "2026-02-01"), 400, "PARAM_ERROR")
    picture = facts["complaint_media_list"][0]["media_url"][0].replace(world.simulator.base, REAL)
    code, image = sdk.complaint_image_download(picture)
    world.expect(code == 200 and len(image) > 0, f"picture: {code}")
    world.answered(sdk.complaint_complete(made), 400, "INVALID_REQUEST")
    world.answered(sdk.complaint_response(made, "马上处理"), 204)
    world.answered(sdk.complaint_update_refund(made, "REJECT", reject_reason="已到账"), 204)
    world.answered(sdk.complaint_update_refund(made, "APPROVE", launch_refund_day=0), 204)
    for _ in range(2):
        world.answered(sdk.complaint_complete(made), 204)
    world.answered(sdk.complaint_response(made, "再见"), 400, "INVALID_REQUEST")
    world.simulator.call("POST", f"/complaints/{made}/again", {"text": "还是没有"})
    world.equal(world.merchant.next()[1]["resource"]["action_type"], "CONTINUE_COMPLAINT", "told again")
    again = world.answered(sdk.complaint_detail_query(made))
    world.equal((again["complaint_state"], again["user_complaint_times"]), ("PENDING", 2), "again")
    world.simulator.call("POST", f"/complaints/{made}/withdraw")
    world.equal(world.merchant.next()[1]["resource"]["action_type"], "USER_CANCEL_COMPLAINT", "told of the end")
    world.equal(world.answered(sdk.complaint_detail_query(made))["complaint_state"], "PROCESSED", "withdrawn")
    steps = world.answered(sdk.complaint_history_query(made))["data"]
    world.equal([step["operate_type"] for step in reversed(steps)], [
        "USER_CREATE_COMPLAINT", "MERCHANT_RESPONSE", "MERCHANT_REJECT_REFUND", "MERCHANT_APPROVE_REFUND",
        "MERCHANT_CONFIRM_COMPLETE", "USER_CONTINUE_COMPLAINT", "USER_CANCEL_COMPLAINT"], "talk")


@case("decrypt")
def _(world):
    # The platform encrypts a text for the merchant, with the key of its certificate; the echo call gives one back.
    text = "张三"
    body = {"echo_message": "x", "encrypted_echo_message": world.sdk._core.encrypt(text)}
    # Each client has a list of methods of its own.
    post = sys.modules[type(world.sdk._core).__module__].RequestType.POST
    asked = world.sdk._core.request("/v3/security/echo", method=post, data=body, cipher_data=True)
    code, answer = world.sdk.ended(asked) if isinstance(world.sdk, Waiting) else asked
    encrypted = json.loads(answer).get("encrypted_echo_message")
    world.expect(code == 200 and encrypted, f"echo: {code} {answer}")
    world.equal(world.sdk.decrypt(encrypted), text, "decrypted")


def arguments_of(call, method, folder):
    """A value for each parameter of a method whose product does not exist: no answer depends on it."""
    values = {name: "1" for name in inspect.signature(call).parameters}
    values.update((name, str(folder / "a.pdf")) for name in values if name in ("filepath", "file_path"))
    values.update(ARGUMENTS.get(method, {}))
    for name, value in values.items():
        if value == "FILE":
            values[name] = str(folder / ("a.mp4" if "video" in method else "a.jpg"))
    return values


def try_other_products(findings, sdk, names):
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        for name in ("a.jpg", "a.mp4", "a.pdf"):
            (folder / name).write_bytes(b"x")
        for method in names:
            call = getattr(sdk, method)
            try:
                code, text = call(**arguments_of(call, method, folder))
                found = (code, json.loads(text).get("message"))
            except Exception as error:
                found = type(error).__name__
            broken = BROKEN_ASYNCHRONOUS if isinstance(sdk, Waiting) else {}
            wanted = broken.get(method) or BROKEN.get(method) or SAME_CALL.get(method) or (404, "请求的资源不存在")
            findings.expect(found == wanted, f"{method}: {found}, not {wanted}")


def try_partner_mode(findings, sdk):
    """A partner's calls are other calls, or have parameters that a direct merchant must not send."""
    sdk._partner_mode = True
    amount = {"total": 1, "currency": "CNY"}
    calls = {
        "pay": lambda: sdk.pay("a", "PARTNER1", amount, sub_mchid="1900000001", pay_type=WeChatPayType.NATIVE),
        "query": lambda: sdk.query(out_trade_no="PARTNER1", sub_mchid="1900000001"),
        "close": lambda: sdk.close("PARTNER1", sub_mchid="1900000001"),
        "refund": lambda: sdk.refund("PR1", {**amount, "refund": 1}, out_trade_no="PARTNER1", sub_mchid="1900000001"),
        "query_refund": lambda: sdk.query_refund("PR1", sub_mchid="1900000001"),
        "trade_bill": lambda: sdk.trade_bill("2026-01-01", sub_mchid="1900000001"),
        "abnormal_refund": lambda: sdk.abnormal_refund("5", "PR1", "MERCHANT_BANK_CARD", sub_mchid="1900000001"),
    }
    for name, call in calls.items():
        code, text = call()
        wanted = (404, "RESOURCE_NOT_EXISTS") if name in ("pay", "query", "close") else (400, "PARAM_ERROR")
        findings.expect((code, json.loads(text)["code"]) == wanted, f"partner mode: {name}: {code} {text}")
    sdk._partner_mode = False


def main(port, output):
    base = f"http://127.0.0.1:{port}"
    core.requests = Elsewhere(base)
    findings, simulator, merchant = Findings(), Simulator(base), Merchant()
    kit = simulator.call("POST", f"/merchants/{MERCHANT}/kit", {"appids": [APPID], "notificationOrigin": merchant.origin})
    keys = simulator.call("GET", "/keys")
    named = dict(wechatpay_type=WeChatPayType.APP, mchid=MERCHANT, private_key=kit["testPrivateKey"],
                 cert_serial_no=kit["certificateSerial"], appid=APPID, apiv3_key=kit["testAPIv3Key"],
                 notify_url="https://shop.example.com/notify")
    methods = methods_of(WeChatPay) | methods_of(AsyncWeChatPay)
    others = {method: reason for reason, names in OTHER_PRODUCTS.items() for method in names.split()}
    for way in ("C", "P", "AC", "AP"):
        more = {} if way.endswith("C") else {"public_key": keys["publicKey"], "public_key_id": keys["publicKeyId"]}
        sdk = Waiting(base, **named, **more) if way.startswith("A") else WeChatPay(**named, **more)
        merchant.sdk = sdk
        world = World(findings, simulator, merchant, sdk, way)
        for function in dict.fromkeys(CASES.values()):
            names = [name for name, other in CASES.items() if other is function]
            done = findings.done
            try:
                function(world)
            except Exception as error:
                findings.wrong.append(f"{way}: {names}: {type(error).__name__}: {error}")
            findings.expect(findings.done > done, f"{way}: {names}: nothing was compared")
        if way.endswith("P"):
            try_other_products(findings, sdk, sorted(set(others) & methods))
            try_partner_mode(findings, sdk)
    named = set(CASES) | set(others)
    pathlib.Path(output).write_text(json.dumps({
        "wrong": findings.wrong, "done": findings.done, "methods": len(methods),
        "missing": sorted(methods - named), "gone": sorted(named - methods)}, ensure_ascii=False))


if __name__ == "__main__":
    main(*sys.argv[1:])

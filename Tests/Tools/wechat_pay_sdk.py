"""Tests the simulated WeChat Pay of `counterfoil-lab simulator` with an independent SDK from PyPI: wechatpayv3.

Usage: wechat_pay_sdk.py PORT OUTPUT

PORT: the port of the simulator on this machine.
OUTPUT: JSON with `wrong`, the failed checks in words, and `done`, the number of checks that passed.
"""

import gzip
import hashlib
import http.server
import json
import pathlib
import queue
import sys
import threading
import time
import urllib.request

import requests
from wechatpayv3 import SignType, WeChatPay, WeChatPayType, core

REAL = "https://api.mch.weixin.qq.com"
MERCHANT = "1900000777"
APPID = "wx0000000000000777"
PAYER = "oSomebodyWhoPays0000000000"


class Findings:
    def __init__(self):
        self.wrong = []
        self.done = 0

    def expect(self, holds, words):
        if holds:
            self.done += 1
        else:
            self.wrong.append(words)


class Elsewhere:
    """Replaces `requests` in the SDK, which knows only one host."""

    def __init__(self, base):
        self.base = base

    def __getattr__(self, method):
        return lambda url, **named: getattr(requests, method)(url.replace(REAL, self.base), **named)


class Simulator:
    """The control API."""

    def __init__(self, base):
        self.base = base

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + "/simulator/wechat-pay" + path, data=data, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def visit(self, action, **how):
        return self.call("POST", "/cashier", {"action": action, "openid": PAYER, **how})


class Merchant:
    """A merchant's server for notifications. The SDK reads them, and its result is the answer."""

    def __init__(self):
        self.sdk = None
        self.told = queue.Queue()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                read = outer.sdk.callback(dict(self.headers), body)
                self.send_response(204 if read else 401)
                self.end_headers()
                outer.told.put((self.path, read))

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.origin = f"http://127.0.0.1:{self.server.server_port}"

    def next(self):
        return self.told.get(timeout=60)


def buys(findings, simulator, merchant, sdk, way):
    """Prepay, the app's parameters, a cancelled and a paid visit, both queries, and the notification."""
    number = f"SDK{way}ORDER00001"
    code, text = sdk.query(out_trade_no=number)
    findings.expect(code == 404 and json.loads(text)["code"] == "ORDER_NOT_EXIST", f"{way}: query before {code} {text}")
    code, text = sdk.pay("钻石 x60", number, {"total": 600, "currency": "CNY"}, attach="附加", pay_type=WeChatPayType.APP)
    findings.expect(code == 200, f"{way}: prepay {code} {text}")
    prepay_id = json.loads(text)["prepay_id"]
    now, nonce = str(int(time.time())), "SDKNONCE"
    sign = sdk.sign([APPID, now, nonce, prepay_id])
    app = {"appId": APPID, "partnerId": MERCHANT, "prepayId": prepay_id, "package": "Sign=WXPay", "nonceStr": nonce,
           "timeStamp": now, "sign": sign}
    forged = simulator.visit("pay", app={**app, "nonceStr": "OTHER"})
    findings.expect(forged["reason"] == "wrongSignature", f"{way}: forged parameters {forged}")
    findings.expect(simulator.visit("cancel", app=app)["errCode"] == -2, f"{way}: cancel")
    findings.expect(simulator.visit("pay", app=app)["errCode"] == 0, f"{way}: pay")
    code, text = sdk.query(out_trade_no=number)
    paid = json.loads(text)
    findings.expect(code == 200 and paid["trade_state"] == "SUCCESS" and paid["amount"]["total"] == 600, f"{way}: {text}")
    code, text = sdk.query(transaction_id=paid["transaction_id"])
    findings.expect(code == 200 and json.loads(text) == paid, f"{way}: by transaction id {code} {text}")
    path, told = merchant.next()
    findings.expect(path == "/notify" and told and told["event_type"] == "TRANSACTION.SUCCESS", f"{way}: told {told}")
    findings.expect(told and told["resource"]["transaction_id"] == paid["transaction_id"], f"{way}: told {told}")
    code, text = sdk.close(number)
    findings.expect(code == 400 and json.loads(text)["code"] == "ORDERPAID", f"{way}: close of a paid one {code} {text}")
    return number, paid


def other_cashiers(findings, simulator, sdk, way):
    """JSAPI, H5 and Native; one order is closed unpaid."""
    amount = {"total": 1, "currency": "CNY"}
    number = f"SDK{way}JSAPI00001"
    code, text = sdk.pay("a", number, amount, payer={"openid": PAYER}, pay_type=WeChatPayType.JSAPI)
    findings.expect(code == 200, f"{way}: JSAPI {code} {text}")
    package, now = "prepay_id=" + json.loads(text)["prepay_id"], str(int(time.time()))
    sign = sdk.sign([APPID, now, "N", package], sign_type=SignType.RSA_SHA256)
    jsapi = {"appId": APPID, "timeStamp": now, "nonceStr": "N", "package": package, "signType": "RSA", "paySign": sign}
    findings.expect(simulator.visit("leave", jsapi=jsapi)["out_trade_no"] == number, f"{way}: JSAPI visit")
    code, text = sdk.close(number)
    findings.expect(code == 204, f"{way}: close {code} {text}")
    code, text = sdk.query(out_trade_no=number)
    findings.expect(json.loads(text)["trade_state"] == "CLOSED", f"{way}: closed {code} {text}")
    code, text = sdk.pay("a", number, amount, payer={"openid": PAYER}, pay_type=WeChatPayType.JSAPI)
    findings.expect(code == 400 and json.loads(text)["code"] == "ORDER_CLOSED", f"{way}: again {code} {text}")
    scene = {"payer_client_ip": "203.0.113.7", "h5_info": {"type": "Wap"}}
    code, text = sdk.pay("a", f"SDK{way}H500000001", amount, scene_info=scene, pay_type=WeChatPayType.H5)
    findings.expect(code == 200 and "/cashier/h5?" in json.loads(text)["h5_url"], f"{way}: H5 {code} {text}")
    code, text = sdk.pay("a", f"SDK{way}NATIVE0001", amount, pay_type=WeChatPayType.NATIVE)
    findings.expect(code == 200 and json.loads(text)["code_url"].startswith("weixin://"), f"{way}: Native {code} {text}")


def refunds(findings, simulator, merchant, sdk, way, number):
    """Refunds: partial, repeated, larger than the payment, and notified."""
    amount = {"refund": 250, "total": 600, "currency": "CNY"}
    code, text = sdk.refund(f"SDK{way}RF1", amount, out_trade_no=number)
    findings.expect(code == 200 and json.loads(text)["status"] == "PROCESSING", f"{way}: refund {code} {text}")
    first = json.loads(text)
    code, text = sdk.refund(f"SDK{way}RF1", amount, out_trade_no=number)
    findings.expect(code == 200 and json.loads(text)["refund_id"] == first["refund_id"], f"{way}: again {code} {text}")
    code, text = sdk.refund(f"SDK{way}RF2", {**amount, "refund": 351}, out_trade_no=number)
    findings.expect(code == 400, f"{way}: too much {code} {text}")
    simulator.call("POST", "/clock", {"advanceSeconds": 60})
    path, told = merchant.next()
    findings.expect(told and told["event_type"] == "REFUND.SUCCESS", f"{way}: told of a refund {told}")
    findings.expect(told and told["resource"]["refund_status"] == "SUCCESS", f"{way}: told of a refund {told}")
    code, text = sdk.query_refund(f"SDK{way}RF1")
    findings.expect(code == 200 and json.loads(text)["status"] == "SUCCESS", f"{way}: query {code} {text}")
    code, text = sdk.query_refund("NEVER")
    findings.expect(code == 404 and json.loads(text)["code"] == "RESOURCE_NOT_EXISTS", f"{way}: unknown {code} {text}")


def abnormal_refund(findings, simulator, merchant, sdk, way, number):
    """A refund that cannot reach the payer goes to a bank card, with encrypted fields."""
    simulator.call("POST", "/faults", {"fault": "abnormalRefund", "operation": "refund"})
    amount = {"refund": 100, "total": 600, "currency": "CNY"}
    code, text = sdk.refund(f"SDK{way}RF3", amount, out_trade_no=number)
    refund_id = json.loads(text).get("refund_id")
    card = dict(type="USER_BANK_CARD", bank_type="CMB_DEBIT", bank_account="6225880123456789", real_name="张三")
    code, text = sdk.abnormal_refund(refund_id, f"SDK{way}RF3", **card)
    findings.expect(code == 400 and json.loads(text)["code"] == "INVALID_REQUEST", f"{way}: too early {code} {text}")
    simulator.call("POST", "/clock", {"advanceSeconds": 60})
    path, told = merchant.next()
    findings.expect(told and told["event_type"] == "REFUND.ABNORMAL", f"{way}: abnormal {told}")
    code, text = sdk.abnormal_refund("50300000000000000000000000000", f"SDK{way}RF3", **card)
    findings.expect(code == 404, f"{way}: another refund's id {code} {text}")
    code, text = sdk.abnormal_refund(refund_id, f"SDK{way}RF3", **card)
    answer = json.loads(text)
    findings.expect(
        code == 200 and answer["status"] == "PROCESSING" and answer["channel"] == "OTHER_BANKCARD"
        and answer["user_received_account"] == "招商银行借记卡6789", f"{way}: abnormal refund {code} {text}")
    simulator.call("POST", "/clock", {"advanceSeconds": 60})
    path, told = merchant.next()
    findings.expect(told and told["event_type"] == "REFUND.SUCCESS", f"{way}: to the card {told}")
    code, text = sdk.query_refund(f"SDK{way}RF3")
    findings.expect(code == 200 and json.loads(text)["status"] == "SUCCESS", f"{way}: query {code} {text}")


def fund_flow(findings, simulator, sdk, base, way, day, trade):
    """The fund-flow bill of each account; that of the basic account agrees with the trade bill."""
    code, text = sdk.fundflow_bill(day)
    findings.expect(code == 200, f"{way}: fund-flow bill {code} {text}")
    ticket = json.loads(text)
    code, packed = sdk.download_bill(ticket["download_url"].replace(base, ""))
    file = gzip.decompress(packed)
    findings.expect(code == 200 and hashlib.sha1(file).hexdigest() == ticket["hash_value"], f"{way}: checksum")
    lines = file.decode("utf-8-sig").splitlines()
    rows = [line.lstrip("`").split(",`") for line in lines[1:-2]]

    def fen(text):
        return round(float(text) * 100)

    def total(*names):
        return sum(fen(row[6]) * (1 if row[5] == "收入" else -1) for row in rows if row[3] in names)

    sums = trade[-1].lstrip("`").split(",`")
    findings.expect(total("交易") == fen(sums[1]) > 0, f"{way}: payments {rows} {sums}")
    findings.expect(-total("退款") == fen(sums[2]) > 0, f"{way}: refunds {rows} {sums}")
    findings.expect(-total("扣除交易手续费", "退还交易手续费") == fen(sums[4]) > 0, f"{way}: fees {rows} {sums}")
    balance, number = 0, lines[-1].lstrip("`").split(",`")
    for row in rows:
        balance += fen(row[6]) * (1 if row[5] == "收入" else -1)
        findings.expect(fen(row[7]) == balance, f"{way}: balance {row}") if fen(row[7]) != balance else None
    findings.expect(int(number[0]) == len(rows) and fen(number[2]) - fen(number[4]) == balance, f"{way}: sums {number}")
    for account in ("OPERATION", "FEES"):
        if way == "CERT":
            code, text = sdk.fundflow_bill(day, account_type=account)
            findings.expect(
                code == 400 and json.loads(text)["code"] == "NO_STATEMENT_EXIST", f"{way}: {account} {code} {text}")
            simulator.call("POST", f"/merchants/{MERCHANT}/transfers", {"kind": "topUp", "amount": 900, "account": account})
        code, text = sdk.fundflow_bill(day, account_type=account)
        findings.expect(code == 200, f"{way}: {account} {code} {text}")
    code, text = sdk.fundflow_bill(day, account_type="OTHER")
    findings.expect(code == 400 and json.loads(text)["code"] == "PARAM_ERROR", f"{way}: no account {code} {text}")


def bill(findings, simulator, sdk, base, way, number, paid):
    """The bill of the day, compressed, with its checksum, contains the order and its refund."""
    day = paid["success_time"][:10]
    code, text = sdk.trade_bill(day)
    findings.expect(code == 400, f"{way}: bill of a day that is not over {code} {text}")
    simulator.call("PUT", "/knobs/billsAtOnce", {"value": 1})
    code, text = sdk.trade_bill(day)
    findings.expect(code == 200, f"{way}: bill {code} {text}")
    ticket = json.loads(text)
    code, packed = sdk.download_bill(ticket["download_url"].replace(base, ""))
    file = gzip.decompress(packed)
    findings.expect(code == 200 and hashlib.sha1(file).hexdigest() == ticket["hash_value"], f"{way}: checksum")
    lines = file.decode("utf-8-sig").splitlines()
    mine = [line.split(",`") for line in lines if number in line]
    findings.expect([line[9] for line in mine] == ["SUCCESS", "REFUND", "REFUND"], f"{way}: lines {mine}")
    findings.expect(mine and mine[0][24] == "6.00" and mine[1][25] == "2.50", f"{way}: lines {mine}")
    fund_flow(findings, simulator, sdk, base, way, day, lines)
    simulator.call("PUT", "/knobs/billsAtOnce", {"value": 0})


def refuses(findings, simulator, merchant, sdk, way):
    """What the SDK must reject: a changed signature in an answer, a probe in a notification."""
    simulator.call("POST", "/faults", {"fault": "wrongSignature", "operation": "query"})
    try:
        sdk.query(out_trade_no=f"SDK{way}ORDER00001")
        findings.expect(False, f"{way}: a wrong signature was believed")
    except Exception as error:
        findings.expect("verify" in str(error), f"{way}: {error}")
    simulator.call("POST", "/faults", {"fault": "probe", "operation": "paymentNotification"})
    code, text = sdk.pay("a", f"SDK{way}PROBE00001", {"total": 1, "currency": "CNY"}, pay_type=WeChatPayType.NATIVE)
    simulator.visit("pay", code_url=json.loads(text)["code_url"])
    path, told = merchant.next()
    findings.expect(told is None, f"{way}: a probe was believed")
    simulator.call("POST", "/clock", {"advanceSeconds": 15})
    path, told = merchant.next()
    findings.expect(told and told["resource"]["out_trade_no"] == f"SDK{way}PROBE00001", f"{way}: after the probe {told}")


def main(port, output):
    base = f"http://127.0.0.1:{port}"
    core.requests = Elsewhere(base)
    findings, simulator, merchant = Findings(), Simulator(base), Merchant()
    kit = simulator.call("POST", f"/merchants/{MERCHANT}/kit", {"appids": [APPID], "notificationOrigin": merchant.origin})
    keys = simulator.call("GET", "/keys")
    named = dict(wechatpay_type=WeChatPayType.APP, mchid=MERCHANT, private_key=kit["testPrivateKey"],
                 cert_serial_no=kit["certificateSerial"], appid=APPID, apiv3_key=kit["testAPIv3Key"],
                 notify_url="https://shop.example.com/notify")
    for way in ("CERT", "PUBKEY"):
        more = {} if way == "CERT" else {"public_key": keys["publicKey"], "public_key_id": keys["publicKeyId"]}
        merchant.sdk = sdk = WeChatPay(**named, **more)
        number, paid = buys(findings, simulator, merchant, sdk, way)
        other_cashiers(findings, simulator, sdk, way)
        refunds(findings, simulator, merchant, sdk, way, number)
        abnormal_refund(findings, simulator, merchant, sdk, way, number)
        bill(findings, simulator, sdk, base, way, number, paid)
        refuses(findings, simulator, merchant, sdk, way)
    pathlib.Path(output).write_text(json.dumps({"wrong": findings.wrong, "done": findings.done}, ensure_ascii=False))


if __name__ == "__main__":
    main(*sys.argv[1:])

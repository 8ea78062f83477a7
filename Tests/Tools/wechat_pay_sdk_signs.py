"""Asks wechatpayv3, an independent SDK from PyPI, how it would sign what we signed.

Usage: wechat_pay_sdk_signs.py INPUT OUTPUT

INPUT: {"mchid", "serial", "key", "now", "nonce", "requests": [{"method", "path", "body", "authorization"}], "app",
  "jsapi"}; the key is a test key.
OUTPUT: {"wrong": the differing signatures, in words, "done": the number of equal signatures}
"""

import json
import pathlib
import re
import sys
import time

from wechatpayv3 import utils


def pairs(authorization):
    scheme, rest = authorization.split(" ", 1)
    return scheme, dict(re.findall(r'(\w+)="([^"]*)"', rest))


def main(source, output):
    asked = json.loads(pathlib.Path(source).read_text())
    key = utils.load_private_key(asked["key"])
    wrong, done = [], 0
    # The SDK takes the time from the clock; it must sign at our time.
    time.time = lambda: asked["now"]
    for request in asked["requests"]:
        theirs = utils.build_authorization(
            request["path"], request["method"], asked["mchid"], asked["serial"], key, data=request["body"],
            nonce_str=asked["nonce"])
        if pairs(theirs) == pairs(request["authorization"]):
            done += 1
        else:
            wrong.append(f"{request['method']} {request['path']}")
    app, jsapi = asked["app"], asked["jsapi"]
    for name, signed, lines in (
        ("app", app["sign"], [app["appId"], str(app["timeStamp"]), app["nonceStr"], app["prepayId"]]),
        ("jsapi", jsapi["paySign"], [jsapi["appId"], jsapi["timeStamp"], jsapi["nonceStr"], jsapi["package"]]),
    ):
        if utils.rsa_sign(key, "\n".join(lines) + "\n") == signed:
            done += 1
        else:
            wrong.append(name)
    pathlib.Path(output).write_text(json.dumps({"wrong": wrong, "done": done}))


main(*sys.argv[1:])

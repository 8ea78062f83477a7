"""Makes our requests with Apple's own app-store-server-library, and verifies a token of ours with it.

Usage: apple_calls.py INPUT OUTPUT

INPUT: {"bundleId", "token", "publicKey": PEM, "calls": [{"name", "arguments": [...]}]}, where `name` is a method of the
    library's client, and an argument {"type", "value"} is an object of the library's type of that name.
OUTPUT: {"claims": the claims of the token, "header", "calls": [{"method", "target", "body"}]}
"""

import importlib
import json
import pathlib
import sys
import warnings

import jwt
import requests
from appstoreserverlibrary.api_client import AppStoreServerAPIClient, GetTransactionHistoryVersion
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.LibraryUtility import _get_cattrs_converter
from appstoreserverlibrary.models.Status import Status
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

warnings.simplefilter("ignore", DeprecationWarning)


class Recorded(Exception):
    """Thrown instead of sending."""


class Client(AppStoreServerAPIClient):
    def _execute_request(self, method, url, params, headers, json, data):
        self.request = requests.Request(method, url, headers=headers, params=params, json=json, data=data).prepare()
        raise Recorded


def argument(value):
    if isinstance(value, dict):
        if value["type"] == "Status":
            return [Status(item) for item in value["value"]]
        if value["type"] == "Version":
            return GetTransactionHistoryVersion(value["value"])
        kind = getattr(importlib.import_module("appstoreserverlibrary.models." + value["type"]), value["type"])
        return _get_cattrs_converter(kind).structure(value["value"], kind)
    return value


def main():
    question = json.loads(pathlib.Path(sys.argv[1]).read_text())
    key = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    issuer = "57246542-96fe-1a63-e053-0824d011072a"
    client = Client(key, "ABCDEFGHIJ", issuer, question["bundleId"], Environment.PRODUCTION)
    calls = []
    for call in question["calls"]:
        try:
            getattr(client, call["name"])(*[argument(value) for value in call["arguments"]])
        except Recorded:
            body = client.request.body
            calls.append({
                "method": client.request.method,
                "target": client.request.url,
                "body": (body.decode() if isinstance(body, bytes) else body) if body else "",
                "type": client.request.headers.get("Content-Type", ""),
            })
    claims = jwt.decode(
        question["token"], question["publicKey"], algorithms=["ES256"], audience="appstoreconnect-v1",
        options={"verify_exp": False, "verify_iat": False, "require": ["iss", "iat", "exp", "aud", "bid"]})
    pathlib.Path(sys.argv[2]).write_text(json.dumps(
        {"claims": claims, "header": jwt.get_unverified_header(question["token"]), "calls": calls}))


main()

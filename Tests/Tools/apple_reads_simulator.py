"""Verifies and reads everything that a simulated App Store signed with Apple's own app-store-server-library.

Usage: apple_reads_simulator.py INPUT OUTPUT

INPUT: {"root": Base64 of DER, "bundleId", "appAppleId", "items": [{"kind", "token", "environment"}]}
OUTPUT: a list with one object for each item:
  "accepted": whether the library verifies it, with its strict X.509 checks on
  "error": why not, if not
  "payload": what the library read, under its own names; a notification also has "transaction" and "renewalInfo", which
    are verified separately
  "unknown": signed members without a field in the library, and values that are in none of its lists
"""

import base64
import enum
import json
import pathlib
import sys

import attr
import jwt
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException


class Reading:
    def __init__(self, verifier):
        self.verifier = verifier
        self.unknown = []

    def plain(self, value, signed):
        """What the library decoded, as JSON without empty fields; unknown names and values are recorded."""
        fields = attr.asdict(value, recurse=False)
        self.unknown += [name for name in signed if name not in fields]
        result = {}
        for name, item in fields.items():
            raw = "raw" + name[0].upper() + name[1:]
            if fields.get(raw) is not None and item is None:
                self.unknown.append(f"{name}={fields[raw]}")
            if item is None or name.startswith("raw"):
                continue
            if attr.has(type(item)):
                item = self.plain(item, signed[name])
            result[name] = item.value if isinstance(item, enum.Enum) else item
        return result

    def read(self, verify, token):
        return self.plain(verify(token), jwt.decode(token, options={"verify_signature": False}))

    def item(self, kind, token):
        if kind == "transaction":
            return self.read(self.verifier.verify_and_decode_signed_transaction, token)
        if kind == "renewalInfo":
            return self.read(self.verifier.verify_and_decode_renewal_info, token)
        if kind == "appTransaction":
            return self.read(self.verifier.verify_and_decode_app_transaction, token)
        payload = self.read(self.verifier.verify_and_decode_notification, token)
        data = payload.get("data", {})
        if "signedTransactionInfo" in data:
            payload["transaction"] = self.item("transaction", data["signedTransactionInfo"])
        if "signedRenewalInfo" in data:
            payload["renewalInfo"] = self.item("renewalInfo", data["signedRenewalInfo"])
        if "signedAppTransactionInfo" in payload.get("appData", {}):
            payload["appTransaction"] = self.item("appTransaction", payload["appData"]["signedAppTransactionInfo"])
        return payload


def main():
    question = json.loads(pathlib.Path(sys.argv[1]).read_text())
    root = base64.b64decode(question["root"])
    answers = []
    for item in question["items"]:
        verifier = SignedDataVerifier(
            [root], False, Environment(item["environment"]), question["bundleId"], question["appAppleId"])
        # The library's own default; without it the answers would prove less.
        if not verifier._chain_verifier.enable_strict_checks:
            sys.exit("the library no longer checks strictly unless it is told to")
        reading = Reading(verifier)
        try:
            payload = reading.item(item["kind"], item["token"])
            answers.append({"accepted": True, "payload": payload, "unknown": sorted(set(reading.unknown))})
        except VerificationException as error:
            answers.append({"accepted": False, "error": error.status.name})
    pathlib.Path(sys.argv[2]).write_text(json.dumps(answers))


main()

"""Asks Apple's own app-store-server-library which of our signed items it accepts.

Usage: accepted_by_apple.py INPUT OUTPUT

INPUT: {"roots": [Base64 of DER], "bundleId", "appAppleId", "items": [{"kind", "token", "environment"}]}
OUTPUT: a list with {"accepted": true, "payload": …} or {"accepted": false, "error": …} for each item.
"""

import base64
import json
import pathlib
import sys

import cattrs
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException


def main():
    question = json.loads(pathlib.Path(sys.argv[1]).read_text())
    roots = [base64.b64decode(root) for root in question["roots"]]
    answers = []
    for item in question["items"]:
        verifier = SignedDataVerifier(
            roots, False, Environment(item["environment"]), question["bundleId"], question["appAppleId"])
        verify = {
            "transaction": verifier.verify_and_decode_signed_transaction,
            "renewalInfo": verifier.verify_and_decode_renewal_info,
            "appTransaction": verifier.verify_and_decode_app_transaction,
            "notification": verifier.verify_and_decode_notification,
            "realtimeRequest": verifier.verify_and_decode_realtime_request,
        }[item["kind"]]
        try:
            decoded = cattrs.Converter(omit_if_default=True).unstructure(verify(item["token"]))
            answers.append({"accepted": True, "payload": json.loads(json.dumps(decoded, default=str))})
        except VerificationException as error:
            answers.append({"accepted": False, "error": str(error.status)})
    pathlib.Path(sys.argv[2]).write_text(json.dumps(answers))


main()

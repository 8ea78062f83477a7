"""Signs offers with Apple's own app-store-server-library, at a given moment.

Usage: apple_signs_offers.py INPUT OUTPUT

INPUT: {"key": PEM, "keyId", "issuerId", "bundleId", "productId", "offer", "token", "nonce", "transactionId",
    "now": milliseconds since 1970}
OUTPUT: [a signature of the first form, a promotional offer's JWS, an introductory offer's JWS that allows it]
"""

import datetime
import json
import pathlib
import sys
import types
import uuid

from appstoreserverlibrary import jws_signature_creator as creator
from appstoreserverlibrary.promotional_offer import PromotionalOfferSignatureCreator


def main():
    question = json.loads(pathlib.Path(sys.argv[1]).read_text())
    now = datetime.datetime.fromtimestamp(question["now"] // 1000, datetime.timezone.utc)
    # The library asks the real clock for `iat`.
    creator.datetime = types.SimpleNamespace(
        datetime=types.SimpleNamespace(now=lambda zone: now), timezone=datetime.timezone)
    key = question["key"].encode()
    first = PromotionalOfferSignatureCreator(key, question["keyId"], question["bundleId"]).create_signature(
        question["productId"], question["offer"], question["token"], uuid.UUID(question["nonce"]), question["now"])
    names = [key, question["keyId"], question["issuerId"], question["bundleId"]]
    promotional = creator.PromotionalOfferV2SignatureCreator(*names).create_signature(
        question["productId"], question["offer"], question["transactionId"])
    introductory = creator.IntroductoryOfferEligibilitySignatureCreator(*names).create_signature(
        question["productId"], True, question["transactionId"])
    pathlib.Path(sys.argv[2]).write_text(json.dumps([first, promotional, introductory]))


main()

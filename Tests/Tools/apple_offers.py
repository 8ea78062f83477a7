"""Compares signatures for StoreKit with those of Apple's own app-store-server-library.

Usage: apple_offers.py INPUT OUTPUT

INPUT: {"key": PEM, "publicKey": PEM, "keyId", "issuerId", "bundleId", "productId", "offer", "token", "nonce",
    "timestamp", "signature": ours in the first form, "transactionId", "promotional": our JWS, "introductory": our JWS}
OUTPUT: {"firstForm": whether our signature is one of the text that Apple's library signs,
    "signature": theirs of the same text, "ours": [{"header", "claims"}], "theirs": [{"header", "claims"}]}
"""

import base64
import json
import pathlib
import sys
import uuid

import jwt
from appstoreserverlibrary.jws_signature_creator import (
    IntroductoryOfferEligibilitySignatureCreator, PromotionalOfferV2SignatureCreator)
from appstoreserverlibrary.promotional_offer import PromotionalOfferSignatureCreator
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
from cryptography.hazmat.primitives.hashes import SHA256


class Recorder:
    """Replaces the key, and stores the text to sign."""

    def sign(self, message, algorithm):
        self.message = message
        return b""


def is_signature(public_key, signature, message):
    try:
        public_key.verify(base64.b64decode(signature), message, ECDSA(SHA256()))
        return True
    except InvalidSignature:
        return False


def read(token, public_key, audience):
    claims = jwt.decode(
        token, public_key, algorithms=["ES256"], audience=audience,
        options={"verify_iat": False, "require": ["iss", "iat", "aud", "bid", "nonce"]})
    return {"header": jwt.get_unverified_header(token), "claims": claims}


def main():
    question = json.loads(pathlib.Path(sys.argv[1]).read_text())
    key = question["key"].encode()
    public_key = serialization.load_pem_public_key(question["publicKey"].encode())
    first = PromotionalOfferSignatureCreator(key, question["keyId"], question["bundleId"])
    said = [
        question["productId"], question["offer"], question["token"], uuid.UUID(question["nonce"]),
        question["timestamp"]]
    signature = first.create_signature(*said)
    recorder = Recorder()
    first._signing_key = recorder
    first.create_signature(*said)
    names = [key, question["keyId"], question["issuerId"], question["bundleId"]]
    promotional = PromotionalOfferV2SignatureCreator(*names).create_signature(
        question["productId"], question["offer"], question["transactionId"])
    introductory = IntroductoryOfferEligibilitySignatureCreator(*names).create_signature(
        question["productId"], False, question["transactionId"])
    audiences = ["promotional-offer", "introductory-offer-eligibility"]
    pathlib.Path(sys.argv[2]).write_text(json.dumps({
        "firstForm": is_signature(public_key, question["signature"], recorder.message),
        "signature": signature,
        "ours": [
            read(token, public_key, audience)
            for token, audience in zip([question["promotional"], question["introductory"]], audiences)],
        "theirs": [
            read(token, public_key, audience) for token, audience in zip([promotional, introductory], audiences)],
    }))


main()

"""Verifies what `counterfoil-lab simulator` signs with Apple's app-store-server-library and its online checks turned on.

Usage: apple_online_checks.py PORT OUTPUT

PORT: the port of the simulator on this machine.
OUTPUT: JSON with `wrong`, the failed checks in words, and `done`, the number of checks that passed.

The library reads the responder's address from the certificates, sends its questions with its own HTTP client, and checks
each answer. Nothing of it is replaced.
"""

import base64
import json
import pathlib
import sys

from apple_api_client import ALICE, BUNDLE, Findings, Simulator, furnish
from apple_method_cases import simulator_root
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException, VerificationStatus


class Shop:
    def __init__(self, base):
        self.base = base
        self.simulator = Simulator(base)
        furnish(self.simulator)

    def verifier(self, online=True):
        root = base64.b64decode("".join(simulator_root(self.simulator).splitlines()[1:-1]))
        return SignedDataVerifier([root], online, Environment.PRODUCTION, BUNDLE, 77)

    def token(self):
        body = {"account": ALICE, "bundleId": BUNDLE, "productId": "coins"}
        return self.simulator.call("POST", "/purchases", body)["signedTransaction"]

    def revoke(self, certificate, keeps_signing=False):
        body = {"certificate": certificate, "keepsSigning": keeps_signing}
        return self.simulator.call("POST", "/certificates/revoke", body)


def status(verifier, token):
    """None if it is verified, otherwise why not."""
    try:
        verifier.verify_and_decode_signed_transaction(token)
        return None
    except VerificationException as refusal:
        return refusal.status


def main():
    shop, findings = Shop(f"http://127.0.0.1:{sys.argv[1]}"), Findings()
    first = shop.token()
    findings.expect(status(shop.verifier(), first) is None, "what the simulator signs is verified online")

    for fault, seen in [
        ("htmlError", VerificationStatus.RETRYABLE_VERIFICATION_FAILURE),
        ("cutAnswer", VerificationStatus.VERIFICATION_FAILURE),
    ]:
        shop.simulator.call("POST", "/api-faults", {"fault": fault, "operation": "certificateStatus"})
        found = status(shop.verifier(), first)
        findings.expect(found == seen, f"{fault}: {found}")

    shop.revoke("leaf")
    second = shop.token()
    findings.expect(status(shop.verifier(), first) is not None, "a revoked leaf is refused")
    findings.expect(status(shop.verifier(online=False), first) is None, "only the online check refuses it")
    findings.expect(status(shop.verifier(), second) is None, "the next leaf is verified")

    shop.revoke("intermediate")
    third = shop.token()
    findings.expect(status(shop.verifier(), second) is not None, "a leaf under a revoked intermediate is refused")
    findings.expect(status(shop.verifier(), third) is None, "the next intermediate is verified")

    shop.revoke("leaf", keeps_signing=True)
    findings.expect(status(shop.verifier(), shop.token()) is not None, "a revoked leaf that goes on signing is refused")
    pathlib.Path(sys.argv[2]).write_text(json.dumps({"wrong": findings.wrong, "done": findings.done}))


if __name__ == "__main__":
    main()

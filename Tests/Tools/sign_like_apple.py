"""Signs items the way the App Store does, with Python's `cryptography`, under its own root that is made for tests.

Usage: sign_like_apple.py OUTPUT [MODELS [KEY]]

OUTPUT gets {"root": Base64 of DER, "items": [{"kind", "token", "payload", "environment"}]}. Apple's own
app-store-server-library has accepted each item first. MODELS is a folder with that library's sample payloads, KEY its
test key: payloads of LocalTesting are signed with that key and without certificates, as in the library's own tests.
"""

import base64
import datetime
import json
import pathlib
import sys

import jwt
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

# Fixed, because certificates are checked at the moment of signing: no clock is involved.
NOW = datetime.datetime.fromtimestamp(1_795_000_000, datetime.timezone.utc)
SIGNED = int(NOW.timestamp() * 1000) - 5000
BUNDLE = "com.example"
APP_APPLE_ID = 41234
ASN1_NULL = b"\x05\x00"


def certificate(name, key, issuer_name, issuer_key, *, authority, path_length=None, marker=None):
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer_name)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(NOW - datetime.timedelta(days=30))
        .not_valid_after(NOW + datetime.timedelta(days=30))
        .add_extension(x509.BasicConstraints(ca=authority, path_length=path_length), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()), critical=False)
        .add_extension(
            x509.KeyUsage(
                digital_signature=not authority, key_cert_sign=authority, crl_sign=authority, content_commitment=False,
                key_encipherment=False, data_encipherment=False, key_agreement=False, encipher_only=False,
                decipher_only=False),
            critical=True)
    )
    if marker:
        builder = builder.add_extension(
            x509.UnrecognizedExtension(x509.ObjectIdentifier(marker), ASN1_NULL), critical=False)
    return builder.sign(issuer_key, hashes.SHA384())


def der(certificate):
    return certificate.public_bytes(serialization.Encoding.DER)


ROOT_KEY = ec.generate_private_key(ec.SECP384R1())
INTERMEDIATE_KEY = ec.generate_private_key(ec.SECP384R1())
LEAF_KEY = ec.generate_private_key(ec.SECP256R1())
ROOT = certificate("Python Root", ROOT_KEY, "Python Root", ROOT_KEY, authority=True)
INTERMEDIATE = certificate(
    "Python Intermediate", INTERMEDIATE_KEY, "Python Root", ROOT_KEY, authority=True, path_length=0,
    marker="1.2.840.113635.100.6.2.1")
LEAF = certificate(
    "Python Leaf", LEAF_KEY, "Python Intermediate", INTERMEDIATE_KEY, authority=False, marker="1.2.840.113635.100.6.11.1")
CHAIN = [base64.b64encode(der(c)).decode() for c in (LEAF, INTERMEDIATE, ROOT)]


def sign(payload, **header):
    return jwt.encode(payload, LEAF_KEY, algorithm="ES256", headers={"x5c": CHAIN, **header})


def transaction(number, **more):
    return {
        "transactionId": str(number), "originalTransactionId": str(number), "bundleId": BUNDLE, "productId": "coins",
        "purchaseDate": SIGNED - 1000, "originalPurchaseDate": SIGNED - 1000, "quantity": 1, "type": "Consumable",
        "inAppOwnershipType": "PURCHASED", "signedDate": SIGNED, "environment": "Sandbox", **more,
    }


def renewal(**more):
    return {
        "originalTransactionId": "1", "autoRenewProductId": "month", "productId": "month", "autoRenewStatus": 1,
        "signedDate": SIGNED, "environment": "Sandbox", **more,
    }


def notification(kind, **more):
    return {
        "notificationType": kind, "notificationUUID": "002e14d5-51f5-4503-b5a8-c3a1af68eb20", "version": "2.0",
        "signedDate": SIGNED, **more,
    }


def data(**more):
    return {"environment": "Sandbox", "bundleId": BUNDLE, "bundleVersion": "1", **more}


def app_transaction(**more):
    return {
        "receiptType": "Sandbox", "bundleId": BUNDLE, "applicationVersion": "1", "receiptCreationDate": SIGNED,
        "originalPurchaseDate": SIGNED - 1000, "originalApplicationVersion": "1", **more,
    }


def own_items():
    yield "transaction", transaction(1)
    yield "transaction", transaction(2, quantity=10, appAccountToken="7e3fb20b-4cdb-47cc-936d-99d65f608138")
    yield "transaction", transaction(3, type="Non-Consumable", inAppOwnershipType="FAMILY_SHARED")
    yield "transaction", transaction(4, type="Auto-Renewable Subscription", expiresDate=SIGNED + 10000, isUpgraded=True)
    yield "transaction", transaction(5, type="Non-Renewing Subscription", offerType=4, offerDiscountType="ONE_TIME")
    yield "transaction", transaction(6, price=2**53 + 1, currency="KRW", storefront="KOR", storefrontId="143466")
    yield "transaction", transaction(7, productId="金币六十😀", note="ÿ\u07ff\uffff")
    yield "transaction", transaction(8, revocationDate=SIGNED, revocationReason=1, revocationType="REFUND_PRORATED",
                                     revocationPercentage=50000)
    yield "transaction", transaction(9, environment="Production", appTransactionId="7")
    yield "renewalInfo", renewal()
    yield "renewalInfo", renewal(expirationIntent=5, isInBillingRetryPeriod=True, eligibleWinBackOfferIds=["a", "b"])
    yield "renewalInfo", renewal(renewalPrice=9990, currency="USD", renewalDate=SIGNED + 1000)
    yield "appTransaction", app_transaction()
    yield "appTransaction", app_transaction(receiptType="Production", appAppleId=APP_APPLE_ID, originalPlatform="visionOS")
    yield "notification", notification("TEST", data=data())
    yield "notification", notification("ONE_TIME_CHARGE", data=data(signedTransactionInfo=sign(transaction(10))))
    yield "notification", notification("DID_RENEW", subtype="BILLING_RECOVERY", data=data(
        signedTransactionInfo=sign(transaction(11)), signedRenewalInfo=sign(renewal()), status=1))
    yield "notification", notification("REFUND", data=data(
        environment="Production", appAppleId=APP_APPLE_ID, signedTransactionInfo=sign(transaction(12, environment="Production"))))
    yield "notification", notification("RESCIND_CONSENT", appData={
        "environment": "Sandbox", "bundleId": BUNDLE, "signedAppTransactionInfo": sign(app_transaction())})
    yield "notification", notification("RENEWAL_EXTENSION", subtype="SUMMARY", summary={
        "environment": "Sandbox", "bundleId": BUNDLE, "productId": "month", "succeededCount": 5, "failedCount": 2})
    yield "realtimeRequest", {
        "originalTransactionId": "1", "appAppleId": APP_APPLE_ID, "productId": "month", "userLocale": "zh-Hans",
        "requestIdentifier": "3db5c98d-8acf-4e29-831e-8e1f82f9f6e9", "environment": "Sandbox", "signedDate": SIGNED}


MODELS = {
    "signedTransactionWithRevocation": "transaction", "signedRenewalInfo": "renewalInfo",
    "appTransaction": "appTransaction", "signedSummaryNotification": "notification",
    "signedExternalPurchaseTokenSandboxNotification": "notification",
}


def model_items(folder):
    """The library's own sample payloads, moved to the sandbox, so that they may be signed with certificates."""
    for name, kind in MODELS.items():
        payload = json.loads((folder / f"{name}.json").read_text())
        for part in (payload, payload.get("summary", {})):
            for member in ("environment", "receiptType"):
                if member in part:
                    part[member] = "Sandbox"
        for member in ("signedDate", "receiptCreationDate"):
            if member in payload:
                payload[member] = SIGNED
        yield kind, payload


def accepted_by_apple(kind, token, environment):
    verifier = SignedDataVerifier([der(ROOT)], False, environment, BUNDLE, app_apple_id(kind, token))
    return {
        "transaction": verifier.verify_and_decode_signed_transaction,
        "renewalInfo": verifier.verify_and_decode_renewal_info,
        "appTransaction": verifier.verify_and_decode_app_transaction,
        "notification": verifier.verify_and_decode_notification,
        "realtimeRequest": verifier.verify_and_decode_realtime_request,
    }[kind](token)


def app_apple_id(kind, token):
    payload = jwt.decode(token, options={"verify_signature": False})
    return payload.get("appAppleId", APP_APPLE_ID)


def environment_of(payload):
    for part in (payload, payload.get("data"), payload.get("summary"), payload.get("appData")):
        if part and (part.get("environment") or part.get("receiptType")):
            return part.get("environment") or part.get("receiptType")
    return "Sandbox"


def main():
    output = pathlib.Path(sys.argv[1])
    models = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    key = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
    items = []
    for kind, payload in [*own_items(), *(model_items(models) if models else [])]:
        token = sign(payload)
        environment = environment_of(payload)
        accepted_by_apple(kind, token, Environment(environment))
        items.append({"kind": kind, "token": token, "payload": payload, "environment": environment})
    if models and key:
        private = serialization.load_pem_private_key(key.read_bytes(), None)
        for name in ("signedTransactionWithRevocation", "signedRenewalInfo", "appTransaction"):
            payload = json.loads((models / f"{name}.json").read_text())
            token = jwt.encode(payload, private, algorithm="ES256")
            accepted_by_apple(MODELS[name], token, Environment.LOCAL_TESTING)
            items.append({"kind": MODELS[name], "token": token, "payload": payload, "environment": "LocalTesting"})
    output.write_text(json.dumps({"root": CHAIN[2], "items": items}))


main()

"""The table of methods of app-store-server-library: one case for each, or the reason why the simulator has no such call.

`apple_methods.py` runs it. A case is a function of a `World`.
"""

import base64
import time
import urllib.error
import urllib.request
import uuid

import attr
from apple_api_client import BUNDLE
from appstoreserverlibrary.api_client import APIError, APIException, GetTransactionHistoryVersion
from appstoreserverlibrary.jws_signature_creator import (
    AdvancedCommerceAPIInAppRequest, AdvancedCommerceAPIInAppSignatureCreator,
    IntroductoryOfferEligibilitySignatureCreator, PromotionalOfferV2SignatureCreator)
from appstoreserverlibrary.models.AccountTenure import AccountTenure
from appstoreserverlibrary.models.ConsumptionRequest import ConsumptionRequest
from appstoreserverlibrary.models.ConsumptionRequestV1 import ConsumptionRequestV1
from appstoreserverlibrary.models.ConsumptionStatus import ConsumptionStatus
from appstoreserverlibrary.models.DefaultConfigurationRequest import DefaultConfigurationRequest
from appstoreserverlibrary.models.DeliveryStatus import DeliveryStatus
from appstoreserverlibrary.models.DeliveryStatusV1 import DeliveryStatusV1
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.ExtendReasonCode import ExtendReasonCode
from appstoreserverlibrary.models.ExtendRenewalDateRequest import ExtendRenewalDateRequest
from appstoreserverlibrary.models.InAppOwnershipType import InAppOwnershipType
from appstoreserverlibrary.models.LifetimeDollarsPurchased import LifetimeDollarsPurchased
from appstoreserverlibrary.models.LifetimeDollarsRefunded import LifetimeDollarsRefunded
from appstoreserverlibrary.models.MassExtendRenewalDateRequest import MassExtendRenewalDateRequest
from appstoreserverlibrary.models.NotificationHistoryRequest import NotificationHistoryRequest
from appstoreserverlibrary.models.OrderLookupStatus import OrderLookupStatus
from appstoreserverlibrary.models.PerformanceTestRequest import PerformanceTestRequest
from appstoreserverlibrary.models.Platform import Platform
from appstoreserverlibrary.models.PlayTime import PlayTime
from appstoreserverlibrary.models.RealtimeUrlRequest import RealtimeUrlRequest
from appstoreserverlibrary.models.RefundPreference import RefundPreference
from appstoreserverlibrary.models.RefundPreferenceV1 import RefundPreferenceV1
from appstoreserverlibrary.models.SendAttemptResult import SendAttemptResult
from appstoreserverlibrary.models.Status import Status
from appstoreserverlibrary.models.TransactionHistoryRequest import Order, ProductType, TransactionHistoryRequest
from appstoreserverlibrary.models.UpdateAppAccountTokenRequest import UpdateAppAccountTokenRequest
from appstoreserverlibrary.models.UploadMessageRequestBody import UploadMessageRequestBody
from appstoreserverlibrary.models.UserStatus import UserStatus
from appstoreserverlibrary.promotional_offer import PromotionalOfferSignatureCreator
from appstoreserverlibrary.receipt_utility import ReceiptUtility
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException

DAY = 86_400_000
CLIENT = "AppStoreServerAPIClient"
CASES = {}


def case(owner, method):
    def enter(function):
        CASES[(owner, method)] = function
        return function

    return enter


def messaging(*arguments):
    return arguments, "retention messaging: on application, a pre-release of Apple"


IMAGE = uuid.UUID("0f53c2f6-2b5b-4ad7-8ee5-0df4f3f0e301")

# The calls of the client that Apple has and the simulator does not, each with arguments and the reason.
NOT_IMITATED = {
    "upload_image": messaging(IMAGE, b"\x89PNG"),
    "delete_image": messaging(IMAGE),
    "get_image_list": messaging(),
    "upload_message": messaging(IMAGE, UploadMessageRequestBody(header="Stay", body="Please")),
    "delete_message": messaging(IMAGE),
    "get_message_list": messaging(),
    "configure_default_message": messaging("month", "en-US", DefaultConfigurationRequest(messageIdentifier=IMAGE)),
    "delete_default_message": messaging("month", "en-US"),
    "get_default_message": messaging("month", "en-US"),
    "configure_realtime_url": messaging(RealtimeUrlRequest(realtimeURL="https://shop.example.com/retention")),
    "delete_realtime_url": messaging(),
    "get_realtime_url": messaging(),
    "initiate_performance_test": messaging(PerformanceTestRequest(originalTransactionId="1")),
    "get_performance_test_results": messaging("1"),
}


def flat(transaction):
    """A transaction of the control API with Apple's names side by side."""
    for name in ("period", "revocation", "offer"):
        transaction |= transaction.pop(name, {})
    return transaction


class World:
    """A shop with its customers, as the control API has it, and the library's objects for it."""

    def __init__(self, simulator, client, findings, names, notifications, way):
        self.simulator, self.client, self.findings, self.names, self.way = simulator, client, findings, names, way
        simulator.call("PUT", f"/apps/{BUNDLE}", {
            "appAppleId": 77, "notificationUrl": notifications, "version": "2.1", "build": "7"})
        offers = [
            {"offerType": 1, "offerDiscountType": "FREE_TRIAL", "offerPeriod": "P1W", "count": 1},
            {"offerType": 2, "offerIdentifier": "half", "offerDiscountType": "PAY_AS_YOU_GO", "offerPeriod": "P1M",
             "count": 1, "price": 3000}]
        group = {"type": "Auto-Renewable Subscription", "subscriptionGroupIdentifier": "20000007", "period": "P1M"}
        for name, fields in {
            "coins": {"type": "Consumable"}, "full": {"type": "Non-Consumable"},
            "season": {"type": "Non-Renewing Subscription"}, "month": {**group, "offers": offers},
            # Of this way alone, so that a mass extension concerns nobody else.
            "mass." + way: {**group, "subscriptionGroupIdentifier": "20000008"},
        }.items():
            simulator.call("PUT", f"/apps/{BUNDLE}/products/{name}", {"price": 6000, "currency": "CNY"} | fields)
        root = base64.b64decode("".join(simulator_root(simulator).splitlines()[1:-1]))
        self.verifier = SignedDataVerifier([root], True, Environment.PRODUCTION, BUNDLE, 77)
        self.customers = 0

    def customer(self):
        self.customers += 1
        name = f"{self.way.lower()}{self.customers}@example.com"
        self.simulator.call("PUT", f"/accounts/{name}", {"environment": "Production", "storefront": "CHN"})
        return name

    def buy(self, account, product, **more):
        body = {"account": account, "bundleId": BUNDLE, "productId": product, **more}
        return flat(self.simulator.call("POST", "/purchases", body)["transaction"])

    def expect(self, holds, words):
        self.findings.expect(holds, f"{self.way}: {words}")

    def equal(self, found, wanted, words):
        self.expect(found == wanted, f"{words}: {found}, not {wanted}")

    def refused(self, error, call, *arguments):
        self.findings.refused(error, f"{self.way}: {error}", lambda: call(*arguments))

    def agrees(self, token, transaction):
        """Verifies a signed transaction, and compares each field with the control API's."""
        read = self.verifier.verify_and_decode_signed_transaction(token)
        for name, known in transaction.items():
            if name in attr.fields_dict(type(read)) and not name.startswith("signed"):
                found = getattr(read, name)
                self.equal(getattr(found, "value", found), known, f"{transaction['transactionId']}.{name}")
        return read

    def now(self, transaction):
        return flat(self.simulator.call("GET", f"/transactions/{transaction['transactionId']}")["transaction"])

    def is_not_imitated(self, method, *arguments):
        """Apple's own refusals have a number; a path that the simulator does not have gives 404 without JSON."""
        try:
            getattr(self.client, method)(*arguments)
            self.expect(False, f"{method} was answered")
        except APIException as refusal:
            self.equal((refusal.http_status_code, refusal.raw_api_error), (404, None), method)

    def awaits(self, words, question):
        end = time.time() + 60
        while time.time() < end:
            if answer := question():
                return answer
            time.sleep(0.05)
        self.expect(False, f"{words} never came")


def simulator_root(simulator):
    with urllib.request.urlopen(simulator.base + "/simulator/root-certificate.pem") as answer:
        return answer.read().decode()


@case(CLIENT, "get_transaction_info")
def _(world):
    bought = world.buy(world.customer(), "coins", quantity=3, appAccountToken=str(uuid.uuid4()))
    answer = world.client.get_transaction_info(bought["transactionId"])
    world.agrees(answer.signedTransactionInfo, bought)
    world.refused(APIError.TRANSACTION_ID_NOT_FOUND, world.client.get_transaction_info, "1")
    world.refused(APIError.INVALID_TRANSACTION_ID, world.client.get_transaction_info, "one")


@case(CLIENT, "get_app_transaction_info")
def _(world):
    bought = world.buy(world.customer(), "coins")
    answer = world.client.get_app_transaction_info(bought["transactionId"])
    app = world.verifier.verify_and_decode_app_transaction(answer.signedAppTransactionInfo)
    world.equal((app.bundleId, app.appAppleId, app.originalApplicationVersion), (BUNDLE, 77, "7"), "app transaction")
    read = world.verifier.verify_and_decode_signed_transaction(
        world.client.get_transaction_info(bought["transactionId"]).signedTransactionInfo)
    world.equal(app.appTransactionId, read.appTransactionId, "its id")


@case(CLIENT, "get_transaction_history")
def _(world):
    account = world.customer()
    bought = [world.buy(account, name) for name in ("coins", "full", "season", "coins")]
    for version in GetTransactionHistoryVersion:
        answer = world.client.get_transaction_history(
            bought[0]["transactionId"], None, TransactionHistoryRequest(sort=Order.ASCENDING), version)
        world.equal(answer.hasMore, False, "one page")
        wanted = [item for item in bought if version == GetTransactionHistoryVersion.V2 or item["productId"] != "coins"]
        found = [world.verifier.verify_and_decode_signed_transaction(token) for token in answer.signedTransactions]
        if version == GetTransactionHistoryVersion.V2:
            world.equal([item.transactionId for item in found], [item["transactionId"] for item in wanted], "history")
    wish = TransactionHistoryRequest(
        startDate=bought[0]["purchaseDate"], productIds=["coins"], productTypes=[ProductType.CONSUMABLE],
        inAppOwnershipType=InAppOwnershipType.PURCHASED, revoked=True)
    arguments = (bought[0]["transactionId"], None, wish, GetTransactionHistoryVersion.V2)
    world.equal(world.client.get_transaction_history(*arguments).signedTransactions, [], "none is revoked")
    world.simulator.call("POST", f"/transactions/{bought[3]['transactionId']}/refund", {})
    tokens = world.client.get_transaction_history(*arguments).signedTransactions
    world.equal(len(tokens), 1, "one is revoked")
    world.agrees(tokens[0], world.now(bought[3]))
    world.refused(
        APIError.START_DATE_AFTER_END_DATE, world.client.get_transaction_history, bought[0]["transactionId"], None,
        TransactionHistoryRequest(startDate=2, endDate=1), GetTransactionHistoryVersion.V2)


@case(CLIENT, "get_refund_history")
def _(world):
    bought = world.buy(world.customer(), "coins")
    world.equal(world.client.get_refund_history(bought["transactionId"], None).signedTransactions, [], "no refund")
    world.simulator.call("POST", f"/transactions/{bought['transactionId']}/refund", {"revocationReason": 1})
    answer = world.client.get_refund_history(bought["transactionId"], None)
    read = world.agrees(answer.signedTransactions[0], world.now(bought))
    world.equal((read.rawRevocationReason, answer.hasMore), (1, False), "its reason")


@case(CLIENT, "get_all_subscription_statuses")
def _(world):
    bought = world.buy(world.customer(), "month")
    answer = world.client.get_all_subscription_statuses(bought["transactionId"], [Status.ACTIVE])
    world.equal((answer.bundleId, answer.appAppleId, answer.environment), (BUNDLE, 77, Environment.PRODUCTION), "app")
    group = answer.data[0]
    world.equal(group.subscriptionGroupIdentifier, "20000007", "group")
    last = group.lastTransactions[0]
    world.equal((last.status, last.originalTransactionId), (Status.ACTIVE, bought["transactionId"]), "status")
    world.agrees(last.signedTransactionInfo, bought)
    renewal = world.verifier.verify_and_decode_renewal_info(last.signedRenewalInfo)
    world.equal(renewal.autoRenewProductId, "month", "renewal")
    other = world.client.get_all_subscription_statuses(bought["transactionId"], [Status.EXPIRED])
    world.equal(sum(len(item.lastTransactions) for item in other.data), 0, "none has expired")


@case(CLIENT, "look_up_order_id")
def _(world):
    bought = world.buy(world.customer(), "coins")
    order = world.simulator.call("GET", f"/transactions/{bought['transactionId']}")["orderId"]
    answer = world.client.look_up_order_id(order)
    world.equal(answer.status, OrderLookupStatus.VALID, "order")
    world.agrees(answer.signedTransactions[0], bought)
    world.equal(world.client.look_up_order_id("MNONE").status, OrderLookupStatus.INVALID, "no order")


@case(CLIENT, "finish_transaction")
def _(world):
    account = world.customer()
    bought = world.buy(account, "coins")
    for _ in range(2):
        world.client.finish_transaction(bought["transactionId"])
        left = world.simulator.call("GET", f"/unfinished?account={account}&bundleId={BUNDLE}")["transactions"]
        world.equal(left, [], "all is finished")
    world.refused(APIError.TRANSACTION_ID_NOT_FOUND, world.client.finish_transaction, "1")


@case(CLIENT, "set_app_account_token")
def _(world):
    bought, token = world.buy(world.customer(), "coins"), uuid.uuid4()
    world.client.set_app_account_token(
        bought["transactionId"], UpdateAppAccountTokenRequest(appAccountToken=str(token)))
    read = world.verifier.verify_and_decode_signed_transaction(
        world.client.get_transaction_info(bought["transactionId"]).signedTransactionInfo)
    world.equal(str(read.appAccountToken), str(token), "token")
    world.refused(
        APIError.INVALID_APP_ACCOUNT_TOKEN_UUID_ERROR, world.client.set_app_account_token, bought["transactionId"],
        UpdateAppAccountTokenRequest(appAccountToken="alice"))


def declined(world, send, request):
    """A customer asks for a refund, the server says that it prefers none, and twelve hours later there is none."""
    for says, wanted in ((request, None), (None, 0)):
        bought = world.buy(world.customer(), "coins")
        world.simulator.call("POST", f"/transactions/{bought['transactionId']}/refund-request", {})
        if says:
            send(bought["transactionId"], says)
        world.simulator.call("POST", "/clock", {"advanceSeconds": 12 * 3600})
        world.equal(world.now(bought).get("revocationReason"), wanted, "the reason of a refund")


@case(CLIENT, "send_consumption_information")
def _(world):
    request = ConsumptionRequest(
        customerConsented=True, sampleContentProvided=False, deliveryStatus=DeliveryStatus.DELIVERED,
        refundPreference=RefundPreference.DECLINE)
    declined(world, world.client.send_consumption_information, request)
    bought = world.buy(world.customer(), "coins")
    request.customerConsented = False
    world.refused(
        APIError.INVALID_CUSTOMER_CONSENTED, world.client.send_consumption_information, bought["transactionId"], request)


@case(CLIENT, "send_consumption_data")
def _(world):
    request = ConsumptionRequestV1(
        customerConsented=True, sampleContentProvided=False, appAccountToken="",
        consumptionStatus=ConsumptionStatus.NOT_CONSUMED, platform=Platform.APPLE,
        deliveryStatus=DeliveryStatusV1.DELIVERED_AND_WORKING_PROPERLY,
        accountTenure=AccountTenure.THREE_DAYS_TO_TEN_DAYS, playTime=PlayTime.UNDECLARED,
        lifetimeDollarsRefunded=LifetimeDollarsRefunded.UNDECLARED,
        lifetimeDollarsPurchased=LifetimeDollarsPurchased.UNDECLARED, userStatus=UserStatus.ACTIVE,
        refundPreference=RefundPreferenceV1.PREFER_DECLINE)
    declined(world, world.client.send_consumption_data, request)
    for product in ("full", "season"):
        bought = world.buy(world.customer(), product)
        world.refused(
            APIError.INVALID_TRANSACTION_TYPE_NOT_SUPPORTED, world.client.send_consumption_data, bought["transactionId"],
            request)


@case(CLIENT, "extend_subscription_renewal_date")
def _(world):
    bought = world.buy(world.customer(), "mass." + world.way)
    request = ExtendRenewalDateRequest(
        extendByDays=10, extendReasonCode=ExtendReasonCode.CUSTOMER_SATISFACTION, requestIdentifier="one")
    answer = world.client.extend_subscription_renewal_date(bought["transactionId"], request)
    world.equal(
        (answer.success, answer.originalTransactionId, answer.effectiveDate),
        (True, bought["transactionId"], bought["expiresDate"] + 10 * DAY), "extension")
    world.client.extend_subscription_renewal_date(bought["transactionId"], request)
    world.equal(world.now(bought)["expiresDate"], bought["expiresDate"] + 20 * DAY, "two extensions")
    extend = world.client.extend_subscription_renewal_date
    world.refused(APIError.SUBSCRIPTION_MAX_EXTENSION, extend, bought["transactionId"], request)
    trial = world.buy(world.customer(), "month")
    world.refused(APIError.SUBSCRIPTION_EXTENSION_INELIGIBLE, extend, trial["transactionId"], request)
    request.extendByDays = 91
    world.refused(APIError.INVALID_EXTEND_BY_DAYS, extend, bought["transactionId"], request)


@case(CLIENT, "extend_renewal_date_for_all_active_subscribers")
def _(world):
    product, bought = "mass." + world.way, world.buy(world.customer(), "mass." + world.way)
    request = MassExtendRenewalDateRequest(
        extendByDays=3, extendReasonCode=ExtendReasonCode.OTHER, requestIdentifier="all-" + world.way, productId=product,
        storefrontCountryCodes=["CHN"])
    extend = world.client.extend_renewal_date_for_all_active_subscribers
    world.equal(extend(request).requestIdentifier, "all-" + world.way, "mass extension")
    world.equal(world.now(bought)["expiresDate"], bought["expiresDate"] + 3 * DAY, "its end")
    world.refused(APIError.INVALID_REQUEST_IDENTIFIER, extend, request)


@case(CLIENT, "get_status_of_subscription_renewal_date_extensions")
def _(world):
    status = world.client.get_status_of_subscription_renewal_date_extensions
    answer = status("all-" + world.way, "mass." + world.way)
    # The one that was extended twice has had its two extensions.
    world.equal((answer.complete, answer.succeededCount, answer.failedCount), (True, 1, 1), "status")
    world.refused(APIError.STATUS_REQUEST_NOT_FOUND, status, "none", "mass." + world.way)


def tested(world):
    token = world.client.request_test_notification().testNotificationToken
    end = lambda: world.client.get_test_notification_status(token)
    return world.awaits("the test notification", lambda: (answer := end()).sendAttempts and answer)


@case(CLIENT, "request_test_notification")
def _(world):
    answer = tested(world)
    read = world.verifier.verify_and_decode_notification(answer.signedPayload)
    world.equal((read.rawNotificationType, read.data.bundleId), ("TEST", BUNDLE), "test notification")


@case(CLIENT, "get_test_notification_status")
def _(world):
    world.equal(tested(world).sendAttempts[0].sendAttemptResult, SendAttemptResult.SUCCESS, "attempt")
    world.refused(APIError.INVALID_TEST_NOTIFICATION_TOKEN, world.client.get_test_notification_status, "none")


def history_of(world, bought):
    """The notifications of one transaction, by the simulator's clock."""
    wish = NotificationHistoryRequest(
        startDate=bought["purchaseDate"] - DAY, endDate=bought["purchaseDate"] + DAY,
        transactionId=bought["transactionId"])
    return world.awaits(
        "a notification", lambda: world.client.get_notification_history(None, wish).notificationHistory)


@case(CLIENT, "get_notification_history")
def _(world):
    bought = world.buy(world.customer(), "month")
    item = history_of(world, bought)[0]
    read = world.verifier.verify_and_decode_notification(item.signedPayload)
    world.equal((read.rawNotificationType, read.rawSubtype), ("SUBSCRIBED", "INITIAL_BUY"), "history")
    kept = world.simulator.call("GET", "/notifications/" + read.notificationUUID)["signedPayload"]
    world.equal(item.signedPayload, kept, "the same bytes")
    world.refused(
        APIError.START_DATE_AFTER_END_DATE, world.client.get_notification_history, None,
        NotificationHistoryRequest(startDate=2, endDate=1))


@case("AsyncAppStoreServerAPIClient", "async_close")
def _(world):
    if world.client.is_asynchronous:
        world.client.async_close()
        world.equal(world.client.client.http_client.is_closed, True, "closed")


VERIFIER = "SignedDataVerifier"


def is_strict(world, verify, token):
    """A changed payload is refused, and so is what another root signed."""
    head, body, signature = token.split(".")
    changed = ("B" if body[20] == "A" else "A")
    for wrong in (f"{head}.{body[:20]}{changed}{body[21:]}.{signature}", f"{head}.{body}.{signature[:-6]}AAAAAA"):
        try:
            verify(wrong)
            world.expect(False, "a changed token was verified")
        except VerificationException:
            world.findings.done += 1


@case(VERIFIER, "verify_and_decode_signed_transaction")
def _(world):
    bought = world.buy(world.customer(), "full")
    token = world.simulator.call("GET", f"/transactions/{bought['transactionId']}")["signedTransaction"]
    world.agrees(token, bought)
    is_strict(world, world.verifier.verify_and_decode_signed_transaction, token)


@case(VERIFIER, "verify_and_decode_renewal_info")
def _(world):
    bought = world.buy(world.customer(), "month")
    token = world.simulator.call("GET", f"/subscriptions/{bought['transactionId']}")["signedRenewalInfo"]
    read = world.verifier.verify_and_decode_renewal_info(token)
    world.equal(
        (read.originalTransactionId, read.autoRenewStatus.value, read.renewalDate),
        (bought["transactionId"], 1, bought["expiresDate"]), "renewal")
    is_strict(world, world.verifier.verify_and_decode_renewal_info, token)


@case(VERIFIER, "verify_and_decode_app_transaction")
def _(world):
    account = world.customer()
    token = world.simulator.call("GET", f"/app-transaction?account={account}&bundleId={BUNDLE}")["signedAppTransaction"]
    read = world.verifier.verify_and_decode_app_transaction(token)
    world.equal((read.bundleId, read.receiptType), (BUNDLE, Environment.PRODUCTION), "app transaction")
    is_strict(world, world.verifier.verify_and_decode_app_transaction, token)


@case(VERIFIER, "verify_and_decode_notification")
def _(world):
    bought = world.buy(world.customer(), "month")
    token = history_of(world, bought)[0].signedPayload
    read = world.verifier.verify_and_decode_notification(token)
    world.agrees(read.data.signedTransactionInfo, bought)
    world.verifier.verify_and_decode_renewal_info(read.data.signedRenewalInfo)
    is_strict(world, world.verifier.verify_and_decode_notification, token)


@case(VERIFIER, "verify_and_decode_realtime_request")
def _(world):
    # Not imitated: retention messaging. The simulator signs no such request; nothing else passes for one.
    bought = world.buy(world.customer(), "full")
    token = world.simulator.call("GET", f"/transactions/{bought['transactionId']}")["signedTransaction"]
    try:
        world.verifier.verify_and_decode_realtime_request(token)
        world.expect(False, "a transaction passed for a request")
    except (VerificationException, KeyError, TypeError):
        world.findings.done += 1
    except Exception as error:
        world.expect("ClassValidationError" in type(error).__name__, f"{type(error)}: {error}")


@case("ReceiptUtility", "extract_transaction_id_from_app_receipt")
def _(world):
    account = world.customer()
    address = f"/app-receipt?account={account}&bundleId={BUNDLE}"
    empty = world.simulator.call("GET", address)["appReceipt"]
    world.equal(ReceiptUtility().extract_transaction_id_from_app_receipt(empty), None, "an empty receipt")
    bought = world.buy(account, "full")
    receipt = world.simulator.call("GET", address)["appReceipt"]
    found = ReceiptUtility().extract_transaction_id_from_app_receipt(receipt)
    world.equal(found, bought["transactionId"], "a receipt")


@case("ReceiptUtility", "extract_transaction_id_from_transaction_receipt")
def _(world):
    bought = world.buy(world.customer(), "coins")
    receipt = world.simulator.call("GET", f"/transactions/{bought['transactionId']}/receipt")["transactionReceipt"]
    found = ReceiptUtility().extract_transaction_id_from_transaction_receipt(receipt)
    world.equal(found, bought["transactionId"], "a receipt of iOS 6")


def is_refused(world, account, product, **more):
    try:
        world.buy(account, product, **more)
        world.expect(False, f"{product} was sold for {sorted(more)}")
    except urllib.error.HTTPError as refusal:
        world.equal(refusal.code, 422, "a wrong signature")


@case("PromotionalOfferSignatureCreator", "create_signature")
def _(world):
    key, key_id, _, bundle = world.names
    account, user, nonce = world.customer(), str(uuid.uuid4()), uuid.uuid4()
    world.buy(account, "month")
    now = int(time.time() * 1000)
    signature = PromotionalOfferSignatureCreator(key, key_id, bundle).create_signature(
        "month", "half", user, nonce, now)
    proof = {"keyIdentifier": key_id, "nonce": str(nonce), "timestamp": now, "signature": signature}
    more = {"offerIdentifier": "half", "appAccountToken": user}
    is_refused(world, account, "month", **more, offerSignature={**proof, "timestamp": now - 1})
    bought = world.buy(account, "month", **more, offerSignature=proof)
    world.expect(bought["transactionId"], "the offer")


@case("PromotionalOfferV2SignatureCreator", "create_signature")
def _(world):
    account = world.customer()
    first = world.buy(account, "month")
    creator = PromotionalOfferV2SignatureCreator(*world.names)
    other = creator.create_signature("month", "other", first["transactionId"])
    is_refused(world, account, "month", offerIdentifier="half", offerJWS=other)
    token = creator.create_signature("month", "half", first["transactionId"])
    bought = world.buy(account, "month", offerIdentifier="half", offerJWS=token)
    world.expect(bought["transactionId"], "the offer")


@case("IntroductoryOfferEligibilitySignatureCreator", "create_signature")
def _(world):
    account = world.customer()
    app = world.simulator.call("GET", f"/app-transaction?account={account}&bundleId={BUNDLE}")["signedAppTransaction"]
    app_id = world.verifier.verify_and_decode_app_transaction(app).appTransactionId
    creator = IntroductoryOfferEligibilitySignatureCreator(*world.names)
    bought = world.buy(
        account, "month", introductoryOfferEligibility=creator.create_signature("month", False, app_id))
    world.equal(bought.get("offerType"), None, "the trial is denied")
    second = world.buy(world.customer(), "month")
    world.equal(second.get("offerType"), 1, "the trial")


@case("AdvancedCommerceAPIInAppSignatureCreator", "create_signature")
def _(world):
    # Not imitated: advanced commerce, on application. Its token is taken for nothing else.
    account = world.customer()
    first = world.buy(account, "month")
    request = attr.define(type("Request", (AdvancedCommerceAPIInAppRequest,), {}))()
    token = AdvancedCommerceAPIInAppSignatureCreator(*world.names).create_signature(request)
    world.expect(first, "the first")
    is_refused(world, account, "month", offerIdentifier="half", offerJWS=token)

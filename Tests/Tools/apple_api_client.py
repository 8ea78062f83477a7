"""Calls the simulated App Store of `counterfoil-lab simulator` with Apple's Python client: app-store-server-library.

Usage: apple_api_client.py PORT OUTPUT

PORT: the port of the simulator on this machine.
OUTPUT: JSON with `wrong`, the failed checks in words, and `done`, the number of checks that passed.
"""

import http.server
import json
import pathlib
import sys
import threading
import time
import urllib.request
import uuid

import jwt
from appstoreserverlibrary.api_client import APIError, APIException, AppStoreServerAPIClient
from appstoreserverlibrary.api_client import GetTransactionHistoryVersion
from appstoreserverlibrary.models.ConsumptionRequest import ConsumptionRequest
from appstoreserverlibrary.models.DeliveryStatus import DeliveryStatus
from appstoreserverlibrary.models.ExtendReasonCode import ExtendReasonCode
from appstoreserverlibrary.models.ExtendRenewalDateRequest import ExtendRenewalDateRequest
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.MassExtendRenewalDateRequest import MassExtendRenewalDateRequest
from appstoreserverlibrary.models.NotificationHistoryRequest import NotificationHistoryRequest
from appstoreserverlibrary.models.OrderLookupStatus import OrderLookupStatus
from appstoreserverlibrary.models.SendAttemptResult import SendAttemptResult
from appstoreserverlibrary.models.Status import Status
from appstoreserverlibrary.models.TransactionHistoryRequest import Order, ProductType, TransactionHistoryRequest
from appstoreserverlibrary.models.UpdateAppAccountTokenRequest import UpdateAppAccountTokenRequest

BUNDLE = "com.example.asked"
ALICE = "alice@example.com"


class Findings:
    def __init__(self):
        self.wrong = []
        self.done = 0

    def expect(self, holds, words):
        if holds:
            self.done += 1
        else:
            self.wrong.append(words)

    def refused(self, error, words, call):
        try:
            call()
            self.wrong.append(words + ": not refused")
        except APIException as refusal:
            self.expect(refusal.api_error == error, f"{words}: {refusal}")


class Simulator:
    """The control API."""

    def __init__(self, base):
        self.base = base

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + "/simulator" + path, data, method=method)
        with urllib.request.urlopen(request) as answer:
            content = answer.read()
            return json.loads(content) if content else None

    def buy(self, product):
        body = {"account": ALICE, "bundleId": BUNDLE, "productId": product}
        return self.call("POST", "/purchases", body)["transaction"]["transactionId"]


def listen():
    """A server that accepts every notification."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *arguments):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def said(token):
    return jwt.decode(token, options={"verify_signature": False})


def client_of(simulator, base, environment):
    keys = simulator.call("GET", "/api-keys")
    key = keys["keys"][0]
    client = AppStoreServerAPIClient(
        keys["testPrivateKey"].encode(), key["keyId"], key["issuerId"], BUNDLE, environment)
    client._base_url = base + "/app-store/" + environment.value.lower()
    return client


def furnish(simulator):
    address = f"http://127.0.0.1:{listen()}/"
    simulator.call("PUT", f"/apps/{BUNDLE}", {"appAppleId": 77, "notificationUrl": address})
    for name, fields in {
        "coins": {"type": "Consumable"},
        "month": {
            "type": "Auto-Renewable Subscription", "subscriptionGroupIdentifier": "20000007", "period": "P1M"},
    }.items():
        simulator.call("PUT", f"/apps/{BUNDLE}/products/{name}", {"price": 6000, "currency": "CNY"} | fields)
    simulator.call("PUT", f"/accounts/{ALICE}", {"environment": "Production"})


def ask_about_transactions(simulator, client, findings, coins, month):
    info = client.get_transaction_info(coins[0])
    findings.expect(said(info.signedTransactionInfo)["transactionId"] == coins[0], "transaction info")
    app = said(client.get_app_transaction_info(coins[0]).signedAppTransactionInfo)
    findings.expect(app["bundleId"] == BUNDLE, "app transaction")
    wish = TransactionHistoryRequest(sort=Order.ASCENDING, productTypes=[ProductType.CONSUMABLE])
    first = client.get_transaction_history(coins[0], None, wish, GetTransactionHistoryVersion.V2)
    findings.expect(first.hasMore and len(first.signedTransactions) == 20, "the first page")
    simulator.call("POST", f"/transactions/{coins[1]}/refund", {})
    rest = client.get_transaction_history(coins[0], first.revision, wish, GetTransactionHistoryVersion.V2)
    ids = [said(token)["transactionId"] for token in rest.signedTransactions]
    findings.expect(not rest.hasMore and ids == coins[20:] + [coins[1]], "the second page has the refund last")
    refunds = client.get_refund_history(coins[0], None)
    findings.expect([said(t)["transactionId"] for t in refunds.signedTransactions] == [coins[1]], "refund history")
    statuses = client.get_all_subscription_statuses(coins[0], [Status.ACTIVE])
    findings.expect(statuses.data[0].lastTransactions[0].originalTransactionId == month, "statuses")
    order = simulator.call("GET", f"/transactions/{coins[2]}")["orderId"]
    found = client.look_up_order_id(order)
    findings.expect(found.status == OrderLookupStatus.VALID and len(found.signedTransactions) == 1, "order id")
    findings.expect(client.look_up_order_id("MNONE").status == OrderLookupStatus.INVALID, "unknown order id")


def change(simulator, client, findings, coins):
    client.finish_transaction(coins[0])
    owner = f"?account={ALICE}&bundleId={BUNDLE}"
    left = simulator.call("GET", "/unfinished" + owner)["transactions"]
    findings.expect(all(item["transaction"]["transactionId"] != coins[0] for item in left), "finished")
    token = str(uuid.uuid4())
    client.set_app_account_token(coins[0], UpdateAppAccountTokenRequest(appAccountToken=token))
    now = said(client.get_transaction_info(coins[0]).signedTransactionInfo)
    findings.expect(now["appAccountToken"] == token, "the token is set")
    client.send_consumption_information(
        coins[0], ConsumptionRequest(
            customerConsented=True, sampleContentProvided=False, deliveryStatus=DeliveryStatus.DELIVERED))
    findings.done += 1


def ask_about_notifications(client, findings):
    token = client.request_test_notification().testNotificationToken
    end = time.time() + 30
    result = None
    while time.time() < end and result is None:
        attempts = client.get_test_notification_status(token).sendAttempts
        result = attempts[0].sendAttemptResult if attempts else None
        time.sleep(0.05)
    findings.expect(result == SendAttemptResult.SUCCESS, f"the test notification: {result}")
    now = int(time.time() * 1000)
    wish = NotificationHistoryRequest(startDate=now - 86_400_000, endDate=now + 60_000)
    # The history has what was sent, and a busy machine sends late.
    first = client.get_notification_history(None, wish)
    end = time.time() + 60
    while time.time() < end and not first.hasMore:
        time.sleep(0.1)
        first = client.get_notification_history(None, wish)
    findings.expect(first.hasMore and len(first.notificationHistory) == 20, "the first page of notifications")
    second = client.get_notification_history(first.paginationToken, wish)
    findings.expect(len(second.notificationHistory) > 0, "the second page of notifications")


def extend(client, findings, coins, month):
    before = said(client.get_all_subscription_statuses(month).data[0].lastTransactions[0].signedTransactionInfo)
    wish = ExtendRenewalDateRequest(
        extendByDays=10, extendReasonCode=ExtendReasonCode.SERVICE_ISSUE_OR_OUTAGE, requestIdentifier="outage-1")
    extended = client.extend_subscription_renewal_date(month, wish)
    findings.expect(
        extended.success and extended.originalTransactionId == month
        and extended.webOrderLineItemId == before["webOrderLineItemId"]
        and extended.effectiveDate == before["expiresDate"] + 10 * 86_400_000, f"extension: {extended}")
    mass = MassExtendRenewalDateRequest(
        extendByDays=3, extendReasonCode=ExtendReasonCode.OTHER, requestIdentifier="outage-2", productId="month",
        storefrontCountryCodes=["CHN", "USA"])
    findings.expect(
        client.extend_renewal_date_for_all_active_subscribers(mass).requestIdentifier == "outage-2", "mass extension")
    status = client.get_status_of_subscription_renewal_date_extensions("outage-2", "month")
    findings.expect(
        status.complete and status.succeededCount == 1 and status.failedCount == 0 and status.completeDate > 0,
        f"status of the mass extension: {status}")
    after = said(client.get_all_subscription_statuses(month).data[0].lastTransactions[0].signedTransactionInfo)
    findings.expect(after["expiresDate"] == before["expiresDate"] + 13 * 86_400_000, "both extensions")
    findings.refused(
        APIError.SUBSCRIPTION_MAX_EXTENSION, "third", lambda: client.extend_subscription_renewal_date(month, wish))
    findings.refused(
        APIError.SUBSCRIPTION_EXTENSION_INELIGIBLE, "no subscription",
        lambda: client.extend_subscription_renewal_date(coins[0], wish))
    findings.refused(
        APIError.STATUS_REQUEST_NOT_FOUND, "unknown request",
        lambda: client.get_status_of_subscription_renewal_date_extensions("outage-3", "month"))
    summary = None
    for item in history(client):
        payload = said(item.signedPayload)
        if payload.get("subtype") == "SUMMARY":
            summary = payload["summary"]
    findings.expect(
        summary and summary["storefrontCountryCodes"] == ["CHN", "USA"] and summary["requestIdentifier"] == "outage-2",
        f"the summary: {summary}")


def history(client):
    """All notifications that were sent, when there is a summary among them."""
    now = int(time.time() * 1000)
    wish = NotificationHistoryRequest(startDate=now - 86_400_000, endDate=now + 60_000)
    end = time.time() + 60
    while True:
        items, token = [], None
        while True:
            page = client.get_notification_history(token, wish)
            items += page.notificationHistory
            if not page.hasMore:
                break
            token = page.paginationToken
        if time.time() > end or any(said(item.signedPayload).get("subtype") == "SUMMARY" for item in items):
            return items
        time.sleep(0.1)


def be_refused(simulator, client, sandbox, findings, coins):
    findings.refused(APIError.TRANSACTION_ID_NOT_FOUND, "unknown", lambda: client.get_transaction_info("99"))
    findings.refused(APIError.INVALID_TRANSACTION_ID, "no number", lambda: client.get_transaction_info("abc"))
    findings.refused(
        APIError.TRANSACTION_ID_NOT_FOUND, "of the other App Store", lambda: sandbox.get_transaction_info(coins[0]))
    simulator.call("POST", "/api-faults", {"fault": "rateLimited"})
    findings.refused(APIError.RATE_LIMIT_EXCEEDED, "limit", lambda: client.get_transaction_info(coins[0]))
    simulator.call("POST", "/api-faults", {"fault": "htmlError"})
    findings.refused(None, "a gateway's page", lambda: client.get_transaction_info(coins[0]))
    stranger = AppStoreServerAPIClient.__new__(AppStoreServerAPIClient)
    stranger.__dict__.update(client.__dict__)
    stranger._key_id = "ABCDEFGHJK"
    try:
        stranger.get_transaction_info(coins[0])
        findings.wrong.append("a stranger's key was taken")
    except APIException as refusal:
        findings.expect(refusal.http_status_code == 401 and refusal.raw_api_error is None, "401 without JSON")


def main():
    base = f"http://127.0.0.1:{sys.argv[1]}"
    simulator, findings = Simulator(base), Findings()
    furnish(simulator)
    client = client_of(simulator, base, Environment.PRODUCTION)
    sandbox = client_of(simulator, base, Environment.SANDBOX)
    coins = [simulator.buy("coins") for _ in range(25)]
    month = simulator.buy("month")
    ask_about_transactions(simulator, client, findings, coins, month)
    change(simulator, client, findings, coins)
    ask_about_notifications(client, findings)
    extend(client, findings, coins, month)
    be_refused(simulator, client, sandbox, findings, coins)
    pathlib.Path(sys.argv[2]).write_text(json.dumps({"wrong": findings.wrong, "done": findings.done}))


if __name__ == "__main__":
    main()

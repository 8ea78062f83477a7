"""Makes a client from the server's own /openapi.json with openapi-python-client, and buys with it at both stores.

Usage: generated_client.py PROGRAM FOLDER OUTPUT

OUTPUT: JSON with `modules`, the number of calls that the client has, `done`, the number of checks that passed, and
`wrong`, the failed ones in words.
"""

import datetime
import importlib
import json
import os
import pathlib
import subprocess
import sys

from backend_shop import PATIENCE, BackendShop
from served_site import Findings, ask


def make(shop, folder):
    """Makes the client into the folder; returns the number of operations in the document."""
    document = ask(shop.server + "/openapi.json")
    (folder / "openapi.json").write_text(json.dumps(document))
    made = subprocess.run(
        [sys.executable, "-m", "openapi_python_client", "generate", "--path", str(folder / "openapi.json"),
         "--output-path", str(folder / "made")],
        capture_output=True, text=True, timeout=PATIENCE * 3,
        # Its formatter lies beside Python.
        env=os.environ | {"PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]})
    if made.returncode != 0 or "WARNING" in made.stdout:
        raise RuntimeError(made.stdout[-3000:] + made.stderr[-3000:])
    sys.path.insert(0, str(folder / "made"))
    return [operation for path in document["paths"].values() for operation in path.values()]


class Made:
    """The client that was made: its calls by tag and name, and its models."""

    def __init__(self, shop, token):
        self.client = importlib.import_module("counterfoil_client").AuthenticatedClient(
            base_url=shop.server, token=token, timeout=PATIENCE)
        self.models = importlib.import_module("counterfoil_client.models")

    def call(self, tag, name, *arguments, **named):
        module = importlib.import_module(f"counterfoil_client.api.{tag}.{name}")
        return module.sync(*arguments, client=self.client, **named)


def buys(shop, findings, backend, phone):
    models = backend.models
    products = phone.call("rights", "read_products").products
    findings.expect([one.product_id for one in products] == ["coins.100"], f"{products}")
    findings.expect(products[0].we_chat_price_in_fen == 600 and products[0].grant.amount == 100, f"{products}")

    wish = models.CreateOrder(
        product_id="coins.100", store=models.CreateOrderStore.APPSTORE, platform="ios", user_id="alice",
        reference="M-1", metadata=models.CreateOrderMetadata.from_dict({"level": 7}))
    order = backend.call("orders", "create_order", body=wish, idempotency_key="M-1")
    again = backend.call("orders", "create_order", body=wish, idempotency_key="M-1")
    findings.expect(order.id == again.id and order.reference == "M-1", f"{order}, {again}")
    findings.expect(order.metadata.to_dict() == {"level": 7}, f"{order.metadata}")
    findings.expect(isinstance(order.created_at, datetime.datetime), f"{order.created_at}")
    paid = shop.pay_app_store("alice", order.to_dict())
    answer = phone.call("payments", "submit_app_store_payment", body=models.SubmitAppStorePayment(
        evidence=paid["signedTransaction"], order_ids=[str(order.id)], same_run=str(order.id)))
    payment = answer.payments[0]
    findings.expect(payment.verdict == "fulfilled" and payment.finish is True, f"{answer}")
    findings.expect(payment.order_id == order.id and payment.reference == "M-1", f"{payment}")
    noted = phone.call("payments", "report_finished", body=models.ReportFinished([payment.transaction_id]))
    findings.expect(noted.noted == 1, f"{noted}")
    read = phone.call("orders", "read_order", str(order.id), wait=20)
    findings.expect(read.state == "paid" and read.app_store.app_account_token == order.id, f"{read}")

    for trade, more in (("APP", {}), ("JSAPI", {"open_id": "oSomebodyWhoPays0000000000"}),
                        ("H5", {"payer_address": "203.0.113.7"}), ("NATIVE", {})):
        number = "W-" + trade
        order = backend.call("orders", "create_order", idempotency_key=number, body=models.CreateOrder(
            product_id="coins.100", store=models.CreateOrderStore.WECHATPAY, platform="web", user_id="alice",
            trade_type=models.CreateOrderTradeType(trade), reference=number, **more))
        fresh = backend.call("orders", "prepare_we_chat_pay", str(order.id), body=models.NamesUser(user_id="alice"))
        findings.expect(fresh.price.amount == 600 and fresh.id == order.id, f"{fresh}")
        shop.pay_wechat(fresh.to_dict())
        checked = phone.call("payments", "check_we_chat_pay", body=models.CheckWeChatPay(str(order.id)))
        findings.expect(checked.verdict == "fulfilled" and checked.order.state == "paid", f"{trade}: {checked}")
    balances = phone.call("rights", "read_balances").balances
    findings.expect([one.amount for one in balances] == [500], f"{balances}")
    return order


def is_told(findings, backend, phone, order):
    """The backend asks for its deliveries, refunds, debits; and a refusal is a problem with a code."""
    models = backend.models
    taken = backend.call("deliveries", "claim_deliveries", body=models.ClaimDeliveries(
        environment=models.ClaimDeliveriesEnvironment.SIMULATED)).deliveries
    findings.expect(len(taken) == 5, f"{len(taken)} deliveries")
    for one in taken:
        findings.expect(one.delivery.type_ == "grant.created" and one.delivery.units.amount == 100, f"{one}")
        known = backend.call("deliveries", "acknowledge_delivery", one.id)
        findings.expect(known.state == "acknowledged", f"{known}")
    refund = backend.call("refunds", "refund_order", str(order.id), idempotency_key="refund-1",
                          body=models.RefundOrder(amount=150, reason="asked by the customer"))
    findings.expect(refund.amount == 150 and refund.total == 600, f"{refund}")
    debit = backend.call("wallet", "debit_balance", "alice", "coin", idempotency_key="sword-1",
                         body=models.DebitBalance(amount=30, environment=models.DebitBalanceEnvironment.SIMULATED))
    findings.expect(debit.amount == 30, f"{debit}")
    refused = phone.call("orders", "read_order", "01a1fb1e-2370-7453-9ed9-1e100709443f")
    findings.expect(refused.code == "order_unknown" and refused.status == 404, f"{refused}")


def main(program, folder, output):
    folder, findings = pathlib.Path(folder), Findings()
    (folder / "shop").mkdir()
    shop = BackendShop(program, folder / "shop", None)
    try:
        operations = make(shop, folder)
        modules = [path for path in (folder / "made/counterfoil_client/api").glob("*/*.py") if path.stem != "__init__"]
        findings.expect(len(modules) == len(operations), f"{len(modules)} calls of {len(operations)}")
        backend, phone = Made(shop, shop.secret), Made(shop, shop.token("alice"))
        order = buys(shop, findings, backend, phone)
        is_told(findings, backend, phone, order)
    finally:
        shop.close()
    pathlib.Path(output).write_text(json.dumps(
        {"wrong": findings.wrong, "done": findings.done, "modules": len(modules)}, ensure_ascii=False))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Runs a backend of `Examples/Backends` against the built server and both simulated stores.

Usage: backend_runs.py PROGRAM LANGUAGE FOLDER OUTPUT

LANGUAGE: java, spring, go, node, python, php or swift. OUTPUT: JSON with `done`, the number of checks that passed,
`wrong`, the failed ones in words, and `purchases`, their number in the ledger.
"""

import collections
import concurrent.futures
import json
import pathlib
import sys
import time

from backend_builds import command
from backend_shop import BackendShop
from served_site import Findings, ask

BODY_MAX = 512 * 1024  # bytes


def until_delivered(shop, user, order):
    """The order once the backend has acknowledged it; on a busy machine the first attempt may fail."""
    for _ in range(3):
        status, read = shop.phone(user, "GET", f"/v1/orders/{order['id']}?wait=20&until=delivered")
        if read.get("delivery") == "acknowledged":
            break
    return status, read


def buys_at_app_store(shop, findings):
    """1B.16: our own number is made first, and the phone speaks to the backend alone."""
    wish = {"productId": "coins.100", "store": "appStore", "platform": "ios", "scene": "shop",
            "metadata": {"level": 7, "big": 9007199254740993, "名": "é"}}
    status, order = shop.phone("alice", "POST", "/v1/orders", wish, "key-1")
    findings.expect(status == 201, f"the order was answered {status} {order}")
    findings.expect(order["reference"].startswith("M-") and "referenceFrom" not in order, f"{order}")
    findings.expect(order["metadata"] == wish["metadata"] and order["userId"] == "alice", f"{order}")
    again = shop.phone("alice", "POST", "/v1/orders", wish, "key-1", address="198.51.100.9")
    findings.expect(again[0] == 200 and again[1]["id"] == order["id"], f"a repeat was answered {again}")
    paid = shop.pay_app_store("alice", order)
    status, answer = shop.phone("alice", "POST", "/v1/payments/app-store", {
        "evidence": paid["signedTransaction"], "orderIds": [order["id"]], "parameters": {"n": 1}})
    payment = answer["payments"][0]
    findings.expect(payment["verdict"] == "fulfilled" and payment["finish"] is True, f"{status} {answer}")
    finished = shop.phone("alice", "POST", "/v1/payments/app-store/finished", {
        "transactionIds": [payment["transactionId"]]})
    findings.expect(finished == (200, {"noted": 1}), f"finished: {finished}")
    status, order = until_delivered(shop, "alice", order)
    findings.expect(order["state"] == "paid" and order["delivery"] == "acknowledged", f"{status} {order}")
    findings.expect(shop.balance("alice") == 100, f"alice has {shop.balance('alice')}")
    listed = shop.phone("alice", "GET", "/v1/orders")[1]["orders"]
    findings.expect([one["id"] for one in listed] == [order["id"]], f"alice's orders: {listed}")
    products = shop.phone("alice", "GET", "/v1/products")[1]["products"]
    findings.expect([one["weChatPriceInFen"] for one in products] == [600], f"products: {products}")
    balances = shop.phone("alice", "GET", "/v1/balances")[1]["balances"]
    findings.expect(balances[0]["amount"] == 100, f"the server's balances: {balances}")
    findings.expect(shop.phone("alice", "GET", "/v1/entitlements") == (200, {"entitlements": []}), "entitlements")


def buys_at_wechat_pay(shop, findings):
    """All four trade types, with the fields that each needs; H5 with the payer's address as the proxy told it."""
    for number, (user, more) in enumerate((
            ("bob", {"platform": "android"}), ("bea", {"platform": "miniProgram", "tradeType": "JSAPI",
                                                       "openId": "oSomebodyWhoPays0000000000"}),
            ("ben", {"platform": "web", "tradeType": "H5", "scene": "landing"}),
            ("bo", {"platform": "web", "tradeType": "NATIVE", "quantity": 2, "metadata": {"campaign": "spring"}}))):
        wish = {"productId": "coins.100", "store": "weChatPay"} | more
        key = f"wechat-{number}"
        status, order = shop.phone(user, "POST", "/v1/orders", wish, key)
        findings.expect(status == 201 and "weChatPay" in (order or {}), f"{more}: {status} {order}")
        moved = shop.phone(user, "POST", "/v1/orders", wish, key, address="198.51.100.77")
        findings.expect(moved[0] == 200 and moved[1]["id"] == order["id"], f"from another network: {moved}")
        status, fresh = shop.phone(user, "POST", f"/v1/orders/{order['id']}/wechat-pay", {})
        findings.expect(status == 200 and "weChatPay" in fresh, f"fresh parameters: {status} {fresh}")
        if number == 0:  # the server asks WeChat Pay twice, which takes five seconds
            before = shop.phone(user, "POST", "/v1/payments/wechat-pay", {"orderId": order["id"]})
            findings.expect(before[1]["verdict"] == "unpaid", f"before the payment: {before}")
        visit = shop.pay_wechat(fresh)
        findings.expect("reason" not in visit or visit["reason"] is None, f"{more}: the cashier said {visit}")
        status, checked = shop.phone(user, "POST", "/v1/payments/wechat-pay", {"orderId": order["id"]})
        findings.expect(checked["verdict"] == "fulfilled", f"{more}: {status} {checked}")
        done = until_delivered(shop, user, order)[1]
        findings.expect(done["delivery"] == "acknowledged", f"{done}")
        findings.expect(done.get("metadata") == more.get("metadata"), f"{done}")
        findings.expect(shop.balance(user) == 100 * more.get("quantity", 1), f"{user} has {shop.balance(user)}")


def purchase(shop, user, key, store="appStore"):
    """A purchase from the order to the server's verdict."""
    wish = {"productId": "coins.100", "store": store, "platform": "android"}
    order = shop.phone(user, "POST", "/v1/orders", wish, key)[1]
    if store == "weChatPay":
        shop.pay_wechat(order)
        answer = shop.phone(user, "POST", "/v1/payments/wechat-pay", {"orderId": order["id"]})[1]
        verdict = answer["verdict"]
    else:
        evidence = shop.pay_app_store(user, order)["signedTransaction"]
        answer = shop.phone(user, "POST", "/v1/payments/app-store", {"evidence": evidence})[1]
        verdict = answer["payments"][0]["verdict"]
    if verdict != "fulfilled":
        raise AssertionError(f"{user} at {store}: {answer}")
    return order


def wake(shop):
    """An idle server looks for due deliveries every 30 s, and at each new one: the wait is cut short by a purchase."""
    time.sleep(1.2)  # the pause before the second attempt
    shop.wakers += 1
    purchase(shop, "waker", f"waker-{shop.wakers}")


def delivered_twice(shop, findings):
    """The backend booked, and the server did not hear it: the same delivery comes again."""
    for store in ("appStore", "weChatPay"):
        user = "twice-" + store
        shop.relay.plans.append("repeat")
        seen = len(shop.relay.seen)
        purchase(shop, user, user, store)
        wake(shop)
        shop.await_delivered()
        came = [headers["webhook-id"] for headers, _, status in shop.relay.seen[seen:] if status == 204]
        findings.expect(sorted(collections.Counter(came).values()) == [1, 2], f"{store}: it came as {came}")
        findings.expect(shop.balance(user) == 100, f"{user} has {shop.balance(user)}")


def restarted_in_the_middle(shop, findings):
    """Killed when the booking is on disk and before the server hears it; and not running when a delivery comes."""
    for store in ("appStore", "weChatPay"):
        user = "killed-" + store
        shop.relay.plans.append(shop.kill_backend)
        purchase_with_late_answer(shop, user, store)
        deadline = time.monotonic() + 60
        while shop.backend is not None and time.monotonic() < deadline:
            time.sleep(0.05)
        findings.expect(shop.backend is None, f"{store}: no delivery came")
        booked = shop.rows(f"SELECT amount FROM wallet WHERE user_id = '{user}'")
        findings.expect(booked == [(100,)], f"{store}: it died before it had booked: {booked}")
        shop.start_backend()
        wake(shop)
        shop.await_delivered()
        findings.expect(shop.balance(user) == 100, f"{user} has {shop.balance(user)}")
    order = shop.phone("absent", "POST", "/v1/orders", {"productId": "coins.100", "store": "appStore"}, "absent")[1]
    evidence = shop.pay_app_store("absent", order)["signedTransaction"]
    shop.kill_backend()
    shop.ask("/v1/payments/app-store", "POST", {"userId": "absent", "evidence": evidence})
    shop.start_backend()
    wake(shop)
    shop.await_delivered()
    findings.expect(shop.balance("absent") == 100, f"absent has {shop.balance('absent')}")
    again = shop.phone("absent", "POST", "/v1/orders", {"productId": "coins.100", "store": "appStore"}, "absent")
    findings.expect(again[1]["id"] == order["id"], f"after the restart the key makes another order: {again}")


def purchase_with_late_answer(shop, user, store):
    """As `purchase`, but the backend may end while it answers the phone: the server has the evidence by then."""
    try:
        purchase(shop, user, user, store)
    except (OSError, AssertionError, TypeError, KeyError) as failure:
        print(f"{user}: {failure!r}", file=sys.stderr)
    except Exception as failure:  # http.client's own kinds of broken answers
        print(f"{user}: {failure!r}", file=sys.stderr)


def refunded(shop, findings):
    """1B.17: what is paid back is taken back, in part and wholly, and given back when the refund is undone."""
    purchase(shop, "rita", "rita-1")
    charge = shop.control("GET", "/transactions?account=rita")["transactions"][-1]["transactionId"]
    count = len(shop.await_delivered())
    for call, body, held in (("refund", {"percentage": 40000}, 60), ("refund", {}, 0), ("refund-reversal", None, 100)):
        shop.control("POST", f"/transactions/{charge}/{call}", body)
        count += 1
        shop.await_delivered(count)
        findings.expect(shop.balance("rita") == held, f"after {call} {body} rita has {shop.balance('rita')}")
    # Of one order WeChat Pay takes one refund a minute: each of two orders has one.
    for user, amount, held, word in (("rob", 150, 75, "partial"), ("ron", 600, 0, "full")):
        order = purchase(shop, user, user, "weChatPay")
        count = len(shop.await_delivered())
        shop.ask(f"/v1/orders/{order['id']}/refund", "POST", {"amount": amount}, "refund-" + user)
        shop.await_delivered(count + 1)
        findings.expect(shop.balance(user) == held, f"after {amount} fen {user} has {shop.balance(user)}")
        state = shop.phone(user, "GET", f"/v1/orders/{order['id']}")[1]
        findings.expect(state["refundState"] == word, f"{state}")


def replayed(shop, findings):
    """Everything that came is sent again, as it came and newly signed, in the reverse order. Nothing changes."""
    before = wallet(shop)
    genuine = [(headers, body) for headers, body, status in shop.relay.seen if status == 204]
    for headers, body in reversed(genuine):
        fresh = abs(time.time() - int(headers["webhook-timestamp"])) < 290
        status = shop.send("POST", "/counterfoil", body, headers)[0]
        findings.expect(status == 204 or not fresh, f"a replay was answered {status}")
        findings.expect(shop.deliver(json.loads(body)) == 204, "a repeat under a new time was refused")
    findings.expect(wallet(shop) == before, f"replays changed {before} to {wallet(shop)}")


def wallet(shop):
    return sorted(shop.rows("SELECT user_id, unit, amount FROM wallet"))


def made(shop, number, kind, sequence, **more):
    """A delivery that the server never made; the user `nobody` is not part of the ledger."""
    return {"type": kind, "id": f"dlv_made_{number}", "sequence": sequence, "app": "demo", "environment": "simulated",
            "userId": "nobody", "match": ["exact"], "store": "appStore", "transactionId": "made-1",
            "productId": "coins.100", "quantity": 1, "units": {"unit": "coin", "amount": 100},
            "occurredAt": "2026-01-01T00:00:00Z"} | more


def repeated(shop):
    return made(shop, 3, "grant.reinstated", 3, takenBack=0, inForce=100, units={"unit": "coin", "amount": 30})


def out_of_order(shop, findings):
    """The highest sequence counts, whatever arrives last; eight at once are one."""
    reversal = made(shop, 2, "grant.reversed", 2, takenBack=30, inForce=70, units={"unit": "coin", "amount": 30})
    findings.expect(shop.deliver(reversal) == 204 and shop.balance("nobody") == 70, f"{shop.balance('nobody')}")
    created = made(shop, 1, "grant.created", 1)
    findings.expect(shop.deliver(created) == 204 and shop.balance("nobody") == 70, f"{shop.balance('nobody')}")
    later = repeated(shop)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: shop.deliver(later), range(8)))
    findings.expect(answers.count(204) >= 1 and set(answers) <= {204, 503}, f"eight at once: {answers}")
    findings.expect(shop.balance("nobody") == 100, f"after eight at once: {shop.balance('nobody')}")
    lasting = made(shop, 4, "grant.created", 1, transactionId="made-2", productId="premium",
                   entitlement={"name": "premium"})
    del lasting["units"]
    findings.expect(shop.deliver(lasting) == 204, "an entitlement was refused")
    held = shop.rows("SELECT gives, in_force FROM holding WHERE transaction_id = 'made-2'")
    findings.expect(held == [("premium", 1)], f"the entitlement: {held}")


def forged(shop, findings):
    """1B.17: nothing is booked without the right secret, a time near now, and one id outside and inside."""
    before = wallet(shop), len(shop.rows("SELECT id FROM delivery"))
    false = made(shop, "forged", "grant.created", 9, units={"unit": "coin", "amount": 1000000})
    now = int(time.time())
    for words, status, arguments in (
        ("with another secret", 401, {"secret": "whsec_" + "A" * 44}),
        ("with a wrong signature", 401, {"signature": "v1," + "A" * 43 + "="}),
        ("with a signature that is no base64", 401, {"signature": "v1,%%%"}),
        ("signed in no known way", 401, {"signature": "v1a,{}"}),
        ("with an empty signature", 401, {"signature": " "}),
        ("without a signature", 401, {"without": ["webhook-signature"]}),
        ("without a time", 401, {"without": ["webhook-timestamp"]}),
        ("without an id", 401, {"without": ["webhook-id"]}),
        ("of an hour ago", 401, {"sent": now - 3600}), ("of six minutes ago", 401, {"sent": now - 360}),
        ("of six minutes ahead", 401, {"sent": now + 360}), ("at no time at all", 401, {"sent": "soon"}),
        ("at a time with a sign", 401, {"sent": "-1"}), ("at a huge time", 401, {"sent": "9" * 30}),
        ("with another id outside than inside", 400, {"identifier": "dlv_other"}),
    ):
        answered = shop.deliver(false, **arguments)
        findings.expect(answered == status, f"a delivery {words} was answered {answered}")
    for words, status, body, name in (
        ("of no JSON", 400, b"{", "dlv_bad"), ("of a list", 400, b"[]", "dlv_bad"), ("of nothing", 400, b"", "dlv_bad"),
        ("without a user", 400, json.dumps({**false, "userId": None}).encode(), false["id"]),
        ("without units", 400, json.dumps({**false, "units": None}).encode(), false["id"]),
        ("with a text for a number", 400, json.dumps({**false, "units": {"unit": "coin", "amount": "1"}}).encode(),
         false["id"]),
        ("of an unknown type", 422, json.dumps({**false, "type": "grant.moved"}).encode(), false["id"]),
        ("of another environment", 204, json.dumps({**false, "environment": "sandbox"}).encode(), false["id"]),
    ):
        answered = shop.deliver(body, identifier=name)
        findings.expect(answered == status, f"a delivery {words} was answered {answered}")
    findings.expect(shop.deliver(repeated(shop), signature="v1,AAAA v1,{}") == 204,
                    "one right signature of two was not enough")
    after = wallet(shop), len(shop.rows("SELECT id FROM delivery"))
    findings.expect(after == before, f"something forged was booked: {before}, {after}")


def huge(shop, findings):
    """A body is bounded, whatever its header says, and no huge body stops the backend."""
    body = json.dumps(made(shop, "huge", "grant.created", 1, metadata={"x": "y" * (BODY_MAX + 1000)})).encode()
    for words, send in (
        ("a delivery", lambda: shop.deliver(body, identifier="dlv_made_huge")),
        ("an order", lambda: shop.phone("hugo", "POST", "/v1/orders", body, "huge")[0]),
    ):
        try:
            findings.expect(send() == 413, f"{words} of {len(body)} bytes was not answered 413")
        except OSError as broken:  # the backend answered and closed while we were still sending
            findings.expect(True, f"{words}: {broken}")
    findings.expect(shop.rows("SELECT id FROM delivery WHERE id = 'dlv_made_huge'") == [], "a huge delivery was booked")
    findings.expect(shop.phone("hugo", "GET", "/balances")[0] == 200, "the backend does not answer any more")


def secret_is_replaced(shop, findings):
    """While a webhook secret is being replaced, each of the two is enough; afterwards only the new one."""
    old, new = shop.secrets, "whsec_" + "B" * 43 + "="
    for secrets, accepted, refused in ((f"{old} {new}", (old, new), ()), (old, (old,), (new,))):
        shop.kill_backend()
        shop.secrets = secrets
        shop.start_backend()
        for secret, status in [(one, 204) for one in accepted] + [(one, 401) for one in refused]:
            answered = shop.deliver(repeated(shop), secret=secret)
            findings.expect(answered == status, f"with {secrets.count(' ') + 1} secrets: {answered}, not {status}")


def guards_users(shop, findings):
    """A phone acts for the user of its session alone, and calls only what is for phones."""
    alices = shop.phone("alice", "GET", "/v1/orders")[1]["orders"][0]["id"]
    order = {"productId": "coins.100", "store": "appStore"}
    for method, target, body, status in (
        ("POST", "/v1/payments/app-store", {"evidence": "x", "userId": "alice"}, 403),
        ("POST", "/v1/payments/app-store", b'{"parameters":{},"user\\u0049d":"alice"}', 403),
        ("POST", "/v1/payments/wechat-pay", {"orderId": alices}, 404),
        ("POST", f"/v1/orders/{alices}/close", {}, 404), ("POST", f"/v1/orders/{alices}/wechat-pay", {}, 404),
        ("POST", f"/v1/orders/{alices}/close?userId=alice", {}, 404),
        ("POST", "/v1/orders", order | {"userId": "alice"}, 403),
        ("POST", "/v1/orders", order | {"reference": "M-1"}, 403),
        ("POST", "/v1/orders", order | {"payerAddress": "203.0.113.1"}, 403),
        ("GET", "/v1/orders?userId=alice", None, 403), ("GET", "/v1/orders?user%49d=alice", None, 403),
        ("GET", "/v1/orders?limit=1&userId=alice", None, 403), ("GET", f"/v1/orders/{alices}", None, 404),
        ("GET", f"/v1/orders/{alices}?userId=alice", None, 403), ("GET", "/v1/deliveries", None, 404),
        ("GET", "/v1/users/alice/orders", None, 404), ("GET", "/v1/orders/../deliveries", None, 404),
        ("GET", "/v1/orders/%2e%2e%2fdeliveries", None, (400, 404)),
        ("POST", "/v1/users/alice/balances/coin/debits", {}, 404), ("POST", f"/v1/orders/{alices}/refund", {}, 404),
        ("POST", "/v1/payments/app-store", b"[]", 400), ("POST", "/v1/payments/app-store", b"{", 400),
        ("POST", "/v1/orders", b"nonsense", 400), ("DELETE", "/v1/orders", None, (404, 405, 501)),
    ):
        answered = shop.phone("mallory", method, target, body, "guard")
        findings.expect(answered[0] in (status if isinstance(status, tuple) else (status,)),
                        f"{method} {target} {body} was answered {answered}")
        findings.expect(answered[1] is None or "code" in answered[1], f"{method} {target}: {answered}")
    for target in (f"/v1/orders/{alices}#", "/v1/orders?limit=1#", "/v1/orders?a=b%23&x=1#&"):
        answered = shop.phone("mallory", "GET", target)
        leaks = alices in json.dumps(answered[1])
        findings.expect(not leaks and answered[0] >= 400, f"{target} was answered {answered}")
    for method, target, body in (("GET", "/v1/orders", None), ("GET", "/balances", None),
                                 ("POST", "/user-token", b"{}"), ("POST", "/v1/orders", b"{}")):
        answered = shop.send(method, target, body)
        findings.expect(answered[0] == 401 and answered[1]["code"] == "session_missing", f"{target}: {answered}")
    findings.expect(shop.phone("mallory", "POST", "/v1/orders", order)[1]["code"] == "key_missing", "no key")
    odd = 'x&userId=alice"/é'.encode().decode("latin-1")
    answered = shop.phone(odd, "GET", "/v1/orders")
    findings.expect(answered == (200, {"orders": []}), f"the user {odd} was answered {answered}")


def issues_user_tokens(shop, findings):
    token = shop.phone("alice", "POST", "/user-token", {})[1]["token"]
    orders = ask(shop.server + "/v1/orders", headers={"Authorization": "Bearer " + token})["orders"]
    findings.expect(len(orders) == 1 and orders[0]["userId"] == "alice", f"by the token: {orders}")
    others = ask(shop.server + "/v1/orders?userId=bob", headers={"Authorization": "Bearer " + token})
    findings.expect("orders" not in others, f"the token of alice reads bob's: {others}")


def taps_twice(shop, findings):
    """Two requests at once under one key are one order."""
    wish = {"productId": "coins.100", "store": "appStore"}
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: shop.phone("tom", "POST", "/v1/orders", wish, "tap"), range(6)))
    made_orders = {answer["id"] for status, answer in answers if status < 300}
    findings.expect(len(made_orders) == 1, f"six taps: {answers}")
    listed = shop.phone("tom", "GET", "/v1/orders")[1]["orders"]
    findings.expect(len(listed) == 1, f"tom's orders: {listed}")


def server_is_silent(shop, findings):
    """Without the server a phone is told to ask again; what it then sends still counts."""
    wish = {"productId": "coins.100", "store": "appStore"}
    shop.stop_server()
    answered = shop.phone("sam", "POST", "/v1/orders", wish, "silent")
    findings.expect(answered == (503, {"code": "try_again"}), f"without a server: {answered}")
    shop.serve(shop.server_port)
    order = shop.phone("sam", "POST", "/v1/orders", wish, "silent")
    findings.expect(order[0] == 201, f"the server is back: {order}")
    findings.expect(shop.rows("SELECT count(*) FROM order_number WHERE user_id = 'sam'") == [(1,)], "sam's numbers")


def book_equals_ledger(shop, findings):
    listed = shop.await_delivered()
    booked = {row[0] for row in shop.rows("SELECT id FROM delivery") if not row[0].startswith("dlv_made")}
    findings.expect(booked == {one["id"] for one in listed}, "other deliveries were booked than were made")
    users = {one["delivery"]["userId"] for one in listed}
    for user in users:
        ledger = shop.ask(f"/v1/balances?environment=simulated&userId={user}")["balances"]
        ours = shop.phone(user, "GET", "/balances")[1]
        findings.expect({one["unit"]: one["amount"] for one in ledger} == ours, f"{user}: {ledger}, booked {ours}")
    granted = collections.Counter(
        (one["delivery"]["store"], one["delivery"]["transactionId"]) for one in listed
        if one["delivery"]["type"] == "grant.created")
    findings.expect(all(count == 1 for count in granted.values()), f"granted twice: {granted}")
    charges = shop.control("GET", "/charges?limit=500")["charges"]
    paid = [one for one in shop.wechat("GET", "/orders?limit=500")["orders"] if one.get("transaction_id")]
    findings.expect(len(charges) + len(paid) == len(granted), f"{len(charges)} + {len(paid)}, {len(granted)}")
    held = shop.rows("SELECT user_id, gives, sum(in_force) FROM holding WHERE gives = 'coin' GROUP BY 1, 2")
    findings.expect(sorted(held) == wallet(shop), f"holdings {held}, wallets {wallet(shop)}")
    return len(granted)


RUNS = (buys_at_app_store, buys_at_wechat_pay, delivered_twice, restarted_in_the_middle, refunded, taps_twice,
        replayed, out_of_order, forged, huge, secret_is_replaced, guards_users, issues_user_tokens, server_is_silent)


def main(program, language, folder, output):
    findings = Findings()
    built = command(language, pathlib.Path(folder, "built"))
    pathlib.Path(folder, "shop").mkdir()
    shop = BackendShop(program, pathlib.Path(folder, "shop"), built)
    times, purchases = {}, None
    try:
        shop.start_backend()
        for run in (*RUNS, book_equals_ledger):
            began = time.monotonic()
            try:
                purchases = run(shop, findings)
            except Exception as failure:  # one broken run must not hide what the others show
                findings.expect(False, f"{run.__name__}: {failure!r}")
            times[run.__name__] = round(time.monotonic() - began, 1)
    finally:
        said = "".join(shop.backend.lines[-20:]) if shop.backend else ""
        shop.close()
    told = {"wrong": findings.wrong, "done": findings.done, "purchases": purchases, "times": times, "said": said}
    pathlib.Path(output).write_text(json.dumps(told, ensure_ascii=False))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Calls that must succeed: by keys with a permission of their own, and by each role of an operator. Made-up requests
name no user who exists and no unit that is sold, so they alone would never see these answers.

Each answer is held against the OpenAPI document: its status stands there, and its body fits the schema.
"""

import datetime
import json
import time
import urllib.error
import urllib.parse
import urllib.request

import jsonschema_rs

ROLES = ("viewer", "support", "finance", "operator", "admin")
PERMISSIONS = ("mayCredit", "mayGiveEntitlements", "mayErase")


def ask(server, method, path, credential, body=None):
    """The status and the body of an answer."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(server + path, data, method=method, headers={
        "Authorization": "Bearer " + credential, "Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def make_key(server, admin, **wishes):
    status, made = ask(server, "POST", "/v1/operator/keys", admin, wishes)
    if status != 201:
        raise RuntimeError(f"no key could be made: {status} {made.get('code')}")
    return made["key"]


def mismatch(document, method, template, status, body):
    """What the document does not say of an answer; nothing if all is as it says."""
    responses = document["paths"][template][method.lower()]["responses"]
    stated = responses.get(str(status))
    if stated is None:
        return f"the document does not have {status}"
    schema = stated["content"]["application/json"]["schema"]
    validator = jsonschema_rs.validator_for({**schema, "components": document["components"]})
    return "; ".join(error.message for error in validator.iter_errors(body))


def steps(until):
    """Credential, method, path of the document, values in the path, body, and the status that must come."""
    credit = {"amount": 7, "id": "schema-1", "reason": "a gift"}
    gift = {"entitlement": "premium", "until": until, "id": "schema-2", "reason": "a prize"}
    credits, gifts = "/v1/users/{userId}/balances/{unit}/credits", "/v1/users/{userId}/promotional-entitlements"
    erase, coins = "/v1/users/{userId}/erase", {"userId": "schema-a", "unit": "coin"}
    user = {"userId": "schema-a"}
    yield from (
        ("secret", "POST", credits, coins, credit, 403),
        ("mayErase", "POST", credits, coins, credit, 403),
        ("mayCredit", "POST", credits, coins, credit, 201),
        ("mayCredit", "POST", credits, coins, credit, 200),
        ("secret", "POST", gifts, user, gift, 403),
        ("mayCredit", "POST", gifts, user, gift, 403),
        ("mayGiveEntitlements", "POST", gifts, user, gift, 201),
        ("mayGiveEntitlements", "POST", gifts, user, gift, 200),
        ("mayGiveEntitlements", "GET", gifts, user, None, 200),
        ("mayGiveEntitlements", "POST", gifts + "/{id}/revoke", {**user, "id": "schema-2"}, {"reason": "an error"},
         200),
        ("secret", "POST", erase, user, {}, 403),
        ("mayGiveEntitlements", "POST", erase, user, {}, 403),
        ("mayErase", "POST", erase, user, {"reason": "asked for"}, 201),
        ("mayErase", "POST", erase, user, {}, 200),
    )
    by_role = {
        "viewer": [("GET", "/v1/operator/queue", {}, None), ("GET", "/v1/operator/orders", {}, None),
                   ("GET", "/v1/operator/users/{userId}", {"userId": "schema-b"}, None)],
        # What an assistant may do needs something that waits: the viewer's calls are theirs, too.
        "support": [("GET", "/v1/operator/queue", {}, None)],
        "finance": [("POST", "/v1/operator/reconciliations", {}, {"store": "appStore"})],
        "operator": [("GET", "/v1/operator/audit", {}, None), ("POST", "/v1/operator/queue/retry", {}, None)],
        "admin": [("GET", "/v1/operator/keys", {}, None),
                  ("POST", "/v1/operator/users/{userId}/erase", {"userId": "schema-b"}, {"reason": "asked for"})],
    }
    for role, calls in by_role.items():
        for method, path, names, body in calls:
            made = path.endswith("/erase")
            yield role, method, path, names, body, 201 if made else 200
    # Nobody reaches what only the next role may do.
    yield "viewer", "POST", "/v1/operator/reconciliations", {}, {"store": "appStore"}, 403
    yield "finance", "GET", "/v1/operator/audit", {}, None, 403
    yield "operator", "GET", "/v1/operator/keys", {}, None, 403


def run(server, keys, token):
    """Makes the credentials and calls; returns what was wrong, in words, and how many calls succeeded.

    keys: those of `keys.json`. token: makes a user's token.
    """
    with urllib.request.urlopen(server + "/openapi.json", timeout=60) as answer:
        document = json.load(answer)
    admin = keys["operator"]
    made = {"secret": keys["secret"]}
    for name in PERMISSIONS:
        made[name] = make_key(server, admin, kind="secret", label=name, **{name: True})
    for role in ROLES:
        made[role] = make_key(server, admin, kind="operator", label="schema " + role, role=role)
    for user in ("schema-a", "schema-b"):
        status, _ = ask(server, "POST", "/v1/orders", token(user), {"productId": "coins.100", "store": "appStore"})
        if status != 201:
            return [f"no order could be made: {status}"], 0
    until = datetime.datetime.fromtimestamp(time.time() + 7 * 86_400, datetime.timezone.utc)
    wrong, successes = [], 0
    for name, method, template, names, body, expected in steps(until.strftime("%Y-%m-%dT%H:%M:%SZ")):
        path = template.format(**{key: urllib.parse.quote(value, safe="") for key, value in names.items()})
        status, answer = ask(server, method, path, made[name], body)
        found = mismatch(document, method, template, status, answer)
        if status != expected:
            wrong.append(f"{name}: {method} {template}: {status} {answer.get('code')} instead of {expected}")
        elif found:
            wrong.append(f"{name}: {method} {template}: {status}: {found}")
        elif status < 300:
            successes += 1
    return wrong, successes

"""Starts each proxy of `ops/proxies` before a running server, in a network of its own, and calls through it.

Usage: proxies.py PROGRAM SECONDS FOLDER OUTPUT

PROGRAM: the built server; `PROGRAM-lab` lies beside it.
SECONDS: how long a call waits for an order that nobody pays, at most 25.
FOLDER: an empty folder.
OUTPUT: JSON with `wrong`, the failed checks in words, `done`, the number of checks that passed, and `proxies`.

The script runs itself again in a network namespace, which needs root. There, all ports are free, and the clients have
addresses of their own: two that are public and two that are not.
"""

import contextlib
import http.client
import json
import os
import pathlib
import select
import shutil
import socket
import ssl
import subprocess
import sys
import time

from language_shop import BUNDLE
from served_site import Findings, Site

NAME = "pay.example.com"
FILES = pathlib.Path(__file__).parents[2] / "ops/proxies"
PATIENCE = 60  # seconds for one request; reaching it is a failed test
SERVER, SIMULATOR, DOOR = 8080, 8081, 443  # in a network of its own all are free
PUBLIC, FORGED, INSIDE, STRANGER = "203.0.113.77", "203.0.113.9", "127.0.0.5", "127.0.0.9"
LIMIT = 3 << 20  # bytes that a proxy lets through


def request(place, source, method, path, body=None, headers=None, authority=None):
    """Status and body of an answer; JSON is read. With an authority it is made by TLS to that name."""
    connection = http.client.HTTPConnection(*place, timeout=PATIENCE, source_address=(source, 0))
    connection.connect()
    if authority:
        context = ssl.create_default_context(cafile=authority)
        connection.sock = context.wrap_socket(connection.sock, server_hostname=NAME)
    data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    fields = {"Content-Type": "application/json", "Host": NAME if authority else "127.0.0.1"} | (headers or {})
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for field, value in (fields | {"Content-Length": str(len(data or b""))}).items():
        connection.putheader(field, value)
    connection.endheaders()
    # A proxy may refuse a large body by its length, and close: then the answer is there before the body is sent.
    if data and (len(data) <= 1 << 20 or not select.select([connection.sock], [], [], 1)[0]):
        with contextlib.suppress(OSError):
            connection.sock.sendall(data)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    kind = answer.getheader("Content-Type") or ""
    return answer.status, json.loads(text) if "json" in kind and text else text


# --- the proxies: how each is started with its shipped file

def certificate(folder):
    key, chain = folder / "privkey.pem", folder / "fullchain.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-days", "2", "-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}",
                    "-keyout", key, "-out", chain],
                   check=True, capture_output=True, timeout=PATIENCE)
    (folder / "haproxy.pem").write_text(chain.read_text() + key.read_text())
    return str(chain)


def shipped(name, folder):
    """The file as it is shipped, but for the place of the certificate."""
    return (FILES / name).read_text().replace(f"/etc/ssl/{NAME}/", f"{folder}/")


def nginx(program, folder):
    (folder / "counterfoil.conf").write_text(shipped("nginx.conf", folder))
    user = "user root;\n" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(
        f"{user}daemon off;\npid {folder}/nginx.pid;\nerror_log stderr warn;\nevents {{}}\n"
        f"http {{\naccess_log off;\nclient_body_temp_path {folder}/body;\nproxy_temp_path {folder}/proxy;\n"
        f"fastcgi_temp_path {folder}/f;\nuwsgi_temp_path {folder}/u;\nscgi_temp_path {folder}/s;\n"
        f"include {folder}/counterfoil.conf;\n}}\n")
    file = str(folder / "nginx.conf")
    return [program, "-t", "-c", file], [program, "-c", file]


def caddy(program, folder):
    # It must not look for its own authority, nor listen for its own control.
    own = "{\n\tadmin off\n\tauto_https disable_redirects\n\tservers"
    text = shipped("Caddyfile", folder).replace("{\n\tservers", own, 1)
    (folder / "Caddyfile").write_text(text)
    file = ["--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]
    return [program, "validate", *file], [program, "run", *file]


def haproxy(program, folder):
    (folder / "haproxy.cfg").write_text(shipped("haproxy.cfg", folder))
    file = str(folder / "haproxy.cfg")
    return [program, "-c", "-f", file], [program, "-db", "-f", file]


PROXIES = {"nginx": nginx, "caddy": caddy, "haproxy": haproxy}


class Quiet:
    """A proxy, whose output goes to a file."""

    def __init__(self, arguments, folder, name):
        self.log = folder / (name + ".log")
        self.process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=self.log.open("w"),
                                        stderr=subprocess.STDOUT, env=os.environ | {"HOME": str(folder)})
        for _ in range(PATIENCE * 20):
            try:
                socket.create_connection(("127.0.0.1", DOOR), 1).close()
                return
            except OSError:
                if self.process.poll() is not None:
                    raise RuntimeError(f"{name} ended: {self.log.read_text()[-800:]}") from None
                time.sleep(0.05)
        raise RuntimeError(f"{name} never listened: {self.log.read_text()[-800:]}")

    def kill(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


# --- the checks

def calls(findings, site, name, authority, seconds):
    through = lambda source, *more, **named: request(("127.0.0.1", DOOR), source, *more, authority=authority, **named)
    key = {"Authorization": "Bearer " + site.secret}

    findings.expect(through(PUBLIC, "GET", "/livez")[0] == 200, f"{name}: /livez is not 200")
    findings.expect(through(PUBLIC, "GET", "/metrics")[0] == 404, f"{name}: /metrics is shown outside")
    findings.expect(through(PUBLIC, "GET", "/v1/operator/queue", headers=key)[0] == 404,
                    f"{name}: operators' calls pass")

    wish = {"productId": "coins.100", "store": "appStore", "userId": "user-of-" + name}
    status, order = through(PUBLIC, "POST", "/v1/orders", wish, headers=key | {"Idempotency-Key": name})
    findings.expect(status == 201, f"{name}: an order is answered {status} {order}")
    began = time.monotonic()
    status, waited = through(PUBLIC, "GET", f"/v1/orders/{order['id']}?wait={seconds}", headers=key)
    took = time.monotonic() - began
    findings.expect(status == 200 and waited["state"] == "awaitingPayment" and took >= seconds - 1,
                    f"{name}: a call that waits is answered {status} after {took:.1f} s")

    site.control("PUT", f"/accounts/phone-of-{name}", {"environment": "Production"})
    bought = site.control("POST", "/purchases", {
        "account": "phone-of-" + name, "bundleId": BUNDLE, "productId": BUNDLE + ".coins100",
        "appAccountToken": order["id"]})
    findings.expect(bought.get("outcome") == "charged", f"{name}: nothing was bought: {bought}")
    status, said = through(PUBLIC, "POST", "/notifications/app-store", site.newest_notification())
    findings.expect(status == 200, f"{name}: a signed notification is answered {status} {said}")
    paid = through(PUBLIC, "GET", f"/v1/orders/{order['id']}?wait=20", headers=key)[1]
    findings.expect(paid["state"] == "paid", f"{name}: the order is {paid['state']}")

    # No signature: the server's own refusal shows that the proxy let the body through.
    status, said = through(PUBLIC, "POST", "/notifications/wechat-pay/demo", b"x" * (2 << 20))
    findings.expect(isinstance(said, dict) and said.get("code") and status != 413,
                    f"{name}: 2 MiB are answered {status} {str(said)[:200]}")
    status, said = through(PUBLIC, "POST", "/notifications/wechat-pay/demo", b"x" * (LIMIT + (1 << 20)))
    findings.expect(status == 413, f"{name}: 4 MiB are answered {status} {str(said)[:200]}")


def addresses(findings, site, name, authority):
    """An H5 order needs the payer's public address; so it shows which address is believed."""
    def order(place, source, word, forged=None, authority=None):
        wish = {"productId": "coins.100", "store": "weChatPay", "tradeType": "H5", "platform": "web"}
        user = f"{word}-{name}"
        headers = {"Authorization": "Bearer " + site.token(user), "Idempotency-Key": user}
        for field in ("X-Forwarded-For", "Forwarded", "X-Real-IP") if forged else ():
            headers[field] = f"for={forged}" if field == "Forwarded" else forged
        return request(place, source, "POST", "/v1/orders", wish, headers, authority)[0]

    door, server = ("127.0.0.1", DOOR), ("127.0.0.1", SERVER)
    findings.expect(order(door, PUBLIC, "public", authority=authority) == 201,
                    f"{name}: the client's own public address is not believed from the proxy")
    findings.expect(order(door, INSIDE, "forger", FORGED, authority) != 201,
                    f"{name}: an address that the client forged is believed")
    before = site.metric("counterfoil_forwarded_unheeded_total")
    findings.expect(order(server, STRANGER, "stranger", FORGED) != 201,
                    f"{name}: a sender that is no trusted proxy is believed")
    findings.expect(site.metric("counterfoil_forwarded_unheeded_total") == before + 1,
                    f"{name}: that sender is not counted, or the proxy itself is")
    findings.expect(order(server, "127.0.0.1", "control", FORGED) == 201, f"{name}: the trusted proxy is not believed")


def examine(findings, site, name, program, folder, seconds):
    folder.mkdir()
    authority = certificate(folder)
    check, run = PROXIES[name](program, folder)
    checked = subprocess.run(check, capture_output=True, text=True, timeout=PATIENCE)
    findings.expect(checked.returncode == 0, f"{name} refuses its file: {checked.stdout}{checked.stderr}")
    if checked.returncode != 0:
        return
    proxy = Quiet(run, folder, name)
    site.children.append(proxy)
    calls(findings, site, name, authority, seconds)
    addresses(findings, site, name, authority)
    site.stop(proxy)


def main(program, seconds, folder, output):
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True, timeout=PATIENCE)
    subprocess.run(["ip", "address", "add", PUBLIC + "/32", "dev", "lo"], check=True, timeout=PATIENCE)
    folder = pathlib.Path(folder)
    findings, tried = Findings(), []
    (folder / "site").mkdir()
    site = Site(program, folder / "site", simulator_port=SIMULATOR)
    site.serve(SERVER)
    site.stock()
    try:
        for name in PROXIES:
            found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
            if found:
                examine(findings, site, name, found, folder / name, int(seconds))
                tried.append(name)
    finally:
        site.close()
    pathlib.Path(output).write_text(json.dumps({"wrong": findings.wrong, "done": findings.done, "proxies": tried}))


if __name__ == "__main__":
    if os.environ.get("COUNTERFOIL_OWN_NETWORK") != "yes":
        os.environ["COUNTERFOIL_OWN_NETWORK"] = "yes"
        os.execvp("unshare", ["unshare", "--net", sys.executable, "-B", *sys.argv])
    main(*sys.argv[1:])

"""A server with both simulated stores, for tests that call it from outside: `counterfoil serve` with a configuration.

The configuration is that of `Examples/OverHTTP`, and tells of a proxy on this machine and of both stores' servers.
"""

import json
import pathlib
import subprocess
import urllib.error
import urllib.request

from language_shop import BUNDLE, EXAMPLES, Child

PATIENCE = 60  # seconds for one request or command; reaching it is a failed test


class Findings:
    def __init__(self):
        self.wrong, self.done = [], 0

    def expect(self, holds, words):
        if holds:
            self.done += 1
        else:
            self.wrong.append(words)


def ask(url, method="GET", body=None, headers=None):
    """The body of an answer, whatever its status; JSON is read."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"} | (headers or {}), method=method)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as response:
            text = response.read().decode()
    except urllib.error.HTTPError as answer:
        text = answer.read().decode()
    return json.loads(text) if text[:1] in "{[" and text else text


class Site:
    def __init__(self, program, folder, simulator_port=0):
        self.program, self.folder = program, pathlib.Path(folder)
        self.file = str(self.folder / "counterfoil.toml")
        self.children = []
        self.run("init", "--directory", str(self.folder))
        told = self.start(program + "-lab", "simulator", "--data", str(self.folder / "simulator"), "--port",
                          str(simulator_port), until="control")
        self.simulator = told.split()[-1].removesuffix("/simulator")
        self.configure()
        made = self.run("keys", "create", "--kind", "secret", "--label", "backend", "--json", "--config", self.file)
        self.secret = json.loads(made)["key"]

    def serve(self, port=0):
        """Starts the server; returns its process."""
        told = self.start(self.program, "serve", "--config", self.file, "--port", str(port), until="server.listening")
        self.server = json.loads(told)["address"]
        return self.children[-1].process

    def stock(self):
        """Nothing listens where the simulated App Store sends its notifications to: a caller passes them on."""
        self.control("PUT", f"/apps/{BUNDLE}", {
            "appAppleId": 1000000001, "notificationUrl": "http://127.0.0.1:9/nobody"})
        self.control("PUT", f"/apps/{BUNDLE}/products/{BUNDLE}.coins100", {
            "type": "Consumable", "price": 6000, "currency": "CNY"})

    def configure(self):
        merchant = json.loads((self.folder / "simulator/wechat-pay/merchant.json").read_text())
        apple = json.loads((self.folder / "simulator/app-store/api-key.json").read_text())
        keys = "simulator/wechat-pay"
        stores = f"""
[app.app_store]
issuer_id = "{apple["issuerId"]}"
key_id = "{apple["keyId"]}"
private_key = {{ file = "simulator/app-store/{apple["privateKeyFile"]}" }}
host = "{self.simulator}"

[app.wechat_pay]
mchid = "{merchant["mchid"]}"
private_key = {{ file = "{keys}/apiclient_key.pem" }}
certificate_file = "{keys}/apiclient_cert.pem"
api_v3_keys = [{{ file = "{keys}/apiv3.key" }}]
appid = "{merchant["appids"][0]}"
notify_origin = "https://pay.example.com"
hosts = ["{self.simulator}"]

[[app.wechat_pay.public_key]]
id = "{merchant["publicKeyId"]}"
file = "{keys}/pub_key.pem"

[[app.product]]"""
        text = (EXAMPLES / "counterfoil.toml").read_text()
        text = text.replace("database = ", 'trusted_proxies = ["127.0.0.1"]\ndatabase = ', 1)
        text = text.replace("\n[[app.product]]", stores, 1)
        text = text.replace('kind = "consumable"', 'kind = "consumable"\nwechat_price_fen = 600\n'
                            'wechat_description = "100 coins"')
        pathlib.Path(self.file).write_text(text)

    def run(self, *arguments):
        done = subprocess.run([self.program, *arguments], capture_output=True, text=True, timeout=PATIENCE)
        if done.returncode != 0:
            raise RuntimeError(f"{arguments[0]}: {done.stdout[-800:]}{done.stderr[-800:]}")
        return done.stdout

    def start(self, *arguments, until):
        """Starts a program; returns the line of its output that has these words."""
        self.children.append(Child(*arguments))
        return self.children[-1].line_with(until)

    def stop(self, child):
        self.children.remove(child)
        child.kill()

    def close(self):
        for child in list(self.children):
            self.stop(child)

    def control(self, method, path, body=None):
        return ask(self.simulator + "/simulator" + path, method, body)

    def token(self, user):
        return self.run("token", "--user", user, "--config", self.file).strip()

    def newest_notification(self):
        """The body that the simulated App Store sends."""
        listed = self.control("GET", "/notifications?limit=500")["notifications"]
        return self.control("GET", "/notifications/" + listed[-1]["notificationUUID"])

    def metric(self, name):
        lines = ask(self.server + "/metrics").splitlines()
        return next(float(line.split()[-1]) for line in lines if line.startswith(name + " "))

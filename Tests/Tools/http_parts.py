"""The base of a client over plain HTTP: requests to the team's server, and a vault that is one file."""

import http.client
import json
import os

REQUEST_LIMIT = 10  # seconds


class Unreachable(Exception):
    """No answer: it is unknown whether the server has executed the request."""


class Link:
    """Requests to the team's server with JSON bodies, over one connection."""

    def __init__(self, port):
        self.port = port
        self.connection = None
        self.broken = 0  # how many of the next requests get no answer

    def send(self, method, path, credential, body=None, key=None):
        headers = {"Authorization": "Bearer " + credential} if credential else {}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if key is not None:
            headers["Idempotency-Key"] = key
        data = None if body is None else json.dumps(body)
        if self.broken > 0:
            self.broken -= 1
            raise Unreachable("the network is down")
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=REQUEST_LIMIT)
            self.connection.request(method, path, data, headers)
            response = self.connection.getresponse()
            text = response.read()
            return response.status, json.loads(text) if text else None
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.close()
            raise Unreachable(str(error)) from error

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None


class Vault:
    """Orders and evidence in one file, replaced as a whole: after a kill there is the old file or the new one."""

    def __init__(self, path, effect):
        self.path = path
        self.effect = effect
        self.kept = {"version": 1, "orders": {}, "evidence": {}, "usersKnown": []}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.kept = json.load(file)
        self.orders = self.kept["orders"]  # by idempotency key, which exists before the order does
        self.evidence = self.kept["evidence"]  # by transaction id

    def write(self, why):
        self.effect("write vault: " + why, self.write_new)
        self.effect("replace vault: " + why, self.replace)

    def write_new(self):
        descriptor = os.open(self.path + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(self.kept, file)
            file.flush()
            os.fsync(file.fileno())

    def replace(self):
        os.replace(self.path + ".new", self.path)
        folder = os.open(os.path.dirname(self.path), os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)

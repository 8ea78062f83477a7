"""Drives every public method of Apple's app-store-server-library against the App Store of `counterfoil-lab simulator`.

Usage: apple_methods.py PORT OUTPUT

PORT: the port of the simulator on this machine.
OUTPUT: JSON with `methods`, the number of methods that the library has, `wrong`, the failed checks in words, `done`, the
  number of checks that passed, `missing`, the methods that no row of the table names, and `gone`, rows without a method.

The library itself says which methods it has. A case compares the parsed answer with the control API. Of each answer, what
the library read must be all that was sent. `apple_method_cases.py` has the cases.
"""

import asyncio
import importlib
import inspect
import json
import pathlib
import pkgutil
import sys
import warnings

import appstoreserverlibrary
from apple_api_client import BUNDLE, Findings, Simulator, listen
from apple_method_cases import CASES, NOT_IMITATED, World
from appstoreserverlibrary.api_client import AppStoreServerAPIClient, AsyncAppStoreServerAPIClient
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.LibraryUtility import _get_cattrs_converter

warnings.simplefilter("ignore", DeprecationWarning)


CLIENTS = (AppStoreServerAPIClient.__name__, AsyncAppStoreServerAPIClient.__name__)


def methods():
    """(class, method) of each public method that the library adds itself."""
    found = set()
    for module in pkgutil.iter_modules(appstoreserverlibrary.__path__):
        if module.ispkg:
            continue
        contents = importlib.import_module("appstoreserverlibrary." + module.name)
        for name, kind in inspect.getmembers(contents, inspect.isclass):
            if kind.__module__ != contents.__name__ or name.startswith("_"):
                continue
            for method, body in inspect.getmembers(kind, inspect.isfunction):
                if not method.startswith("_") and body.__module__ == contents.__name__:
                    found.add((name, method))
    return found


def check_all_was_read(findings, answer, sent, kind):
    """What the library read, written again, is what the simulator sent: no unknown field, no unknown word."""
    read = _get_cattrs_converter(kind).unstructure(answer)
    read = {name: value for name, value in read.items() if value is not None}
    findings.expect(read == sent, f"{kind.__name__}: read {read}, sent {sent}")


class Caller:
    """Calls a client; of the asynchronous one, it waits for the answer. So both have the same cases."""

    def __init__(self, kind, names, address, findings):
        self.findings, self.loop, sent = findings, asyncio.new_event_loop(), []
        self.is_asynchronous = kind is AsyncAppStoreServerAPIClient

        class Client(kind):
            def _parse_response(self, status, headers, supplier, destination):
                answer = super()._parse_response(status, headers, supplier, destination)
                if destination is not None:
                    sent.append((answer, supplier(), destination))
                return answer

        self.sent = sent
        self.client = Client(*names)
        self.client._base_url = address

    def __getattr__(self, method):
        def call(*arguments):
            result = getattr(self.client, method)(*arguments)
            if inspect.isawaitable(result):
                result = self.loop.run_until_complete(result)
            while self.sent:
                check_all_was_read(self.findings, *self.sent.pop())
            return result

        return call


def main():
    base = f"http://127.0.0.1:{sys.argv[1]}"
    simulator, findings = Simulator(base), Findings()
    keys = simulator.call("GET", "/api-keys")
    key = keys["keys"][0]
    names = (keys["testPrivateKey"].encode(), key["keyId"], key["issuerId"], BUNDLE)
    notifications = f"http://127.0.0.1:{listen()}/"
    everything = methods()
    tried = set()
    for kind in (AppStoreServerAPIClient, AsyncAppStoreServerAPIClient):
        client = Caller(
            kind, (*names, Environment.PRODUCTION), base + "/app-store/production", findings)
        world = World(simulator, client, findings, names, notifications, kind.__name__)
        for method, (arguments, _) in NOT_IMITATED.items():
            world.is_not_imitated(method, *arguments)
            tried.add((kind.__name__, method))
        for (owner, method), case in CASES.items():
            is_client = owner == AppStoreServerAPIClient.__name__
            place = (kind.__name__ if is_client else owner, method)
            if place in tried or (place[0] in CLIENTS and place[0] != kind.__name__) or place not in everything:
                continue
            done = findings.done
            try:
                case(world)
            except Exception as error:
                findings.wrong.append(f"{place}: {type(error).__name__}: {error}")
            findings.expect(findings.done > done, f"{place}: nothing was compared")
            tried.add(place)
    pathlib.Path(sys.argv[2]).write_text(json.dumps({
        "wrong": findings.wrong, "done": findings.done, "methods": len(everything),
        "missing": sorted(".".join(place) for place in everything - tried),
        "gone": sorted(".".join(place) for place in (set(CASES) | tried) - everything),
    }))


if __name__ == "__main__":
    main()

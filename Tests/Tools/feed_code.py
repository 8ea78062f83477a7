"""Starts what `counterfoil receiver code --pull` prints for a language, kills it again and again, and looks at what it
booked of a feed with faults.

Arguments: the program, the language, a folder, the file for the result.
"""

import http.server
import json
import os
import pathlib
import random
import sqlite3
import sys
import threading
import time
import urllib.parse

from printed_program import PrintedProgram, run, start_command

PROGRAM, LANGUAGE, FOLDER, OUTPUT = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4]
KEY = "cfs_key-of-this-test"
PATIENCE = 90  # seconds for the program to book what there is
HOLD = 1  # seconds that a call without news is held; the real server holds it as long as it is asked to, or not at all


class Feed:
    """`GET /v1/events` as docs/http-alone.md describes it, with planned faults."""

    def __init__(self):
        self.lock = threading.Condition()
        self.entries = []
        self.number = 0
        self.faults = []
        self.calls = []
        self.hold = HOLD
        self.is_refusing = False
        feed = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                feed.answer(self)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def add(self, event):
        """An entry; some entries of the real feed tell nothing to a backend and have no event."""
        with self.lock:
            self.number += 1
            entry = {"id": f"evt_{self.number}_{random.randbytes(8).hex()}", "type": "event.told"}
            if event is not None:
                entry["event"] = {"type": "purchase.completed", "id": event, "units": {"amount": 1}, "note": "中文\n"}
            self.entries.append(entry)
            self.lock.notify_all()

    def restore(self, count):
        """The database lost its newest entries; numbers are given again."""
        with self.lock:
            del self.entries[-count:]
            self.number -= count

    def events(self):
        with self.lock:
            return [entry["event"]["id"] for entry in self.entries if "event" in entry]

    def answer(self, handler):
        target = urllib.parse.urlsplit(handler.path)
        query = {name: values[0] for name, values in urllib.parse.parse_qs(target.query).items()}
        is_known = handler.headers["Authorization"] == f"Bearer {KEY}"
        with self.lock:
            self.calls.append((target.path, query, is_known))
            fault = self.faults.pop(0) if self.faults else None
        if not is_known or self.is_refusing:
            return self.send(handler, 401, {"status": 401, "code": "credential_invalid"})
        if fault == "cut":
            return handler.connection.close()
        if fault == "page":
            return self.send_bytes(handler, 503, b"<html>busy</html>")
        if fault in ("busy", "limited"):
            return self.send(handler, 503 if fault == "busy" else 429, {"code": fault})
        status, page = self.page(query)
        body = json.dumps(page).encode()
        self.send_bytes(handler, status, body[:len(body) // 2] if fault == "half" else body, len(body))

    def page(self, query):
        after, until = query.get("after"), time.monotonic() + min(self.hold, int(query.get("wait", "0")))
        with self.lock:
            while True:
                places = [entry["id"] for entry in self.entries]
                if after is not None and after not in places:
                    return 404, {"status": 404, "code": "event_unknown"}
                begin = 0 if after is None else places.index(after) + 1
                page = self.entries[begin:begin + int(query["limit"])]
                if page or time.monotonic() >= until:
                    break
                self.lock.wait(until - time.monotonic())
        place = page[-1]["id"] if page else after
        return 200, {"events": page} | ({"next": place} if place else {})

    def send(self, handler, status, value):
        self.send_bytes(handler, status, json.dumps(value).encode())

    def send_bytes(self, handler, status, body, length=None):
        try:
            handler.send_response(status)
            handler.send_header("Content-Length", str(len(body) if length is None else length))
            handler.send_header("Connection", "close")
            handler.end_headers()
            handler.wfile.write(body)
        except OSError:
            pass  # it was killed
        handler.close_connection = True


def booked():
    """The ids of the booked events, in order."""
    book = FOLDER / "book"
    if not book.exists():
        return []
    if LANGUAGE == "php":
        try:
            with sqlite3.connect(book, timeout=10) as database:
                return [row[0] for row in database.execute("SELECT id FROM event ORDER BY rowid")]
        except sqlite3.OperationalError:
            return []  # there are no tables yet
    found = []
    for line in book.read_bytes().split(b"\n")[:-1]:
        try:
            events = json.loads(line)["events"]
        except ValueError:
            continue  # it was cut off
        found += [event if isinstance(event, str) else event["id"] for event in events]
    return found


def wait_until(condition, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


class Trial:
    def __init__(self):
        self.feed = Feed()
        self.checks = []
        command = start_command(
            run(FOLDER, PROGRAM, "receiver", "code", "--pull", "--language", LANGUAGE), LANGUAGE, FOLDER, "Feed", [])
        self.program = PrintedProgram(command, FOLDER, os.environ | {
            "COUNTERFOIL_URL": self.feed.address, "COUNTERFOIL_SECRET_KEY": KEY, "BOOK": str(FOLDER / "book")})

    def check(self, name, is_passed, details=""):
        self.checks.append({
            "check": name, "outcome": "passed" if is_passed else "failed", "details": "" if is_passed else details})

    def fill(self, count, name):
        for number in range(count):
            self.feed.add(None if number % 3 == 2 else f"event_{name}_{number}")

    def follow(self):
        """Everything comes once and in order, though answers fail and the program is killed at any moment."""
        self.fill(450, "a")
        self.feed.faults = ["page", "cut", "busy", "half", "limited"]
        self.program.start()
        if not wait_until(booked):
            raise RuntimeError("it books nothing: " + self.program.said())
        first = len(self.feed.calls)
        for number in range(8):
            self.fill(150, f"b{number}")
            time.sleep(random.random() / 2)
            self.program.kill()
            self.program.start()
        wait_until(lambda: len(booked()) >= len(self.feed.events()))
        have = booked()
        self.check("allOnceInOrder", have == self.feed.events(), f"{len(have)} of {len(self.feed.events())}")
        later = [query for _, query, _ in self.feed.calls[first:]]
        self.check("goesOnAtItsPlace", all("after" in query for query in later), "it began again")

    def rest(self):
        """Without news, it asks the server to wait, and does not ask all the time if the server answers at once."""
        self.feed.hold = 0
        before = len(self.feed.calls)
        time.sleep(4)
        count = len(self.feed.calls) - before
        self.check("waits", 1 <= count <= 6, f"{count} calls in 4 seconds")
        self.feed.hold = HOLD
        queries = [query for _, query, _ in self.feed.calls]
        self.check("asksForWaiting", all(query.get("wait") == "25" for query in queries), str(queries[-1]))

    def outlive(self):
        """The database is restored: what happens again has the same ids, and other places."""
        lost = [entry.get("event", {}).get("id") for entry in self.feed.entries[-60:]]
        self.feed.restore(60)
        for event in lost:
            self.feed.add(event)
        self.fill(90, "c")
        wait_until(lambda: set(self.feed.events()) <= set(booked()))
        have = booked()
        self.check(
            "outlivesARestore", sorted(have) == sorted(set(self.feed.events())), f"{len(have)}, {len(set(have))} ids")

    def end(self):
        """A call that would be refused again ends it."""
        self.check("authorised", all(is_known and path == "/v1/events" for path, _, is_known in self.feed.calls))
        self.feed.is_refusing = True
        before = len(self.feed.calls)
        is_over = wait_until(lambda: self.program.process.poll() is not None, 20)
        count = len(self.feed.calls) - before
        self.check("endsWhenRefused", is_over and self.program.process.returncode != 0 and count <= 2, f"{count} calls")


def main():
    trial = Trial()
    try:
        trial.follow()
        trial.rest()
        trial.outlive()
        trial.end()
    finally:
        if trial.program.process is not None:
            trial.program.kill()
    pathlib.Path(OUTPUT).write_text(json.dumps({"checks": trial.checks, "said": trial.program.said()}))


main()

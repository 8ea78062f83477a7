"""Asks a server again and again, each time on a new connection, until SIGTERM.

usage: steady_callers.py PORT CALLERS

Prints {"asked": N, "failed": [...]} at its end: what was answered by anything but 200, or not at all.
"""

import json
import signal
import socket
import sys
import threading

REQUEST = b"GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


def ask(port):
    """None if the answer was 200, otherwise what came instead."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
            connection.sendall(REQUEST)
            answer = b""
            while part := connection.recv(4096):
                answer += part
    except OSError as error:
        return repr(error)
    return None if answer.startswith(b"HTTP/1.1 200 ") else repr(answer[:200])


def main():
    port, callers = int(sys.argv[1]), int(sys.argv[2])
    over = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: over.set())
    asked, failed = [], []

    def call():
        while not over.is_set():
            problem = ask(port)
            asked.append(1)
            if problem:
                failed.append(problem)

    threads = [threading.Thread(target=call) for _ in range(callers)]
    for thread in threads:
        thread.start()
    over.wait()
    for thread in threads:
        thread.join()
    print(json.dumps({"asked": len(asked), "failed": failed}), flush=True)


if __name__ == "__main__":
    main()

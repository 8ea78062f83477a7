"""Ports for servers that a test ends and starts again at the same address."""

import random
import socket

_given = set()


def free_port():
    """A local port below the range for outgoing connections. Otherwise a client that calls while the server is dead
    could get the server's own port. By chance, since many tests look for one at the same time."""
    for _ in range(100):
        port = random.randrange(20_000, 32_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in _given:
            _given.add(port)
            return port
    raise OSError("there is no free port")

"""The part of a service manager that a server speaks to: the socket of sd_notify(3)."""

import os
import socket
import time


class NotifySocket:
    """Keeps what it is told. Everybody may write to it."""

    def __init__(self, path):
        path = str(path)
        if os.path.exists(path):
            os.unlink(path)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        # The path of a socket is at most 107 bytes; a relative one is shorter.
        before = os.getcwd()
        os.chdir(os.path.dirname(path))
        try:
            self.socket.bind(os.path.basename(path))
        finally:
            os.chdir(before)
        os.chmod(path, 0o666)
        self.socket.settimeout(0.2)

    def forget(self):
        """Drops what was told so far."""
        self.socket.setblocking(False)
        try:
            while self.socket.recv(4096):
                pass
        except BlockingIOError:
            pass
        self.socket.settimeout(0.2)

    def wait(self, line, patience):
        """Waits for a message with that line and returns it."""
        deadline = time.monotonic() + patience
        heard = []
        while time.monotonic() < deadline:
            try:
                message = self.socket.recv(4096).decode()
            except TimeoutError:
                continue
            if line in message.split("\n"):
                return message
            heard.append(message)
        raise AssertionError(f"{line} was not told, but {heard}")

"""Opens a listening socket and runs a server on it, as a service manager does with a socket unit.

usage: socket_parent.py PORT FOLDER PROGRAM [ARGUMENT...]

SIGUSR1 restarts the server: it is asked to end, and a new one gets the same socket. SIGTERM ends it. Prints a line with
the process id of each server. Ends with the exit status of a server that did not end with 0, else with 0.
"""

import os
import signal
import socket
import sys

AWAITED = {signal.SIGUSR1, signal.SIGTERM}


def start(listener, folder, command):
    process = os.fork()
    if process:
        return process
    try:
        os.chdir(folder)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, AWAITED)
        os.dup2(listener.fileno(), 3)
        # Also where it has this number already, which dup2 then leaves as it is.
        os.set_inheritable(3, True)
        os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", LISTEN_FDNAMES="api")
        os.execv(command[0], command)
    finally:
        os._exit(127)


def stop(process):
    os.kill(process, signal.SIGTERM)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def main():
    port, folder, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(4096)
    signal.pthread_sigmask(signal.SIG_BLOCK, AWAITED)
    while True:
        server = start(listener, folder, command)
        print(server, flush=True)
        wish = signal.sigwait(AWAITED)
        status = stop(server)
        if status != 0 or wish == signal.SIGTERM:
            return status


if __name__ == "__main__":
    sys.exit(main())

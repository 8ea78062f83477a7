import Foundation
import TestSubprocess

/// A proxy between a database and its server that loses a line on demand, exactly around a COMMIT.
package final class FaultyLine: Sendable {
  package enum Fault: String {
    /// The line breaks before the server gets COMMIT.
    case cutBeforeCommit = "cut"
    /// The server commits, and its answer is lost.
    case swallowAnswer = "swallow"
    /// COMMIT never arrives, and the line stays open.
    case hold = "hold"
  }

  package let port: Int
  private let program: OtherProgram
  private let folder: URL

  package init(to server: PostgreSQLServer) async throws {
    folder = try makeTestDirectory()
    try "\(server.port)".write(to: folder.appending(path: "target"), atomically: true, encoding: .utf8)
    program = try OtherProgram(
      "/usr/bin/env",
      [
        "python3", "-u", "-c", Self.script, folder.appending(path: "target").path, folder.appending(path: "fault").path,
      ], within: .seconds(36_000))
    try await program.awaitOutput("\n")
    guard let port = Int(program.output.prefix { $0 != "\n" }) else {
      throw CocoaError(.executableLoad)
    }
    self.port = port
  }

  deinit {
    program.kill()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Lets the next COMMITs meet this fault.
  package func fail(_ fault: Fault, times: Int = 1) throws {
    try fail(Array(repeating: fault, count: times))
  }

  /// Lets the next COMMITs meet these faults, one each.
  package func fail(_ faults: [Fault]) throws {
    try faults.map { $0.rawValue + "\n" }.joined()
      .write(to: folder.appending(path: "fault"), atomically: true, encoding: .utf8)
  }

  /// Leads lines that are opened from now on to another server.
  package func lead(to server: PostgreSQLServer) throws {
    try "\(server.port)".write(to: folder.appending(path: "target"), atomically: true, encoding: .utf8)
  }

  /// Breaks every line that is open.
  package func cutAll() { program.signal(SIGUSR1) }

  /// How many faults have occurred.
  package var faultCount: Int { program.output.split(separator: "\n").dropFirst().count }

  /// It learns the name under which a line prepares COMMIT, and finds it again where it is bound.
  private static let script = #"""
    import os, re, signal, socket, sys, threading
    target, faults = sys.argv[1], sys.argv[2]
    lock = threading.Lock()
    lines = set()
    def cut(*_):
        for line in list(lines):
            try:
                line.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
    signal.signal(signal.SIGUSR1, cut)
    def take():
        with lock:
            try:
                words = open(faults).read().split()
            except FileNotFoundError:
                return None
            if not words:
                return None
            open(faults, "w").write("\n".join(words[1:]))
            print(words[0])
            return words[0]
    def serve(client):
        try:
            server = socket.create_connection(("127.0.0.1", int(open(target).read())))
        except OSError:
            return client.close()
        swallowing = threading.Event()
        lines.add(client)
        def end():
            lines.discard(client)
            for line in (client, server):
                try:
                    line.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
        def back():
            while True:
                try:
                    data = server.recv(65536)
                except OSError:
                    data = b""
                if not data or swallowing.is_set():
                    return end()
                try:
                    client.sendall(data)
                except OSError:
                    return end()
        threading.Thread(target=back, daemon=True).start()
        name = None
        while True:
            try:
                data = client.recv(65536)
            except OSError:
                data = b""
            if not data:
                return end()
            found = re.search(rb"P....(s\d+)\0COMMIT\0", data, re.DOTALL)
            if found:
                name = found.group(1)
            if name and re.search(rb"B....\0" + name + rb"\0", data, re.DOTALL):
                fault = take()
                if fault == "cut":
                    return end()
                if fault == "hold":
                    continue
                if fault == "swallow":
                    swallowing.set()
            try:
                server.sendall(data)
            except OSError:
                return end()
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen(64)
    print(listening.getsockname()[1])
    while True:
        client, _ = listening.accept()
        threading.Thread(target=serve, args=(client,), daemon=True).start()
    """#
}

import Foundation
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import SystemPlatform
import TestPlatform
import TestSubprocess
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A service manager opens the socket and passes it (`sd_listen_fds(3)`).
@Suite struct `A server with a socket of its service manager` {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
  private static let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
  private static let activator = path.map { "\($0)/systemd-socket-activate" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }
  private static let python = path.map { "\($0)/python3" }.first { FileManager.default.isExecutableFile(atPath: $0) }

  /// Starts the server in a shell that has opened descriptor 3.
  private static func refusal(
    _ opening: String, count: String = "1", names: String = "api", in folder: String
  ) async throws -> (code: Int32?, errors: String) {
    let program = try OtherProgram(
      "/bin/sh",
      [
        "-c",
        "cd \"$1\" && exec \(opening) && LISTEN_PID=$$ LISTEN_FDS=$2 LISTEN_FDNAMES=$3 exec \"$4\" serve", "sh", folder,
        count,
        names, try ProgramProcess.executable("counterfoil"),
      ], environment: ["PATH": "/usr/bin:/bin"], within: .seconds(60))
    #expect(try await eventually { program.hasEnded })
    return (program.status, program.errors)
  }

  @Test(.timeLimit(.minutes(2)))
  func `refuses what is no listening socket, another name, and a count that is none`() async throws {
    try await withShop { shop in
      let file = try await Self.refusal("3</dev/null", in: shop.folder)
      #expect(file.code == 1 && file.errors.contains("it is not a stream socket that listens."), "\(file.errors)")
      #expect(file.errors.contains("(inherited_socket_unusable)"))
      #expect(file.errors.contains("FileDescriptorName=api"), "the remedy")
      let name = try await Self.refusal("3</dev/null", names: "web", in: shop.folder)
      #expect(name.code == 1 && name.errors.contains("Socket 1 has the name \"web\"."), "\(name.errors)")
      let double = try await Self.refusal("3</dev/null 4</dev/null", count: "2", names: "api", in: shop.folder)
      #expect(double.code == 1 && double.errors.contains("Socket 1 has the name \"\"."), "\(double.errors)")
      for count in ["17", "-1", "many"] {
        let wrong = try await Self.refusal("3</dev/null", count: count, in: shop.folder)
        #expect(wrong.code == 1 && wrong.errors.contains("LISTEN_FDS is \(count), not a number"), "\(wrong.errors)")
      }
    }
  }

  @Test(.enabled(if: activator != nil, "systemd-socket-activate is absent"), .timeLimit(.minutes(2)))
  func `refuses a socket of datagrams and one without an IP address`() async throws {
    try await withShop { shop in
      for (options, says) in [
        (["--datagram", "--listen=127.0.0.1:\(try freePort())"], "it is not a stream socket that listens."),
        (["--listen=\(shop.folder)/socket"], "it has no address of IPv4 or IPv6."),
      ] {
        let program = try OtherProgram(
          try #require(Self.activator),
          options + [
            "--fdname=api", try ProgramProcess.executable("counterfoil"), "serve", "--config", shop.configuration,
          ],
          environment: ["PATH": "/usr/bin:/bin"], within: .seconds(60))
        // The activator starts the program when somebody calls.
        let caller = try OtherProgram(
          try #require(Self.python),
          ["-c", Self.caller, options.last?.split(separator: "=").last.map(String.init) ?? ""])
        #expect(try await eventually { program.hasEnded })
        #expect(program.status == 1 && program.errors.contains(says), "\(program.errors)")
        caller.kill()
      }
    }
  }

  /// Calls a place until somebody listens: a datagram to an address, a connection to a path.
  private static let caller = """
    import socket, sys, time
    place = sys.argv[1]
    while True:
      try:
        if place.startswith("/"):
          socket.socket(socket.AF_UNIX).connect(place)
        else:
          host, port = place.rsplit(":", 1)
          socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", (host, int(port)))
      except OSError: pass
      time.sleep(0.1)
    """

  @Test(.enabled(if: python != nil, "python3 is absent"), .timeLimit(.minutes(2)))
  func `leaves a socket that is for another process, and listens where the configuration says`() async throws {
    try await withShop { shop in
      try await shop.start(environment: ["LISTEN_PID": "1", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "api"])
      #expect(shop.process?.errors.contains("\"socket\":\"server\"") == true, "\(shop.process?.errors ?? "")")
      #expect(try await shop.stop() == 0)
    }
  }

  /// How many calls of the callers were answered, by the log.
  private static func answered(_ parent: OtherProgram) -> Int {
    parent.errors.split(separator: "\n").count { $0.contains("\"route\":\"Alive\"") }
  }

  @Test(.enabled(if: python != nil, "python3 is absent"), .timeLimit(.minutes(5)))
  func `is restarted again and again while callers ask, and no call is refused or lost`() async throws {
    try await withShop { shop in
      let port = try freePort()
      let parent = try OtherProgram(
        try #require(Self.python),
        [
          "-B", Self.root + "/Tests/Tools/socket_parent.py", "\(port)", shop.folder,
          try ProgramProcess.executable("counterfoil"), "serve",
        ], environment: ["PATH": "/usr/bin:/bin"], within: .seconds(200))
      let address = "http://127.0.0.1:\(port)"
      func isReady() async throws -> Bool {
        try await eventually {
          if parent.hasEnded { return false }
          return (try? await shop.exchange.send(HTTPRequest("GET", address + "/readyz"), .seconds(5)))?.status == 200
        }
      }
      #expect(try await isReady())
      // In a process of their own: a caller of this one may be kept waiting by other tests.
      let callers = try OtherProgram(
        try #require(Self.python), ["-B", Self.root + "/Tests/Tools/steady_callers.py", "\(port)", "4"],
        environment: ["PATH": "/usr/bin:/bin"], within: .seconds(200))
      #expect(try await eventually { Self.answered(parent) > 20 })
      for restart in 1...3 {
        parent.signal(SIGUSR1)
        // The parent prints a process id, the server what it listens on.
        let isNew = try await eventually {
          parent.output.split(separator: "\n").count { $0.allSatisfy(\.isNumber) } == restart + 1
        }
        #expect(isNew, "\(parent.output)")
        #expect(try await isReady())
        // The callers must be at work when the next one begins.
        let answered = Self.answered(parent)
        #expect(try await eventually { Self.answered(parent) > answered + 20 })
      }
      callers.terminate()
      #expect(try await eventually { callers.hasEnded })
      let counted = try JSONReader.read(callers.output.utf8)
      let failed = counted["failed"]?.array?.compactMap(\.string)
      #expect(failed == [] && (counted["asked"]?.integer ?? 0) > 20, "\(callers.output) \(callers.errors)")
      let listening = parent.errors.split(separator: "\n").filter { $0.contains("server.listening") }
      #expect(listening.count == 4)
      #expect(
        listening.allSatisfy {
          $0.contains("\"address\":\"\(address)\"") && $0.contains("\"socket\":\"serviceManager\"")
        })
      parent.terminate()
      #expect(try await eventually { parent.hasEnded })
      #expect(parent.status == 0, "\(parent.errors)")
    }
  }

  @Test(.enabled(if: activator != nil, "systemd-socket-activate is absent"), .timeLimit(.minutes(2)))
  func `is started by the first call, which it answers`() async throws {
    try await withShop { shop in
      let port = try freePort()
      let program = try OtherProgram(
        try #require(Self.activator),
        [
          "--listen=127.0.0.1:\(port)", "--fdname=api", try ProgramProcess.executable("counterfoil"), "serve",
          "--config",
          shop.configuration,
        ], environment: ["PATH": "/usr/bin:/bin"], within: .seconds(100))
      let isAnswered = try await eventually {
        (try? await shop.exchange.send(HTTPRequest("GET", "http://127.0.0.1:\(port)/livez"), .seconds(30)))?.status
          == 200
      }
      #expect(isAnswered, "\(program.errors)")
      program.terminate()
      #expect(try await eventually { program.hasEnded })
      #expect(program.status == 0, "\(program.errors)")
    }
  }
}

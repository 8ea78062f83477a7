import Foundation
import PaymentPrimitives
import SystemPlatform
import TestPlatform
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A service manager's socket, which keeps what it is told.
private final class ManagerSocket: Sendable {
  let path: String
  private let descriptor: Int32

  init(_ path: String) throws {
    self.path = path
    #if canImport(Glibc)
      descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    #else
      descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
    #endif
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
    }
    guard result == 0 else { throw ShopError("no socket at \(path)") }
  }

  deinit { close(descriptor) }

  /// The next message; nil if there is none now.
  func next() -> String? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }
}

/// SQLite's lock for writing (`WriteLock`), held by this process.
private final class HeldWriteLock: Sendable {
  private let descriptor: Int32

  init?(_ database: String) {
    descriptor = open(database + "-shm", O_RDWR | O_CLOEXEC)
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = 120
    lock.l_len = 1
    guard descriptor >= 0, fcntl(descriptor, F_SETLKW, &lock) == 0 else { return nil }
  }

  /// The kernel releases the lock with the descriptor.
  func release() { close(descriptor) }
}

@Suite struct `A server under a service manager` {
  /// Waits for a message with that line, and returns it with all that came before.
  private static func told(_ line: String, _ manager: ManagerSocket) async throws -> [String] {
    var messages: [String] = []
    let isTold = try await eventually {
      while let message = manager.next() {
        messages.append(message)
        if message.split(separator: "\n").contains(Substring(line)) { return true }
      }
      return false
    }
    #expect(isTold, "\(line) after \(messages)")
    return messages
  }

  @Test(.timeLimit(.minutes(5)))
  func `says when it is ready, works, reloads and stops`() async throws {
    try await withShop { shop in
      let manager = try ManagerSocket(shop.folder + "/notify")
      try await shop.start(environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "400000"])
      let first = try await Self.told("READY=1", manager)
      #expect(first.last?.contains("MAINPID=\(shop.process?.identifier ?? 0)") == true)
      #expect(first.last?.contains("STATUS=listens on \(shop.address)") == true)
      for _ in 0..<3 { _ = try await Self.told("WATCHDOG=1", manager) }
      shop.process?.signal(SIGHUP)
      let reloading = try await Self.told("RELOADING=1", manager)
      #expect(reloading.last?.contains("MONOTONIC_USEC=") == true)
      let again = try await Self.told("READY=1", manager)
      #expect(again.last?.contains("refused") == false)
      try Files.replace(shop.configuration, with: Array("nonsense".utf8))
      shop.process?.signal(SIGHUP)
      _ = try await Self.told("RELOADING=1", manager)
      #expect(try await Self.told("READY=1", manager).last?.contains("refused") == true)
      #expect(try await shop.stop() == 0)
      _ = try await Self.told("STOPPING=1", manager)
    }
  }

  /// The commits of another process hold the file; the server waits for them and says nothing meanwhile.
  @Test(.timeLimit(.minutes(5)))
  func `says nothing while its writer is stuck, and works on afterwards`() async throws {
    try await withShop { shop in
      let manager = try ManagerSocket(shop.folder + "/notify")
      try await shop.start(environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "100000"])
      _ = try await Self.told("WATCHDOG=1", manager)
      let lock = try #require(HeldWriteLock(shop.database))
      while manager.next() != nil {}
      try await Dependencies.system.sleep(.seconds(2))
      var count = 0
      while manager.next() != nil { count += 1 }
      // The commit before the lock may have ended and not been told yet. Otherwise it is told every 50 ms.
      #expect(count <= 1)
      lock.release()
      _ = try await Self.told("WATCHDOG=1", manager)
      #expect(try await shop.stop() == 0)
    }
  }

  private static let analyzer = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { "\($0)/systemd-analyze" }.first { FileManager.default.isExecutableFile(atPath: $0) }

  @Test(.enabled(if: analyzer != nil, "systemd-analyze is absent"))
  func `has a unit that exposes little of the machine`() async throws {
    let unit =
      URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().path + "/ops/counterfoil.service"
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(Self.analyzer))
    process.arguments = ["security", "--offline=true", "--threshold=15", unit]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "an exposure of more than 1.5")
  }
}

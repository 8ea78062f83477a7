import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A program that a test runs beside itself: Python, OpenSSL's command, a shell, our own.
///
/// Not Foundation's `Process`: in a process with many open files it reads past the end of a folder's listing and dies.
/// What the program writes lies in two files; of our own open files it inherits none. It is gone when nobody holds this
/// value any more.
public final class OtherProgram: Sendable {
  /// The system's number of it.
  public let identifier: Int32
  private let folder: URL
  private let isGroup: Bool
  private let ended = Mutex<Int32?>(nil)

  /// Starts it; its environment is this one's unless it is given.
  ///
  /// - Parameter isGroup: whether it leads a group of its own, so that what it starts itself is killed with it.
  public init(
    _ program: String, _ arguments: [String], environment: [String: String]? = nil, isGroup: Bool = false
  ) throws {
    self.isGroup = isGroup
    folder = FileManager.default.temporaryDirectory.appending(path: "other-program-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let names = environment ?? ProcessInfo.processInfo.environment
    var words = Self.pointers([program] + arguments)
    var variables = Self.pointers(names.sorted { $0.key < $1.key }.map { $0.key + "=" + $0.value })
    defer { for pointer in words + variables { free(pointer) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    for (channel, file) in [(Int32(1), "output"), (2, "errors")] {
      posix_spawn_file_actions_addopen(
        &actions, channel, folder.appending(path: file).path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Another test may ignore a signal just now; the program must not inherit that.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, number) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    var flags = Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF)
    if isGroup {
      flags |= Int16(POSIX_SPAWN_SETPGROUP)
      posix_spawnattr_setpgroup(&attributes, 0)
    }
    #if canImport(Glibc)
      for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
        if let descriptor = Int32(name), descriptor > 2 {
          posix_spawn_file_actions_addclose(&actions, descriptor)
        }
      }
    #else
      flags |= Int16(POSIX_SPAWN_CLOEXEC_DEFAULT)
    #endif
    posix_spawnattr_setflags(&attributes, flags)
    var identifier: pid_t = 0
    let code = posix_spawn(&identifier, program, &actions, &attributes, &words, &variables)
    self.identifier = identifier
    guard code == 0 else {
      ended.withLock { $0 = 127 }
      throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL)
    }
  }

  deinit {
    kill()
    try? FileManager.default.removeItem(at: folder)
  }

  private static func pointers(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
    texts.map { strdup($0) } + [nil]
  }

  private static func wait(for identifier: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
    return code(of: status)
  }

  private static func code(of status: Int32) -> Int32 {
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : 128 + signal
  }

  /// What it has written to its standard output so far.
  public var output: String { text("output") }
  /// What it has written to its standard error output so far.
  public var errors: String { text("errors") }

  private func text(_ file: String) -> String {
    (try? Data(contentsOf: folder.appending(path: file))).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  // MARK: signals

  /// Asks it to end.
  public func terminate() { signal(SIGTERM) }

  /// Sends it a signal, unless it has ended.
  public func signal(_ number: Int32) {
    ended.withLock { if $0 == nil { send(number, to: identifier) } }
  }

  /// Kills it, and its group if it leads one: nothing of it runs any more when this returns.
  public func kill() {
    ended.withLock { code in
      guard code == nil else { return }
      send(SIGKILL, to: isGroup ? -identifier : identifier)
      code = Self.wait(for: identifier)
    }
  }

  /// Stops it where it stands; false if it has ended. All of its threads stand still when this returns.
  public func hold() -> Bool {
    ended.withLock { code in
      guard code == nil else { return false }
      send(SIGSTOP, to: identifier)
      var status: Int32 = 0
      while waitpid(identifier, &status, WUNTRACED) < 0 && errno == EINTR {}
      if status & 0xFF == 0x7F { return true }
      code = Self.code(of: status)
      return false
    }
  }

  /// Lets it go on.
  public func release() { signal(SIGCONT) }

  // MARK: its end

  /// How it has ended: its exit code, or 128 and the signal's number; nil while it runs.
  public var status: Int32? {
    ended.withLock { code in
      if code == nil {
        var status: Int32 = 0
        if waitpid(identifier, &status, WNOHANG) == identifier { code = Self.code(of: status) }
      }
      return code
    }
  }

  /// Whether it runs no more.
  public var hasEnded: Bool { status != nil }

  /// Waits for its end, and says how: its exit code, or 128 and the signal's number. Blocks its thread.
  @discardableResult public func end() -> Int32 {
    ended.withLock { code in
      let now = code ?? Self.wait(for: identifier)
      code = now
      return now
    }
  }

  /// Runs a program to its end.
  ///
  /// - Throws: `Failure` with what it wrote to its standard error output, unless it ended with 0.
  public static func run(_ program: String, _ arguments: [String]) throws {
    let running = try OtherProgram(program, arguments)
    let code = running.end()
    guard code == 0 else { throw Failure(code: code, errors: running.errors) }
  }

  /// A program that did not end with 0.
  public struct Failure: Error, CustomStringConvertible {
    /// Its exit code, or 128 and the signal's number.
    public let code: Int32
    /// What it wrote to its standard error output.
    public let errors: String

    public var description: String { "ended with \(code): \(errors)" }
  }
}

/// The system's function of a name that the methods above hide.
private func send(_ signal: Int32, to identifier: pid_t) { _ = kill(identifier, signal) }

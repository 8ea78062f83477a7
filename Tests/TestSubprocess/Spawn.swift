import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Starts a program as the leader of its own session. It inherits only the given files.
enum Spawn {
  /// One of a program's standard channels.
  enum Channel {
    case file(String, Int32)
    case descriptor(Int32)
  }

  /// Starts it.
  ///
  /// - Parameter channels: its standard input, output and error output.
  /// - Returns: its process id, which is also the id of its session and its group.
  static func start(
    _ program: String, _ arguments: [String], environment: [String: String], channels: [Channel]
  ) throws -> pid_t {
    var words = pointers([program] + arguments)
    var variables = pointers(environment.sorted { $0.key < $1.key }.map { $0.key + "=" + $0.value })
    defer { for pointer in words + variables { free(pointer) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, channel) in zip(Int32(0)..., channels) {
      switch channel {
      case .file(let path, let flags): posix_spawn_file_actions_addopen(&actions, number, path, flags, 0o600)
      case .descriptor(let descriptor): posix_spawn_file_actions_adddup2(&actions, descriptor, number)
      }
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Another test may ignore a signal at this moment. The program must not inherit that.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, number) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    var flags = Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF) | ownSession
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
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
    return identifier
  }

  /// POSIX_SPAWN_SETSID, which Swift can see on Darwin only.
  #if canImport(Glibc)
    private static let ownSession: Int16 = 0x80
  #else
    private static let ownSession = Int16(POSIX_SPAWN_SETSID)
  #endif

  private static func pointers(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
    texts.map { strdup($0) } + [nil]
  }
}

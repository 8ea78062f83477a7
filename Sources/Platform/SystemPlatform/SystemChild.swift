package import PaymentPrimitives
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A second process of this program.
package final class SystemChild: Sendable {
  private struct State {
    var isGone = false
  }

  /// The number of the process; another program may have it once this one has ended.
  package let identifier: Int32
  private let state = Mutex(State())

  private init(_ identifier: pid_t) { self.identifier = identifier }

  /// Starts this program's own executable with these arguments. The environment is that of this process plus the
  /// variables given here. It writes to the same standard streams.
  ///
  /// - Parameter program: the path of the executable.
  /// - Throws: `childUnstartable`.
  package static func start(
    program: String? = SystemProcess.executablePath, arguments: [String], environment: [String: String]
  ) throws(CodedError<SystemErrorCode>) -> SystemChild {
    guard let program else {
      throw CodedError(.childUnstartable, "The path of this program is not known.")
    }
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    var variables = environmentBlock(with: environment)
    defer { for pointer in words + variables { free(pointer) } }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The child would inherit ignored and blocked signals; but it must receive the signal to end.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, number) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
    var identifier: pid_t = 0
    let code = posix_spawn(&identifier, program, nil, &attributes, &words, &variables)
    guard code == 0 else {
      throw CodedError(.childUnstartable, String(cString: strerror(code)) + ".")
    }
    return SystemChild(identifier)
  }

  private static func environmentBlock(
    with added: [String: String]
  ) -> [UnsafeMutablePointer<CChar>?] {
    var block: [UnsafeMutablePointer<CChar>?] = []
    var pointer = environ
    while let variable = pointer.pointee {
      let text = String(cString: variable)
      let name = text.prefix { $0 != "=" }
      if added[String(name)] == nil { block.append(strdup(text)) }
      pointer += 1
    }
    for (name, value) in added.sorted(by: { $0.key < $1.key }) { block.append(strdup("\(name)=\(value)")) }
    return block + [nil]
  }

  /// Kills the process: none of its handlers run, and it is gone when this returns.
  package func kill() {
    state.withLock { state in
      guard !state.isGone else { return }
      signal(SIGKILL)
      while waitpid(identifier, nil, 0) < 0 && errno == EINTR {}
      state.isGone = true
    }
  }

  /// Asks the process to end, and waits until it has ended.
  package func end() async {
    state.withLock { if !$0.isGone { signal(SIGTERM) } }
    while !hasGone() { try? await Task.sleep(nanoseconds: 20_000_000) }
  }

  private func signal(_ number: Int32) {
    #if canImport(Glibc)
      _ = Glibc.kill(identifier, number)
    #elseif canImport(Musl)
      _ = Musl.kill(identifier, number)
    #else
      _ = Darwin.kill(identifier, number)
    #endif
  }

  /// Whether the process has ended.
  package func hasGone() -> Bool {
    state.withLock { state in
      if !state.isGone { state.isGone = waitpid(identifier, nil, WNOHANG) != 0 }
      return state.isGone
    }
  }
}

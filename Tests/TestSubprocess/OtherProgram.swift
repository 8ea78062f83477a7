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
/// What the program writes lies in two files; of our own open files it inherits none.
///
/// It never outlives its test. It leads a session, and that whole session is ended with all that it started: at its
/// deadline, when it ends by itself, when nobody holds this value any more, and when the process of the tests is gone.
public final class OtherProgram: Sendable {
  /// The longest that a program may run unless its test says otherwise; shorter than the time limits of tests.
  public static let patience = Duration.seconds(240)

  /// The system's number of it.
  public let identifier: Int32
  private let folder: URL
  private let life = Mutex(Life())

  private struct Life {
    /// How it has ended; nil while it runs.
    var code: Int32?
    var wasEndedByDeadline = false
  }

  /// Starts it; its environment is this one's unless it is given.
  ///
  /// - Parameter deadline: how long it may run at most; then it is ended with all that it started.
  public init(
    _ program: String, _ arguments: [String], environment: [String: String]? = nil,
    within deadline: Duration = OtherProgram.patience
  ) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "other-program-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    do {
      identifier = try Spawn.start(
        program, arguments, environment: environment ?? ProcessInfo.processInfo.environment,
        channels: [
          .file("/dev/null", O_RDONLY), .file(folder.appending(path: "output").path, O_WRONLY | O_CREAT | O_APPEND),
          .file(folder.appending(path: "errors").path, O_WRONLY | O_CREAT | O_APPEND),
        ])
    } catch {
      try? FileManager.default.removeItem(at: folder)
      throw error
    }
    Keeper.shared.keep(identifier)
    Deadlines.add(self, after: deadline)
  }

  deinit {
    kill()
    try? FileManager.default.removeItem(at: folder)
  }

  /// What it has written to its standard output so far.
  public var output: String { text("output") }
  /// What it has written to its standard error output so far.
  public var errors: String { text("errors") }

  /// Waits until it has written these words to its standard output, or has ended. Blocks its thread.
  public func awaitOutput(_ words: String) {
    while !output.contains(words), !hasEnded { usleep(10_000) }
  }

  private func text(_ file: String) -> String {
    (try? Data(contentsOf: folder.appending(path: file))).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  // MARK: signals

  /// Asks it to end.
  public func terminate() { signal(SIGTERM) }

  /// Sends it a signal, unless it has ended.
  public func signal(_ number: Int32) {
    life.withLock { if $0.code == nil { send(number, to: identifier) } }
  }

  /// Kills it with all that it started: nothing of it runs any more when this returns.
  public func kill() { life.withLock { end(&$0) } }

  /// Kills it because its time is over.
  func reachDeadline() {
    life.withLock { life in
      guard life.code == nil else { return }
      end(&life)
      life.wasEndedByDeadline = true
    }
  }

  /// Stops it where it stands; false if it has ended. All of its threads stand still when this returns.
  public func hold() -> Bool {
    life.withLock { life in
      guard life.code == nil else { return false }
      send(SIGSTOP, to: identifier)
      var status: Int32 = 0
      while waitpid(identifier, &status, WUNTRACED) < 0 && errno == EINTR {}
      if status & 0xFF == 0x7F { return true }
      note(status, in: &life)
      return false
    }
  }

  /// Lets it go on.
  public func release() { signal(SIGCONT) }

  // MARK: its end

  /// How it has ended: its exit code, or 128 and the signal's number; nil while it runs.
  public var status: Int32? {
    life.withLock { life in
      var status: Int32 = 0
      if life.code == nil, waitpid(identifier, &status, WNOHANG) == identifier { note(status, in: &life) }
      return life.code
    }
  }

  /// Whether it runs no more.
  public var hasEnded: Bool { status != nil }

  /// Whether it has been ended because its time was over.
  public var wasEndedByDeadline: Bool { life.withLock { $0.wasEndedByDeadline } }

  /// Waits for its end, and says how: its exit code, or 128 and the signal's number. Blocks its thread, until the
  /// deadline at the latest.
  @discardableResult public func end() -> Int32 {
    if let status { return status }
    // Waits without the lock, and leaves the program's number to it: its deadline may end it meanwhile.
    var information = siginfo_t()
    while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) < 0 && errno == EINTR {}
    return life.withLock { life in
      var status: Int32 = 0
      if life.code == nil {
        while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
        note(status, in: &life)
      }
      return life.code ?? 128 + SIGKILL
    }
  }

  private func end(_ life: inout Life) {
    guard life.code == nil else { return }
    Session.kill(identifier)
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
    note(status, in: &life)
  }

  /// Takes down how it has ended, and ends what it has left behind.
  private func note(_ status: Int32, in life: inout Life) {
    let signal = status & 0x7F
    life.code = signal == 0 ? status >> 8 & 0xFF : 128 + signal
    Session.kill(identifier)
    Keeper.shared.release(identifier)
  }

  /// Runs a program to its end.
  ///
  /// - Throws: `Failure` with what it wrote to its standard error output, unless it ended with 0.
  public static func run(
    _ program: String, _ arguments: [String], within deadline: Duration = OtherProgram.patience
  ) throws {
    let running = try OtherProgram(program, arguments, within: deadline)
    let code = running.end()
    guard code == 0 else {
      let words = running.wasEndedByDeadline ? "it was ended at its deadline of \(deadline)\n" : ""
      throw Failure(code: code, errors: words + running.errors)
    }
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

import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A program that a test runs: Python, the `openssl` command, a shell, or our own.
///
/// Not Foundation's `Process`: in a process with many open files it reads past the end of a folder's listing and dies.
/// The program's output goes to two files. It inherits none of our open files.
///
/// It never outlives its test. It leads a session, and the whole session is killed: at its deadline, when the program
/// ends, when this value is released, and when the process of the tests has ended.
public final class OtherProgram: Sendable {
  /// The default deadline of a program; shorter than the time limits of tests.
  public static let patience = Duration.seconds(240)

  /// Its process id.
  public let identifier: Int32
  private let folder: URL
  private let life = Mutex(Life())

  private struct Life {
    /// Its exit status; nil while it runs.
    var code: Int32?
    var wasEndedByDeadline = false
  }

  /// Starts it, by default with the environment of this process.
  ///
  /// - Parameter deadline: its longest run time. Then it is killed with all its child processes.
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

  /// Its standard output so far.
  public var output: String { text("output") }
  /// Its standard error output so far.
  public var errors: String { text("errors") }

  /// Waits until its standard output contains these words, or it has ended. Meanwhile other tests have the thread.
  public func awaitOutput(_ words: String) async throws {
    while !output.contains(words), !hasEnded { try await Task.sleep(for: .milliseconds(10)) }
  }

  private func text(_ file: String) -> String {
    (try? Data(contentsOf: folder.appending(path: file))).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  // MARK: signals

  /// Sends SIGTERM.
  public func terminate() { signal(SIGTERM) }

  /// Sends it a signal, unless it has ended.
  public func signal(_ number: Int32) {
    life.withLock { if $0.code == nil { send(number, to: identifier) } }
  }

  /// Kills it with all its child processes. None of them runs when this returns.
  public func kill() { life.withLock { end(&$0) } }

  /// Kills it at its deadline.
  func reachDeadline() {
    life.withLock { life in
      guard life.code == nil else { return }
      end(&life)
      life.wasEndedByDeadline = true
    }
  }

  /// Stops all its threads before it returns; false if the program has ended.
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

  /// Continues it.
  public func release() { signal(SIGCONT) }

  // MARK: end

  /// Its exit code, or 128 plus the signal's number; nil while it runs.
  public var status: Int32? {
    life.withLock { life in
      var status: Int32 = 0
      if life.code == nil, waitpid(identifier, &status, WNOHANG) == identifier { note(status, in: &life) }
      return life.code
    }
  }

  public var hasEnded: Bool { status != nil }

  /// Whether it was killed at its deadline.
  public var wasEndedByDeadline: Bool { life.withLock { $0.wasEndedByDeadline } }

  /// Waits for its end, and returns its exit code, or 128 plus the signal's number. Blocks the calling thread, at most
  /// until the deadline.
  @discardableResult public func end() -> Int32 {
    if let status { return status }
    // Waits without the lock and does not reap the process: the deadline may kill it in the meantime.
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

  /// Records its exit status, and kills the processes that it left.
  private func note(_ status: Int32, in life: inout Life) {
    let signal = status & 0x7F
    life.code = signal == 0 ? status >> 8 & 0xFF : 128 + signal
    Session.kill(identifier)
    Keeper.shared.release(identifier)
  }

  /// Runs a program to its end.
  ///
  /// - Throws: `Failure` with its standard error output, unless it ended with 0.
  public static func run(
    _ program: String, _ arguments: [String], within deadline: Duration = OtherProgram.patience
  ) throws {
    let running = try OtherProgram(program, arguments, within: deadline)
    try running.expectSuccess(running.end(), within: deadline)
  }

  /// The same for a program that runs for long: a thread of its own waits for it, so that other tests go on.
  public static func run(
    _ program: String, _ arguments: [String], within deadline: Duration = OtherProgram.patience
  ) async throws {
    let running = try OtherProgram(program, arguments, within: deadline)
    let code = await withCheckedContinuation { continuation in
      Thread { continuation.resume(returning: running.end()) }.start()
    }
    try running.expectSuccess(code, within: deadline)
  }

  private func expectSuccess(_ code: Int32, within deadline: Duration) throws {
    guard code == 0 else {
      let words = wasEndedByDeadline ? "it was ended at its deadline of \(deadline)\n" : ""
      throw Failure(code: code, errors: words + errors)
    }
  }

  /// A program that did not end with 0.
  public struct Failure: Error, CustomStringConvertible {
    /// Its exit code, or 128 plus the signal's number.
    public let code: Int32
    /// Its standard error output.
    public let errors: String

    public var description: String { "ended with \(code): \(errors)" }
  }
}

/// The system's `kill`: a method above hides its name.
private func send(_ signal: Int32, to identifier: pid_t) { _ = kill(identifier, signal) }

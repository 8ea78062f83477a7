import PaymentPrimitives

/// Writes the client's log lines and remembers the last of them for support.
final class SupportLog {
  /// Log lines of this run kept for support: some minutes of a busy app.
  private static let linesMax = 300

  private let log: Log
  private let now: @Sendable () -> Timestamp
  private(set) var lines: [SupportBundle.Line] = []

  init(_ log: @escaping Log, now: @escaping @Sendable () -> Timestamp) {
    self.log = log
    self.now = now
  }

  func write(_ level: LogEvent.Level, _ name: String, with fields: [(name: String, value: String)] = []) {
    let event = LogEvent(level, name, fields)
    log(event)
    lines.append(SupportBundle.Line(at: now(), event))
    if lines.count > Self.linesMax { lines.removeFirst(lines.count - Self.linesMax) }
  }

  /// A write to the vault failed, and the caller goes on: the server or the next start will report the same again.
  func vaultFailed(_ failure: VaultFailure) {
    write(.error, "client.vault.failed", with: [("what", failure.explanation)])
  }
}

import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// The one attempt to extend the period of a subscription that ends at a stated moment. Apple has no key by which it
/// knows a repeated request, so the database decides which of several operators sends it (record 290).
///
/// It is a setting, `extension.<app>.<environment>.<originalTransactionId>.<end>`, which a server of an earlier version
/// leaves alone.
struct ExtensionAttempt {
  /// Until an attempt without a known outcome no longer keeps others from sending.
  ///
  /// Longer than what one attempt waits for: it begins to send within five minutes, and then the call may wait for its
  /// turn in two environments, with two keys.
  static let span = TimeSpan.minutes(15)
  /// How long after its begin an attempt may still send. The rest of the span is left for the call itself.
  static let sendsWithin = TimeSpan.minutes(5)

  enum Decision: Hashable, Sendable {
    /// This attempt may send.
    case mine
    /// Another attempt has not ended.
    case underWay
    /// An earlier attempt put this end off to that moment.
    case extended(until: Timestamp)
  }

  let setting: String
  /// Names the attempt.
  let holder: String
  /// Where the period ends, as the operator saw it.
  let expected: Timestamp

  init(_ subscription: PaymentKey, endingAt expected: Timestamp, holder: String) {
    let names = [
      subscription.app.text, subscription.environment.rawValue, subscription.transaction.text,
      "\(expected.milliseconds)",
    ]
    setting = "extension." + names.joined(separator: ".")
    (self.holder, self.expected) = (holder, expected)
  }

  private struct Kept {
    var holder: String
    /// Until when others wait; the present once the outcome is known.
    var until: Timestamp
    /// The new end; nil unless Apple told it.
    var end: Timestamp?

    init(holder: String, until: Timestamp, end: Timestamp? = nil) {
      (self.holder, self.until, self.end) = (holder, until, end)
    }

    init?(_ text: String?) {
      let parts = (text ?? "").split(separator: " ")
      guard parts.count == 3, let until = Int64(parts[1]) else { return nil }
      self.init(
        holder: String(parts[0]), until: Timestamp(milliseconds: until),
        end: Int64(parts[2]).map { Timestamp(milliseconds: $0) })
    }

    var text: String { "\(holder) \(until.milliseconds) \(end.map { "\($0.milliseconds)" } ?? "-")" }
  }

  /// Takes the attempt, unless another one has not ended or had success. A repeat of the same closure takes it again.
  func begin(in transaction: any DatabaseTransaction) throws -> Decision {
    let now = transaction.now
    if let kept = Kept(try transaction.setting(setting)) {
      if let end = kept.end { return .extended(until: end) }
      // An attempt that ends later than any can was made by a clock that was ahead.
      let isUnderWay = kept.until > now && kept.until <= now + Self.span
      if isUnderWay, kept.holder != holder { return .underWay }
    }
    try transaction.set(setting, to: Kept(holder: holder, until: now + Self.span).text)
    return .mine
  }

  /// Ends the attempt: with the new end, or with nil if Apple has extended nothing. One that another one has followed
  /// changes nothing.
  func end(with end: Timestamp?, in transaction: any DatabaseTransaction) throws {
    guard let kept = Kept(try transaction.setting(setting)), kept.holder == holder else { return }
    try transaction.set(setting, to: Kept(holder: holder, until: transaction.now, end: end).text)
  }
}

import Cryptography
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import WeChatPayProtocol

/// The one attempt to answer a customer at a stated place of the talk. WeChat Pay has no key by which it knows a
/// repeated answer, so the database decides which of several presses sends it (record 306).
///
/// It is a setting, `complaint.answer.<app>.<environment>.<complaint>`, which a server of an earlier version leaves
/// alone.
struct AnswerAttempt {
  /// Until an attempt without a known outcome no longer keeps others from sending. A request waits for less.
  static let span = TimeSpan.minutes(15)

  let setting: String
  /// The talk as the operator read it.
  let talk: String
  /// Names the attempt.
  let holder: String

  init(_ complaint: String, in appEnvironment: AppEnvironment, talk: String, holder: String) {
    setting = "complaint.answer.\(appEnvironment.app.text).\(appEnvironment.environment.rawValue).\(complaint)"
    (self.talk, self.holder) = (talk, holder)
  }

  private struct Kept {
    var holder: String
    var talk: String
    /// Until when others wait; nil once WeChat Pay has taken the answer: then nobody sends another one at this place.
    var until: Timestamp?

    init(holder: String, talk: String, until: Timestamp?) {
      (self.holder, self.talk, self.until) = (holder, talk, until)
    }

    init?(_ text: String?) {
      let parts = (text ?? "").split(separator: " ").map(String.init)
      guard parts.count == 3 else { return nil }
      self.init(holder: parts[0], talk: parts[1], until: Int64(parts[2]).map { Timestamp(milliseconds: $0) })
    }

    var text: String { "\(holder) \(talk) \(until.map { "\($0.milliseconds)" } ?? "-")" }
  }

  /// Takes the attempt, unless another one at this place of the talk has not ended or had success. A repeat of the same
  /// closure takes it again.
  ///
  /// - Returns: whether this attempt may send.
  func begin(in transaction: any DatabaseTransaction) throws -> Bool {
    let now = transaction.now
    if let kept = Kept(try transaction.setting(setting)), kept.talk == talk, kept.holder != holder {
      guard let until = kept.until else { return false }
      // An attempt that ends later than any can was made by a clock that was ahead.
      if until > now, until <= now + Self.span { return false }
    }
    try transaction.set(setting, to: Kept(holder: holder, talk: talk, until: now + Self.span).text)
    return true
  }

  /// Ends the attempt, once WeChat Pay has taken or refused the answer. One that another one has followed changes
  /// nothing.
  func end(isTaken: Bool, in transaction: any DatabaseTransaction) throws {
    guard let kept = Kept(try transaction.setting(setting)), kept.holder == holder else { return }
    let until = isTaken ? nil : transaction.now
    try transaction.set(setting, to: Kept(holder: holder, talk: talk, until: until).text)
  }
}

extension ComplaintStory {
  /// Names the place that the talk has reached. It is another one as soon as anybody writes something.
  package var talk: String {
    let steps = [history.first?.id, history.last?.id].compactMap(\.self)
    let place = (["\(complaint.times)", "\(history.count)"] + steps).joined(separator: " ")
    return String(Array(SHA256.hash(place)).hexadecimal.prefix(16))
  }
}

/// The server's verdict on a payment; it decides whether the transaction may be finished at the store
/// (docs/specification/states.md, “Verdicts”).
public enum Verdict: String, CaseIterable, Sendable {
  /// Granted to the caller, now or before.
  case fulfilled
  /// Granted to its owner, who is another user; the answer has no order.
  case fulfilledForAnother
  /// Refunded or revoked; nothing of it is left.
  case revoked
  /// Bought before the cut-over and delivered by the earlier system.
  case imported
  /// Ours and durable; an operator or later evidence decides.
  case held
  /// Kept, but the result is not known yet.
  case pending
  /// WeChat Pay says that it is not paid yet.
  case unpaid
  /// Genuine, but no owner is known yet.
  case unclaimed
  /// Not genuine, or not ours; nothing was recorded.
  case refused

  /// Whether the transaction may be finished at the store. A client never finishes without it.
  public var finish: Bool {
    switch self {
    case .fulfilled, .fulfilledForAnother, .revoked, .imported, .held: true
    case .pending, .unpaid, .unclaimed, .refused: false
    }
  }

  /// Whether a new purchase of the product must wait until the result is known.
  public var blocksPurchase: Bool { self == .pending }
}

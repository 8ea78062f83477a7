import PaymentPrimitives
import WeChatPayProtocol

/// The outcome of a call, with the signed bytes to store if it becomes evidence.
struct WeChatPayReply<Answer: Sendable>: Sendable {
  let outcome: WeChatPayOutcome<Answer>
  let evidence: String?
  let signedDate: Timestamp
}

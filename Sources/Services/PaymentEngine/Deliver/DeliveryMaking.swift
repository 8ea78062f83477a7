import CounterfoilAPI
import Cryptography
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// Creates the message that reports a change of a grant to the backend. Its id derives from its content, and its body
/// is made once for all attempts.
enum DeliveryMaking {
  /// `dlv_` and base32 of SHA-256 over (app, environment, store, transaction id, kind, cause). It is the same after a
  /// restore or on a second node, so a backend that stores it never books twice.
  static func identifier(
    _ payment: PaymentKey, _ announcement: FulfilmentPlan.Announcement
  ) -> DeliveryIdentifier {
    let digest = SHA256.hash(
      StableBytes.of([
        payment.app.text, payment.environment.rawValue, payment.store.rawValue,
        payment.transaction.text, announcement.kind.rawValue, announcement.cause,
      ]))
    return DeliveryIdentifier("dlv_" + base32(digest))
  }

  /// The delivery of an announcement.
  ///
  /// - Parameters:
  ///   - order: the order that the payment paid. If a restore moved the entitlement to another user, the delivery
  ///     contains nothing of the order, because it is not that user's.
  ///   - end: the end of the entitlement, if it is not that of this payment alone.
  static func delivery(
    _ announcement: FulfilmentPlan.Announcement, sequence: Int, of payment: Payment,
    _ grant: Grant, order: Order?, until end: Timestamp? = nil, at now: Timestamp
  ) -> Delivery {
    let id = identifier(payment.key, announcement)
    let content: DeliveryBody.Content =
      switch grant.content {
      case .units(let unit, _): .units(unit, amount: announcement.amount)
      case .entitlement(let name, _, let until): .entitlement(name, expiresAt: end ?? until)
      }
    var body = DeliveryBody(
      type: announcement.kind.type, id: id, sequence: sequence, payment: payment.key,
      user: grant.user, product: grant.promise.product, quantity: payment.facts.quantity, content: content,
      occurredAt: now)
    if announcement.kind != .created {
      body.takenBack = announcement.takenBack
      body.inForce = grant.parts - announcement.takenBack
    }
    if payment.facts.originalTransaction != payment.key.transaction {
      body.originalTransaction = payment.facts.originalTransaction
    }
    if let match = payment.match {
      body.match = [match.rule.rawValue] + match.flags.map(\.rawValue).sorted()
    }
    let order = order?.user == grant.user ? order : nil
    if let order {
      let reference = order.reference ?? order.derivation?.reference
      body.order = order.key.id
      body.reference = reference?.text
      body.referenceFrom = reference?.origin == .app ? "app" : nil
      body.derivedFrom = order.derivation?.from
      body.metadata = order.metadata.flatMap { try? JSONReader.read($0.utf8) }
    }
    return Delivery(
      id: id, payment: payment.key, order: order?.key.id, kind: announcement.kind,
      sequence: sequence, body: body.text, createdAt: now)
  }

  /// RFC 4648 base32 in lower case, without padding.
  static func base32(_ bytes: [UInt8]) -> String {
    let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 8 + 4) / 5)
    var buffer: UInt32 = 0
    var bits: UInt32 = 0
    for byte in bytes {
      buffer = buffer << 8 | UInt32(byte)
      bits += 8
      while bits >= 5 {
        bits -= 5
        text.append(alphabet[Int(buffer >> bits & 31)])
      }
      buffer &= 1 << bits - 1
    }
    if bits > 0 { text.append(alphabet[Int(buffer << (5 - bits) & 31)]) }
    return String(decoding: text, as: UTF8.self)
  }
}

import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// The store's data as received.
extension SQLiteTransaction {
  func evidence(of payment: PaymentKey) throws -> [Evidence] {
    guard let identifier = try identifier(of: payment) else { return [] }
    return try all(EvidenceSQL.ofPayment, { $0.add(identifier) }) {
      Evidence(
        payment: payment, text: $0.text(), origin: try $0.rawValue(), receivedAt: $0.timestamp())
    }
  }

  func insert(_ evidence: Evidence) throws {
    let identifier = try identifierForWriting(of: evidence.payment)
    try write(EvidenceSQL.insert) {
      $0.add(identifier)
      $0.add(evidence.text)
      $0.add(evidence.origin.rawValue)
      $0.add(evidence.receivedAt)
    }
  }
}

enum EvidenceSQL {
  static let ofPayment = SQL(
    "SELECT text, origin, received_at FROM evidence WHERE payment = ? ORDER BY id")
  static let insert = SQL(
    "INSERT INTO evidence (payment, text, origin, received_at) VALUES (?, ?, ?, ?)")

  static let all = [ofPayment, insert]
}

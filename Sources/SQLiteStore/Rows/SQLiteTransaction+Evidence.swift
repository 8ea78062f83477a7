import PaymentModel
import PaymentStore
import PaymentVocabulary

/// What hangs on a payment key besides the payment: echoes and evidence.
extension SQLiteTransaction {
  func echo(_ key: PaymentKey) throws -> PaymentEcho? {
    guard let identifier = try identifier(of: key) else { return nil }
    return try first(EvidenceSQL.echo, { $0.add(identifier) }) {
      PaymentEcho(key: key, of: try $0.paymentKey(), firstSeenAt: $0.timestamp())
    }
  }

  func insert(_ echo: PaymentEcho) throws {
    let identifier = try identifierForWriting(of: echo.key)
    let original = try identifierForWriting(of: echo.of)
    try write(EvidenceSQL.insertEcho) {
      $0.add(identifier)
      $0.add(original)
      $0.add(echo.firstSeenAt)
    }
  }

  func evidence(of payment: PaymentKey) throws -> [Evidence] {
    guard let identifier = try identifier(of: payment) else { return [] }
    return try all(EvidenceSQL.ofPayment, { $0.add(identifier) }) {
      Evidence(
        payment: payment, text: $0.text(), origin: try $0.word(), receivedAt: $0.timestamp())
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

/// The statements about echoes and evidence.
enum EvidenceSQL {
  static let echo = SQL(
    """
    SELECT \(PaymentRow.keyColumns), e.first_seen_at
    FROM echoes AS e JOIN payment_keys AS k ON k.id = e.payment WHERE e.id = ?
    """)
  static let insertEcho = SQL("INSERT INTO echoes (id, payment, first_seen_at) VALUES (?, ?, ?)")
  static let ofPayment = SQL(
    "SELECT text, origin, received_at FROM evidence WHERE payment = ? ORDER BY id")
  static let insert = SQL(
    "INSERT INTO evidence (payment, text, origin, received_at) VALUES (?, ?, ?, ?)")

  static let all = [echo, insertEcho, ofPayment, insert]
}

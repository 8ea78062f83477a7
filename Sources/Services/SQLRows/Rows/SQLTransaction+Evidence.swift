import Cryptography
import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// The store's data as received.
extension SQLTransaction {
  func evidence(of payment: PaymentKey) throws -> [Evidence] {
    guard let identifier = try identifier(of: payment) else { return [] }
    return try all(EvidenceSQL.ofPayment, { $0.add(identifier) }) { row in
      let text = try EvidenceSQL.readText(&row)
      return Evidence(payment: payment, text: text, origin: try row.rawValue(), receivedAt: row.timestamp())
    }
  }

  func insert(_ evidence: Evidence) throws {
    let identifier = try identifierForWriting(of: evidence.payment)
    let known = known.evidence.first { haveSameBytes($0.text, evidence.text) }
    let split = try known ?? connection.knownHeaders.split(evidence.text) ?? split(evidence.text)
    try write(EvidenceSQL.insert) {
      $0.add(identifier)
      $0.add(split?.rest ?? evidence.text)
      $0.add(evidence.origin.rawValue)
      $0.add(evidence.receivedAt)
      $0.add(split?.header)
      $0.add(split?.digest)
    }
  }

  // MARK: Headers

  /// Splits a text and writes its header if it is new; nil for a text without a long header.
  func split(_ text: String) throws -> SplitEvidence? {
    guard let parts = SignedTextParts(text) else { return nil }
    let digest = SHA256.hash(parts.header)
    if let row = try headerRow(digest) {
      note(header: parts.header, row: row)
      return SplitEvidence(text, header: row, rest: parts.rest)
    }
    let inserted = try insertedRow(EvidenceSQL.insertHeader) {
      $0.add(digest)
      $0.add(parts.header)
    }
    guard let row = try inserted ?? headerRow(digest) else { throw fail(DatabaseConflict(on: "evidence_headers")) }
    note(header: parts.header, row: row)
    return SplitEvidence(text, header: row, rest: parts.rest)
  }

  private func headerRow(_ digest: [UInt8]) throws -> Int64? {
    try first(EvidenceSQL.headerRow, { $0.add(digest) }, { $0.integer() })
  }

  /// Splits a planned text on the caller's thread, if its header is committed already. Otherwise the writer does it.
  func prepare(_ evidence: Evidence) throws {
    if let split = connection.knownHeaders.split(evidence.text) { return note(split) }
    guard let parts = SignedTextParts(evidence.text), let row = try headerRow(SHA256.hash(parts.header)) else { return }
    connection.knownHeaders.note(parts.header, row: row)
    note(SplitEvidence(evidence.text, header: row, rest: parts.rest))
  }
}

package enum EvidenceSQL {
  static let ofPayment = SQL(
    """
    SELECT e.text, e.digest, h.text, e.origin, e.received_at
    FROM evidence AS e LEFT JOIN evidence_headers AS h ON h.id = e.header WHERE e.payment = ? ORDER BY e.id
    """)
  static let insert = SQL(
    "INSERT INTO evidence (payment, text, origin, received_at, header, digest) VALUES (?, ?, ?, ?, ?, ?)")
  package static let headerRow = SQL("SELECT id FROM evidence_headers WHERE digest = ?")
  static let insertHeader = SQL(
    "INSERT INTO evidence_headers (digest, text) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING \(.returningNumber)")

  /// The text of a row to the byte, put together again.
  static func readText(_ row: inout Columns) throws -> String {
    let text = row.text()
    guard let digest = row.optionalBytes() else {
      row.skip(1)
      return text
    }
    let whole = (row.optionalText() ?? "") + text
    guard SHA256.hash(whole) == digest else { throw row.damage("the digest of the header with which the text is read") }
    return whole
  }

  static let all = [ofPayment, insert, headerRow, insertHeader]
}

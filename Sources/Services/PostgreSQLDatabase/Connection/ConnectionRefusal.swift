import PaymentDatabase
import PaymentPrimitives

/// Why a server or libpq refused a connection.
struct ConnectionRefusal {
  private let state: String?
  private let message: String

  /// - Parameter message: libpq's message, in which the server's part is its SQLSTATE alone.
  init(_ message: String) {
    let lines = message.split(whereSeparator: \.isNewline)
    self.message = lines.last.map(String.init) ?? ""
    state = lines.last.flatMap { line in line.split(separator: " ").last.map(String.init) }
      .flatMap { Self.isState($0) ? $0 : nil }
  }

  private static func isState(_ word: String) -> Bool {
    word.utf8.count == 5
      && word.utf8.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
      } && word.utf8.contains { $0 <= UInt8(ascii: "9") }
  }

  func error(at name: String) -> CodedError<DatabaseErrorCode> {
    // PgBouncer refuses settings that it does not know as a violation of the protocol.
    if state == "08P01" { return ConnectionOpener.pooler(at: name) }
    if let state {
      let failure = PostgreSQLFailure(state: state, "at \(name)")
      return failure.databaseError
    }
    return CodedError(code, "PostgreSQL at \(name): \(reason)")
  }

  /// libpq's own words tell nothing secret: it never prints a password.
  private var code: DatabaseErrorCode {
    let words = message.lowercased()
    if words.contains("password") || words.contains("authentication") || words.contains("scram") {
      return .accessDenied
    }
    return words.contains("ssl") || words.contains("certificate") ? .untrusted : .unavailable
  }

  /// libpq's message without the place, which stands before it already.
  private var reason: String {
    guard let range = message.range(ofText: " failed: ") else { return message }
    return String(message[range...])
  }
}

extension String {
  /// The index behind the first occurrence of a text.
  fileprivate func range(ofText text: String) -> String.Index? { firstRange(of: text)?.upperBound }
}

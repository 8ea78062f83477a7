import CPostgreSQL
import PaymentDatabase
import PaymentPrimitives
import SQLRows

/// An error of the server or of the line to it.
///
/// It keeps the SQLSTATE and the names of constraint, table and column. It never keeps a message of the server: those
/// repeat contents of rows.
struct PostgreSQLFailure: SQLFailure, Hashable, Sendable {
  /// The five characters of SQLSTATE; nil if the line failed.
  let state: String?
  /// Names for the log.
  let details: String
  /// Whether the connection can be used no longer.
  let isLost: Bool

  /// The line to the server failed.
  init(lost details: String) {
    state = nil
    self.details = details
    isLost = true
  }

  /// A failure that this module found itself.
  init(state: String, _ details: String) {
    self.state = state
    self.details = details
    isLost = false
  }

  /// An error result of the server.
  init(_ result: OpaquePointer?, isLost: Bool) {
    func field(_ code: Int32) -> String? { PQresultErrorField(result, code).map { String(cString: $0) } }
    state = field(Field.state)
    let names = [
      field(Field.constraint).map { "constraint \($0)" }, field(Field.table).map { "table \($0)" },
      field(Field.column).map { "column \($0)" },
    ]
    details = names.compactMap(\.self).joined(separator: ", ")
    self.isLost = isLost || state == nil
  }

  /// The fields of an error, which are macros with characters in C.
  private enum Field {
    static let state = Int32(UInt8(ascii: "C"))
    static let constraint = Int32(UInt8(ascii: "n"))
    static let table = Int32(UInt8(ascii: "t"))
    static let column = Int32(UInt8(ascii: "c"))
  }

  /// The error for the caller: a conflict if the closure is to run again, otherwise an error with a code.
  var asDatabaseError: any Error {
    switch state {
    case "23505", "40001", "40P01", "55P03": DatabaseConflict(on: description)
    default: databaseError
    }
  }

  var databaseError: CodedError<DatabaseErrorCode> { CodedError(code, description) }

  /// Whether the server may have committed although COMMIT reported this: then only another connection can tell.
  ///
  /// Any failure after COMMIT was sent, except those with which the server says that it has rolled back.
  var leavesCommitUnknown: Bool {
    guard !isLost, let state else { return true }
    switch state.prefix(2) {
    case "01", "08", "57": return true
    case "40": return state == "40003"
    default: return false
    }
  }

  private var description: String {
    let cause = state.map { "SQLSTATE \($0)" } ?? "The line to it failed"
    return "PostgreSQL: \(cause)\(details.isEmpty ? "" : " (\(details))")."
  }

  private var code: DatabaseErrorCode {
    guard let state else { return .unavailable }
    switch state {
    case "53100": return .full
    case "22003": return .balanceOutOfRange
    case "25006": return .readOnly
    case "42501": return .missingRights
    case "23505", "40001", "40P01", "55P03": return .contended
    case "40003": return .outcomeUnknown
    case "3D000": return .accessDenied
    case "22021": return .unstorableText
    case "XX001", "XX002": return .damaged
    default: break
    }
    switch state.prefix(2) {
    case "22", "23": return .inconsistent
    case "28": return .accessDenied
    default: return .unavailable
    }
  }
}

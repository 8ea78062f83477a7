import SQLRows

/// One statement that does for many rows of values what another does for one.
///
/// The values come as an array for each parameter, which `unnest` makes rows of. Each row is joined by itself
/// (`LATERAL`): `= ANY` became a filter over a whole index.
struct JoinedStatement: Sendable {
  /// It answers with the place of the row of values, then with the columns of the other statement.
  let sql: SQL
  /// The types of its parameters.
  let types: [ArrayType]
  /// The parameters that say which row is changed; two changes of one row must not stand in one statement. Nil if it
  /// only adds rows.
  let key: [Int]?

  /// - Parameters:
  ///   - text: the statement for one row, with parameters `$1`, `$2`, ….
  ///   - requiresRows: whether it fails unless it changes as many rows as a last parameter says.
  /// - Returns: nil if the statement has a form that cannot be joined.
  init?(_ text: String, types: [ArrayType], requiresRows: Bool = false) {
    let form = StatementForm(text)
    guard !types.isEmpty, let joined = form.joined(types, requiresRows: requiresRows) else { return nil }
    sql = SQL(SQLText(stringLiteral: joined))
    self.types = types
    key = form.key
  }
}

/// A type of PostgreSQL whose values are known here, and are sent as arrays.
enum ArrayType: String, Sendable {
  case bigint
  case text
  case uuid
  case bytea

  /// - Parameter number: the type's number in PostgreSQL's catalogue.
  init?(number: UInt32) {
    switch number {
    case 20: self = .bigint
    case 25: self = .text
    case 2950: self = .uuid
    case 17: self = .bytea
    default: return nil
    }
  }

  var number: Int32 {
    switch self {
    case .bigint: 20
    case .text: 25
    case .uuid: 2950
    case .bytea: 17
    }
  }
}

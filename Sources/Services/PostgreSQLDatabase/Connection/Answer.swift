import CPostgreSQL
import SQLRows

/// The result of a statement.
final class Answer {
  private let result: OpaquePointer

  init(_ result: OpaquePointer) { self.result = result }

  deinit { PQclear(result) }

  var rowCount: Int32 { PQntuples(result) }

  /// The number of rows that the statement changed.
  var rowsChanged: Int { PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0 }

  /// The server's word for what it did, such as `COMMIT`.
  var tag: String { PQcmdStatus(result).map { String(cString: $0) } ?? "" }

  /// The place of the row of values that a row of a joined question belongs to, from 1.
  func place(_ index: Int32) -> Int {
    guard PQgetlength(result, index, 0) == 8, let bytes = PQgetvalue(result, index, 0) else { return 0 }
    return Int(Int64(bigEndian: UnsafeRawPointer(bytes).loadUnaligned(as: Int64.self)))
  }

  /// The types of the parameters of a described statement, by their numbers in PostgreSQL's catalogue.
  var parameterTypes: [UInt32] { (0..<PQnparams(result)).map { PQparamtype(result, $0) } }

  func row<Row>(_ index: Int32, _ read: (inout Columns) throws -> Row) throws -> Row {
    var row = ResultRow(result, row: index)
    return try row.read(read)
  }
}

import PaymentDatabase
import PaymentPrimitives
import SQLRows

extension Connection: SQLConnection {
  func write(_ sql: SQL, _ bind: (inout Parameters) -> Void) throws { try queue(sql, bind) }

  func requireOneRowChanged(_ details: String) {
    requireOneRow(orThrow: CodedError<DatabaseErrorCode>(.inconsistent, details))
  }

  func insertedRow(_ sql: SQL, _ bind: (inout Parameters) -> Void) throws -> Int64? {
    try first(sql, bind) { $0.integer() }
  }

  func rows(
    _ sql: SQL, _ bind: (inout Parameters) -> Void, _ read: (inout Columns) throws -> Bool
  ) throws {
    let answer = try answer(sql, bind)
    for index in 0..<answer.rowCount where try !answer.row(index, read) { return }
  }
}

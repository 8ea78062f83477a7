import PaymentDatabase
import PaymentPrimitives
import SQLRows

extension Connection: SQLConnection {
  func write(_ sql: SQL, _ bind: (inout Parameters) -> Void) throws { try run(sql, bind) }

  func requireOneRowChanged(_ details: String) throws {
    guard rowsChanged == 1 else { throw CodedError<DatabaseErrorCode>(.inconsistent, details) }
  }

  func change(_ sql: SQL, _ bind: (inout Parameters) -> Void) throws -> Int {
    try run(sql, bind)
    return Int(rowsChanged)
  }

  func insertedRow(_ sql: SQL, _ bind: (inout Parameters) -> Void) throws -> Int64? {
    try run(sql, bind)
    return rowsChanged == 1 ? lastRowIdentifier : nil
  }
}

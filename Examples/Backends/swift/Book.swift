// The tables of schema.sql.

import CSystem
import Foundation

/// The fields of a delivery that this backend books.
struct Delivery: Decodable {
  struct Units: Decodable { let unit: String, amount: Int64 }
  struct Entitlement: Decodable { let name: String, expiresAt: String? }

  let type: String
  let id: String
  let sequence: Int64
  let environment: String
  let userId: String
  let store: String
  let transactionId: String
  let units: Units?
  let entitlement: Entitlement?
  let inForce: Int64?
}

/// What a payment gives after a delivery.
struct Gift {
  let delivery: Delivery
  let gives: String
  let inForce: Int64

  /// Nil if the delivery does not say it.
  init?(_ delivery: Delivery) {
    self.delivery = delivery
    guard let gives = delivery.units?.unit ?? delivery.entitlement?.name else { return nil }
    let left = delivery.type == "grant.created" ? delivery.units?.amount ?? 1 : delivery.inForce
    guard let left else { return nil }
    self.gives = gives
    self.inForce = left
  }
}

/// One connection for each call: the listener answers each request on a thread of its own.
struct Book: Sendable {
  private let path: String

  struct Failure: Error { let message: String }

  init(at path: String, schema: String) throws {
    self.path = path
    try withConnection { connection in
      try connection.execute("PRAGMA journal_mode = WAL")
      try connection.execute(schema)
    }
  }

  /// The number of the order under that key, and the payer's address at its first request.
  func orderNumber(_ user: String, _ phoneKey: String, _ address: String) throws -> (number: String, address: String) {
    try withConnection { connection in
      let number = "M-" + UUID().uuidString.lowercased()
      _ = try connection.run(
        "INSERT INTO order_number VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        [.text(user), .text(phoneKey), .text(number), .text(address)])
      let rows = try connection.run(
        "SELECT number, payer_address FROM order_number WHERE user_id = ? AND phone_key = ?",
        [.text(user), .text(phoneKey)])
      guard let row = rows.first else { throw Failure(message: "the number that was written is not there") }
      return (row[0], row[1])
    }
  }

  /// Stores the delivery and changes the wallet in one transaction. A repeated delivery changes nothing.
  func book(_ id: String, _ gift: Gift, _ text: String) throws {
    let delivery = gift.delivery
    let payment: [Connection.Value] = [.text(delivery.store), .text(delivery.transactionId), .text(delivery.userId)]
    try withConnection { connection in
      try connection.execute("BEGIN IMMEDIATE")  // without a commit, the end of the connection undoes everything
      _ = try connection.run("INSERT INTO delivery VALUES (?, ?) ON CONFLICT DO NOTHING", [.text(id), .text(text)])
      guard connection.changes == 1 else { return }
      let known = try connection.run(
        "SELECT sequence, in_force FROM holding WHERE store = ? AND transaction_id = ? AND user_id = ?", payment
      ).first
      // The totals of the highest sequence count: an earlier delivery may arrive later.
      if delivery.sequence > known.flatMap({ Int64($0[0]) }) ?? 0 {
        _ = try connection.run(
          """
          INSERT INTO holding VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
          sequence = excluded.sequence, in_force = excluded.in_force, expires_at = excluded.expires_at
          """,
          payment + [
            .text(gift.gives), .whole(delivery.sequence), .whole(gift.inForce),
            delivery.entitlement?.expiresAt.map { .text($0) } ?? .none,
          ])
        if delivery.units != nil {
          _ = try connection.run(
            "INSERT INTO wallet VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET amount = amount + excluded.amount",
            [
              .text(delivery.userId), .text(gift.gives),
              .whole(gift.inForce - (known.flatMap { Int64($0[1]) } ?? 0)),
            ])
        }
      }
      try connection.execute("COMMIT")
    }
  }

  func balances(of user: String) throws -> [String: Int64] {
    try withConnection { connection in
      let rows = try connection.run("SELECT unit, amount FROM wallet WHERE user_id = ?", [.text(user)])
      return Dictionary(rows.compactMap { row in Int64(row[1]).map { (row[0], $0) } }) { first, _ in first }
    }
  }

  private func withConnection<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try body(try Connection(path))
  }
}

/// A connection to SQLite that ends with its scope.
final class Connection {
  enum Value {
    case text(String)
    case whole(Int64)
    case none
  }

  private let handle: OpaquePointer

  init(_ path: String) throws {
    var opened: OpaquePointer?
    let code = sqlite3_open(path, &opened)
    guard code == SQLITE_OK, let opened else { throw Book.Failure(message: "\(path) cannot be opened: \(code)") }
    handle = opened
    sqlite3_busy_timeout(handle, 10_000)
    try execute("PRAGMA synchronous = FULL")  // what is answered survives a power cut
  }

  deinit { sqlite3_close_v2(handle) }

  /// Rows that the last statement changed.
  var changes: Int { Int(sqlite3_changes(handle)) }

  func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
  }

  /// Runs one statement; its rows as texts.
  func run(_ sql: String, _ values: [Value]) throws -> [[String]] {
    var prepared: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &prepared, nil) == SQLITE_OK, let prepared else { throw failure }
    defer { sqlite3_finalize(prepared) }
    for (index, value) in values.enumerated() {
      let place = Int32(index + 1)
      let code =
        switch value {
        case .text(let text): sqlite3_bind_copied_text(prepared, place, text)
        case .whole(let number): sqlite3_bind_int64(prepared, place, number)
        case .none: sqlite3_bind_null(prepared, place)
        }
      guard code == SQLITE_OK else { throw failure }
    }
    var rows: [[String]] = []
    while true {
      switch sqlite3_step(prepared) {
      case SQLITE_ROW:
        rows.append(
          (0..<sqlite3_column_count(prepared)).map { column in
            sqlite3_column_text(prepared, column).map { String(cString: $0) } ?? ""
          })
      case SQLITE_DONE: return rows
      default: throw failure
      }
    }
  }

  private var failure: Book.Failure { Book.Failure(message: String(cString: sqlite3_errmsg(handle))) }
}

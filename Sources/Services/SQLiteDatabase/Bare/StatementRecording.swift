import CSQLite
import SQLRows
import Synchronization

/// The statements that a writing connection has run, each with its values, as SQLite itself saw them.
///
/// They come from SQLite's trace, so they are what ran, not an assumption. Only for the bench: a recorded run costs far
/// more than a normal one.
package final class StatementRecording: Sendable {
  private let transactions = Mutex<[[RecordedStatement]]>([])

  private static let commit = SQL.commit.text(in: .sqlite)
  private static let begin = SQL.beginImmediate.text(in: .sqlite)
  private static let setBatchNumber = SQL.setBatchNumber.text(in: .sqlite)
  private static let headerRow = EvidenceSQL.headerRow.text(in: .sqlite)

  package init() {}

  /// The statements between each BEGIN and its COMMIT, in order. Without transactions that were rolled back, without
  /// the number that the writer stores for each batch, and without the search for a header, which callers know.
  var committed: [[RecordedStatement]] {
    transactions.withLock { all in all.filter { $0.last?.text == Self.commit } }.map { transaction in
      transaction.dropFirst().dropLast().filter {
        $0.text != Self.setBatchNumber && $0.text != Self.headerRow
      }
    }
  }

  /// The average number of statements per transaction, in tenths.
  package var statementsPerTransactionInTenths: Int {
    let committed = committed
    return committed.isEmpty ? 0 : committed.reduce(0) { $0 + $1.count } * 10 / committed.count
  }

  /// Records everything that a connection runs from now on. The recording must outlive the connection.
  func follow(_ connection: Connection) {
    sqlite3_trace_v2(
      connection.database, UInt32(SQLITE_TRACE_STMT),
      { _, context, statement, _ in
        guard let context, let statement else { return 0 }
        Unmanaged<StatementRecording>.fromOpaque(context).takeUnretainedValue().note(OpaquePointer(statement))
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private func note(_ statement: OpaquePointer) {
    guard let text = sqlite3_sql(statement).map({ String(cString: $0) }),
      let expanded = sqlite3_expanded_sql(statement)
    else { return }
    defer { sqlite3_free(expanded) }
    let values = ExpandedSQL.values(of: text, in: Array(String(cString: expanded).utf8))
    transactions.withLock { transactions in
      if text == Self.begin { transactions.append([]) }
      // What runs outside of a transaction is not part of the work that is measured.
      guard let last = transactions.last, last.last?.text != Self.commit else { return }
      transactions[transactions.count - 1].append(RecordedStatement(text: text, values: values))
    }
  }
}

/// A statement with its values.
struct RecordedStatement: Sendable {
  let text: String
  /// In the order of the parameters.
  let values: [RecordedValue]
}

/// A value bound to a parameter.
enum RecordedValue: Equatable, Sendable {
  case null
  case integer(Int64)
  case text([UInt8])
  case blob([UInt8])
}

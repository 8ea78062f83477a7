import PaymentModel
import PaymentPrimitives

/// One run of a closure on the rows, with rollback.
///
/// It holds the rows while it runs, so that they are changed in place. For each change it keeps the step that undoes
/// it.
final class InMemoryTransaction: DatabaseTransaction {
  typealias ExactText = InMemoryRows.ExactText
  typealias ScopedText = InMemoryRows.ScopedText

  let now: Timestamp
  var rows = InMemoryRows()
  /// The error of a read or write in this run. After it, nothing more is read or written, and nothing is committed.
  private(set) var failure: (any Error)?
  private var steps: [(inout InMemoryRows) -> Void] = []

  init(now: Timestamp) { self.now = now }

  var hasWritten: Bool { !steps.isEmpty }

  /// Undoes every change, the last first.
  func rollBack() {
    while let step = steps.popLast() { step(&rows) }
  }

  /// Records how to undo a change.
  func undo(_ step: @escaping (inout InMemoryRows) -> Void) { steps.append(step) }

  // MARK: helpers for reads and writes

  /// Throws if this run already has an error.
  func proceed() throws {
    if let failure { throw failure }
  }

  /// Fails the transaction if a text of a row cannot be kept.
  private func check<Row>(_ row: Row) {
    if let row = row as? any StoredTexts, !row.areStorable {
      failure = failure ?? CodedError<DatabaseErrorCode>.unstorableText
    }
  }

  func set<Key, Value>(
    _ table: WritableKeyPath<InMemoryRows, [Key: Value]>, _ key: Key, value: Value
  ) {
    check(value)
    let before = rows[keyPath: table].updateValue(value, forKey: key)
    undo { $0[keyPath: table][key] = before }
  }

  func remove<Key, Value>(
    _ table: WritableKeyPath<InMemoryRows, [Key: Value]>, _ key: Key
  ) {
    let before = rows[keyPath: table].removeValue(forKey: key)
    undo { $0[keyPath: table][key] = before }
  }

  func append<Key, Element>(
    _ table: WritableKeyPath<InMemoryRows, [Key: [Element]]>, _ key: Key, element: Element
  ) {
    check(element)
    rows[keyPath: table][key, default: []].append(element)
    undo { $0[keyPath: table][key]?.removeLast() }
  }

  func conflict(on key: String) -> DatabaseConflict {
    let conflict = DatabaseConflict(on: key)
    failure = failure ?? conflict
    return conflict
  }

  func fail(_ code: DatabaseErrorCode, _ details: String) -> CodedError<DatabaseErrorCode> {
    let error = CodedError(code, details)
    failure = failure ?? error
    return error
  }

  /// Fails the transaction if a row is impossible.
  func require(_ condition: Bool, _ details: String) throws {
    if !condition { throw fail(.inconsistent, details) }
  }

  /// Fails the transaction if a row names a payment that does not exist.
  func requirePayment(_ key: PaymentKey, for row: String) throws {
    try require(rows.payments[key] != nil, "A \(row) names a payment that is not there.")
  }
}

extension Sequence {
  /// The first `limit` elements; none for a negative number.
  func limited(to limit: Int) -> [Element] { Array(prefix(Swift.max(0, limit))) }
}

/// Whether one text comes before another by its bytes.
func precedes(_ a: String, _ b: String) -> Bool { a.utf8.lexicographicallyPrecedes(b.utf8) }

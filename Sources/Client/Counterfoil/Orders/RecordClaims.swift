/// The records that a flow, a recovery or a check works on. No other task may close a claimed record.
final class RecordClaims {
  private var claimed: Set<RecordIdentifier> = []

  /// Claims a record; false if another task works on it.
  func claim(_ id: RecordIdentifier) -> Bool { claimed.insert(id).inserted }

  func release(_ id: RecordIdentifier) { claimed.remove(id) }

  func isClaimed(_ id: RecordIdentifier) -> Bool { claimed.contains(id) }
}

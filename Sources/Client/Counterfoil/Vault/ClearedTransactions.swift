public import PaymentPrimitives
import StrictJSON

/// The transactions that the server's answer allowed to finish, newest last.
///
/// An entry is written before the store is told to finish. After a process kill, or a finish without effect (S6), a
/// transaction may come back. It is then finished again, without a request or a message to the customer. The list is
/// bounded: a dropped transaction is submitted again, and the server answers as before.
public struct ClearedTransactions: Hashable, Sendable {
  /// One transaction that may be finished.
  public struct Entry: Hashable, Sendable {
    /// The update that the server has processed.
    public let key: TransactionKey
    /// The order that the server says it paid; absent if the answer named none.
    public let order: OrderIdentifier?
    /// Whether the store has confirmed the finish.
    public internal(set) var isFinished: Bool
    /// How often it came back after that confirmation.
    public internal(set) var reappearances: Int
  }

  /// The app.
  public let app: AppIdentifier
  /// The entries, newest last.
  public private(set) var entries: [Entry]
  /// What was counted beside them.
  var diagnostics = DiagnosticCounts()
  /// Members that a newer version of this library wrote; kept unchanged.
  var others: [JSONMember] = []

  init(app: AppIdentifier, entries: [Entry] = []) {
    self.app = app
    self.entries = Array(entries.suffix(VaultLimits.clearedMax))
  }

  /// Whether nothing was ever written down.
  var isUnused: Bool { entries.isEmpty && diagnostics == DiagnosticCounts() && others.isEmpty }

  subscript(_ key: TransactionKey) -> Entry? { entries.first { $0.key == key } }

  /// Adds what another process has cleared. A transaction that either knows stays cleared.
  func merged(with stored: ClearedTransactions) -> ClearedTransactions {
    var merged = stored
    for entry in entries {
      guard let index = merged.entries.firstIndex(where: { $0.key == entry.key }) else {
        merged.entries.append(entry)
        continue
      }
      merged.entries[index].isFinished = merged.entries[index].isFinished || entry.isFinished
      merged.entries[index].reappearances = max(merged.entries[index].reappearances, entry.reappearances)
    }
    merged.entries = Array(merged.entries.suffix(VaultLimits.clearedMax))
    return merged
  }

  /// Notes that the server allows the finish.
  ///
  /// - Returns: false if that was known.
  mutating func clear(_ key: TransactionKey, order: OrderIdentifier?) -> Bool {
    guard self[key] == nil else { return false }
    entries.append(Entry(key: key, order: order, isFinished: false, reappearances: 0))
    if entries.count > VaultLimits.clearedMax { entries.removeFirst() }
    return true
  }

  /// Notes that the store has confirmed the finish.
  mutating func noteFinished(_ key: TransactionKey) {
    guard let index = entries.firstIndex(where: { $0.key == key }) else { return }
    entries[index].isFinished = true
  }

  /// Counts that it came back, if the store had confirmed the finish.
  ///
  /// - Returns: how often it has come back so far.
  mutating func countReappearance(of key: TransactionKey) -> Int {
    guard let index = entries.firstIndex(where: { $0.key == key }) else { return 0 }
    if entries[index].isFinished { entries[index].reappearances += 1 }
    return entries[index].reappearances
  }
}

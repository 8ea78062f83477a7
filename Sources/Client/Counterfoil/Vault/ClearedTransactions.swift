public import PaymentPrimitives
import StrictJSON

/// The transactions that the server's answer allowed to finish, newest last.
///
/// Written before the store is told to finish, so that after a kill, or when a finish does not stick (S6), a
/// transaction that comes back is finished again without asking anybody and without a word to the customer.
/// Bounded: what has dropped out is submitted again, and the server answers as before.
public struct ClearedTransactions: Hashable, Sendable {
  /// One transaction that may be finished.
  public struct Entry: Hashable, Sendable {
    /// The news that the server has taken in.
    public let key: TransactionKey
    /// The order that the server says it paid; absent where the answer named none.
    public let order: OrderIdentifier?
    /// Whether the store has said that it is finished.
    public internal(set) var isFinished: Bool
    /// How often it came back after the store had said so.
    public internal(set) var reappearances: Int
  }

  /// The app.
  public let app: AppIdentifier
  /// The entries, newest last.
  public private(set) var entries: [Entry]
  /// Members that a newer version of this library wrote; kept as they came.
  var others: [JSONMember] = []

  init(app: AppIdentifier, entries: [Entry] = []) {
    self.app = app
    self.entries = Array(entries.suffix(VaultLimits.clearedMax))
  }

  /// The entry of a piece of news.
  subscript(_ key: TransactionKey) -> Entry? { entries.first { $0.key == key } }

  /// Notes that the server allows it to finish.
  ///
  /// - Returns: false when that was known.
  mutating func clear(_ key: TransactionKey, order: OrderIdentifier?) -> Bool {
    guard self[key] == nil else { return false }
    entries.append(Entry(key: key, order: order, isFinished: false, reappearances: 0))
    if entries.count > VaultLimits.clearedMax { entries.removeFirst() }
    return true
  }

  /// Notes that the store has said that it is finished.
  mutating func noteFinished(_ key: TransactionKey) {
    guard let index = entries.firstIndex(where: { $0.key == key }) else { return }
    entries[index].isFinished = true
  }

  /// Counts that it came back, if the store had said that it was finished.
  ///
  /// - Returns: how often it has come back now.
  mutating func countReappearance(of key: TransactionKey) -> Int {
    guard let index = entries.firstIndex(where: { $0.key == key }) else { return 0 }
    if entries[index].isFinished { entries[index].reappearances += 1 }
    return entries[index].reappearances
  }
}

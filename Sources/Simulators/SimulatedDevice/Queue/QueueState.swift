import AppStoreSimulator
import PaymentPrimitives

/// What both queues hold, and what the app has finished.
struct QueueState {
  /// StoreKit 1's queue.
  private(set) var entries: [QueueEntry] = []
  /// StoreKit 2's unfinished set, as last seen.
  private(set) var unfinished: [DeviceTransaction] = []
  /// What was finished in this launch, whether the App Store received the finish or not (rule SK2-10).
  private var hidden: Set<TransactionIdentifier> = []
  private var lastHandle = 0

  func index(of handle: Int) -> Int? { entries.firstIndex { $0.handle == handle } }

  /// The transactions that either queue holds.
  var transactions: Set<TransactionIdentifier> {
    Set(entries.compactMap(\.transaction) + unfinished.map(\.transaction.id))
  }

  // MARK: the app

  /// A launch loses the user names (rule SK1-9) and the payments without a password (rule DEV-3).
  mutating func launch(keepsUserNames: Bool) {
    hidden = []
    entries.removeAll { $0.state == .purchasing }
    if !keepsUserNames {
      for index in entries.indices { entries[index].userName = nil }
    }
  }

  /// The entries stay when the app is removed (rule SK1-23).
  mutating func removeApp() {
    unfinished = []
    hidden = []
  }

  // MARK: StoreKit 1

  /// Adds an entry under a handle of its own.
  mutating func add(_ make: (_ handle: Int) -> QueueEntry) -> QueueEntry {
    lastHandle += 1
    let entry = make(lastHandle)
    entries.append(entry)
    return entry
  }

  /// Adds a charge to StoreKit 1's queue, without the user name of the payment.
  ///
  /// - Returns: the new entry; nil when the queue already has an entry for it.
  mutating func addPurchased(_ transaction: SimulatedTransaction) -> QueueEntry? {
    guard !entries.contains(where: { $0.transaction == transaction.id && $0.state == .purchased }) else {
      return nil
    }
    return add { handle in
      var entry = QueueEntry(
        handle: handle, state: .purchased, product: transaction.product, quantity: transaction.quantity)
      entry.charge(transaction)
      return entry
    }
  }

  /// - Returns: the changed entry; nil when it no longer exists.
  mutating func change(_ handle: Int, _ body: (inout QueueEntry) -> Void) -> QueueEntry? {
    guard let index = index(of: handle) else { return nil }
    body(&entries[index])
    return entries[index]
  }

  mutating func removeEntries(where isGone: (QueueEntry) -> Bool) { entries.removeAll(where: isGone) }

  // MARK: StoreKit 2

  /// Adds a transaction to the set that StoreKit 2 shows as unfinished.
  mutating func keep(_ shown: DeviceTransaction) {
    hidden.remove(shown.transaction.id)
    if let index = unfinished.firstIndex(where: { $0.transaction.id == shown.transaction.id }) {
      unfinished[index] = shown
    } else {
      unfinished.append(shown)
    }
  }

  /// Hides a finished transaction for this launch, whether the App Store received the finish or not (rule SK2-10).
  mutating func conceal(_ id: TransactionIdentifier) {
    hidden.insert(id)
    unfinished.removeAll { $0.transaction.id == id }
  }

  /// Takes over Apple's list of the unfinished transactions.
  ///
  /// - Parameter before: what the queues held when the device asked. What came since is newer than the list.
  /// - Returns: what is new.
  mutating func merge(
    _ list: [DeviceTransaction], since before: Set<TransactionIdentifier>
  ) -> (entries: [QueueEntry], transactions: [DeviceTransaction]) {
    let visible = list.filter { !hidden.contains($0.transaction.id) }
    let known = Dictionary(uniqueKeysWithValues: unfinished.map { ($0.transaction.id, $0.transaction.revocation) })
    let new = visible.filter { known[$0.transaction.id] != .some($0.transaction.revocation) }
    let ids = Set(visible.map(\.transaction.id))
    unfinished = visible + unfinished.filter { !ids.union(before).contains($0.transaction.id) }
    // The server or another device finished these (rule SK2-21).
    let isGone = before.subtracting(ids)
    entries.removeAll { $0.state == .purchased && $0.transaction.map(isGone.contains) ?? false }
    return (visible.compactMap { addPurchased($0.transaction) }, new)
  }
}

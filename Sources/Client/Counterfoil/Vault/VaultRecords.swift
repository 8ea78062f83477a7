import PaymentPrimitives

/// The vault's contents in memory, and their only writer: what it shows is durable.
///
/// Changes run one after the other, each from the state that the previous one wrote. So two updates of one record can
/// never overwrite each other.
actor VaultRecords {
  private let vault: any Vault
  private let app: AppIdentifier
  private let log: Log
  private let now: @Sendable () -> Timestamp
  /// Held across a write: the only place where a change waits for the previous one.
  private let semaphore = AsyncSemaphore(places: 1)

  private(set) var isLoaded = false
  private var orderRecords: [RecordIdentifier: OrderRecord] = [:]
  private var transactionRecords: [TransactionKey: TransactionRecord] = [:]
  private var cleared: ClearedTransactions
  var earlierRecords: [RecordIdentifier: KeptEarlierRecord] = [:]
  /// The server's last answer about entitlements, of any user.
  private(set) var keptEntitlements: KeptEntitlements?
  private var changes = 0

  init(
    vault: any Vault, app: AppIdentifier, log: @escaping Log, now: @escaping @Sendable () -> Timestamp
  ) {
    self.now = now
    self.vault = vault
    self.app = app
    self.log = log
    self.cleared = ClearedTransactions(app: app)
  }

  // MARK: reading

  /// Reads the vault, once. Items of other apps and items that this version cannot read stay unchanged.
  ///
  /// - Throws: `VaultFailure` if the vault cannot be read now; the next call tries again.
  func load() async throws(VaultFailure) {
    await semaphore.enter()
    do throws(VaultFailure) {
      if !isLoaded { try await readVault() }
    } catch {
      await semaphore.leave()
      throw error
    }
    await semaphore.leave()
  }

  private func readVault() async throws(VaultFailure) {
    let contents = try await vault.load()
    for item in contents.items {
      switch item {
      case .order(let record) where record.app == app: orderRecords[record.id] = record
      case .transaction(let record) where record.app == app: transactionRecords[record.key] = record
      case .cleared(let cleared) where cleared.app == app: self.cleared = cleared
      case .earlier(let kept) where kept.app == app: earlierRecords[kept.id] = kept
      case .entitlements(let kept) where kept.app == app: keptEntitlements = kept
      case .order, .transaction, .cleared, .earlier, .entitlements: break
      }
    }
    isLoaded = true
    for name in contents.unreadable {
      log(LogEvent(.error, "client.vault.unreadable", [("item", name)]))
    }
  }

  /// The records of orders, oldest first.
  var orders: [OrderRecord] {
    orderRecords.values.sorted { ($0.writtenAt, $0.id) < ($1.writtenAt, $1.id) }
  }

  func order(_ id: RecordIdentifier) -> OrderRecord? { orderRecords[id] }

  /// The record of the order with that id.
  func order(of id: OrderIdentifier) -> OrderRecord? {
    orderRecords.values.first { $0.order?.id == id }
  }

  /// Whether there is no room for another order.
  var isFull: Bool { orderRecords.count >= VaultLimits.ordersMax }

  /// The kept evidence, in the order of its ids.
  var transactions: [TransactionRecord] {
    transactionRecords.values.sorted { $0.key < $1.key }
  }

  /// The kept evidence of an update.
  func transaction(_ key: TransactionKey) -> TransactionRecord? { transactionRecords[key] }

  /// The entry of a transaction that may be finished; nil if the server has not allowed it.
  func clearance(of key: TransactionKey) -> ClearedTransactions.Entry? { cleared[key] }

  // MARK: writing

  /// Writes a new record.
  ///
  /// - Throws: `VaultFailure` if it cannot be made durable; then the record does not exist here.
  func add(_ record: OrderRecord) async throws(VaultFailure) {
    try await change { () throws(VaultFailure) in
      try await vault.write(.order(record))
      orderRecords[record.id] = record
      changes += 1
    }
  }

  /// A record as a change has left it.
  struct Change: Sendable {
    /// The record; nil when it was removed or is unknown.
    let record: OrderRecord?
    /// Counts the changes of all records: the higher number is the newer change.
    let number: Int
  }

  /// Applies an event to an order, and makes it durable.
  ///
  /// - Throws: `VaultFailure` if the change cannot be made durable; the record stays as it was.
  @discardableResult
  func apply(
    _ event: OrderRecord.Event, to id: RecordIdentifier
  ) async throws(VaultFailure) -> Change {
    var result = Change(record: nil, number: 0)
    try await change { () throws(VaultFailure) in
      defer { result = Change(record: orderRecords[id], number: changes) }
      guard var record = orderRecords[id] else { return }
      switch record.receive(event) {
      case nil: break
      case .write:
        record.noteStep(at: now())
        try await vault.write(.order(record))
        orderRecords[id] = record
        changes += 1
      case .remove:
        try await vault.remove(VaultItem.name(of: id))
        orderRecords[id] = nil
        changes += 1
      }
    }
    return result
  }

  /// Removes a record that can no longer be paid, to make room. Only `VaultRoom` may judge that.
  func evict(_ id: RecordIdentifier) async throws(VaultFailure) -> Change {
    var result = Change(record: nil, number: 0)
    try await change { () throws(VaultFailure) in
      try await vault.remove(VaultItem.name(of: id))
      orderRecords[id] = nil
      changes += 1
      result = Change(record: nil, number: changes)
    }
    return result
  }

  /// Keeps the evidence of a transaction. Facts that were known before and are missing now (a token, the order of the
  /// same run) stay.
  ///
  /// - Throws: `VaultFailure` if it cannot be made durable, or there is no room; the store's queue still holds it.
  func keep(_ new: TransactionRecord) async throws(VaultFailure) {
    try await change { () throws(VaultFailure) in
      let old = transactionRecords[new.key]
      let merged = old.map { new.merged(into: $0) } ?? new
      guard merged != old else { return }
      let count = transactionRecords.count
      guard old != nil || count < VaultLimits.transactionsMax else {
        throw VaultFailure("The vault holds \(count) transactions.")
      }
      try await vault.write(.transaction(merged))
      transactionRecords[new.key] = merged
    }
  }

  /// Removes the evidence of a transaction: the server has it.
  func forget(_ key: TransactionKey) async throws(VaultFailure) {
    try await change { () throws(VaultFailure) in
      guard transactionRecords[key] != nil else { return }
      try await vault.remove(VaultItem.name(of: key))
      transactionRecords[key] = nil
    }
  }

  /// Records that the server allows a transaction to be finished, and which order it paid.
  func clear(_ key: TransactionKey, order: OrderIdentifier?) async throws(VaultFailure) {
    try await change { () throws(VaultFailure) in
      var cleared = self.cleared
      guard cleared.clear(key, order: order) else { return }
      try await vault.write(.cleared(cleared))
      self.cleared = cleared
    }
  }

  /// Notes that the store has confirmed the finish of a transaction. Only for counting: nothing depends on it.
  func noteFinished(_ key: TransactionKey) async throws(VaultFailure) {
    try await change { () throws(VaultFailure) in
      var cleared = self.cleared
      cleared.noteFinished(key)
      guard cleared != self.cleared else { return }
      try await vault.write(.cleared(cleared))
      self.cleared = cleared
    }
  }

  /// Counts that a finished transaction came back.
  ///
  /// - Returns: how often it has so far, even if that could not be written.
  func countReappearance(of key: TransactionKey) async -> Int {
    var times = 0
    try? await change { () throws(VaultFailure) in
      var cleared = self.cleared
      times = cleared.countReappearance(of: key)
      guard cleared != self.cleared else { return }
      try await vault.write(.cleared(cleared))
      self.cleared = cleared
    }
    return times
  }

  /// Keeps the server's answer about entitlements, in place of the last one.
  func keep(_ kept: KeptEntitlements) async throws(VaultFailure) {
    // A vault with an item that is too long cannot be read, and without a vault nothing is sold.
    guard VaultItem.entitlements(kept).bytes.count <= VaultLimits.itemBytesMax else {
      throw VaultFailure("The entitlements of the user are too many to be kept.")
    }
    try await change { () throws(VaultFailure) in
      try await vault.write(.entitlements(kept))
      keptEntitlements = kept
    }
  }

  /// The transactions that may be finished, newest last.
  var clearances: [ClearedTransactions.Entry] { cleared.entries }

  /// With what was counted beside them.
  var clearedTransactions: ClearedTransactions { cleared }

  /// Writes them if they changed; only within `change`.
  func replace(_ new: ClearedTransactions) async throws(VaultFailure) {
    guard new != cleared else { return }
    try await vault.write(.cleared(new))
    cleared = new
  }

  func write(_ item: VaultItem) async throws(VaultFailure) { try await vault.write(item) }

  func remove(_ name: String) async throws(VaultFailure) { try await vault.remove(name) }

  func change(_ work: () async throws(VaultFailure) -> Void) async throws(VaultFailure) {
    await semaphore.enter()
    do throws(VaultFailure) {
      try await work()
    } catch {
      await semaphore.leave()
      throw error
    }
    await semaphore.leave()
  }
}

extension TransactionRecord {
  /// Merges this update into a known record: known facts are never erased.
  func merged(into old: TransactionRecord) -> TransactionRecord {
    var merged = old
    merged.transaction = transaction
    merged.transaction.handle = old.transaction.handle
    merged.transaction.token = transaction.token ?? old.transaction.token
    merged.transaction.product = transaction.product ?? old.transaction.product
    merged.transaction.purchaseDate = transaction.purchaseDate ?? old.transaction.purchaseDate
    merged.transaction.evidence = transaction.evidence ?? old.transaction.evidence
    merged.sameRun = old.sameRun ?? sameRun
    return merged
  }
}

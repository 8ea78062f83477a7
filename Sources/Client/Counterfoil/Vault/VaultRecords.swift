import PaymentPrimitives

/// The vault's contents in memory, and their only writer in this process: what it shows is durable.
///
/// Changes run one after the other, each from the state that the previous one wrote. So two updates of one record can
/// never overwrite each other. Another process may use the same vault: each change reads its item again, and an item
/// that is gone stays gone.
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
  /// The transactions that may be finished, with what was counted beside them.
  private(set) var cleared: ClearedTransactions
  var earlierRecords: [RecordIdentifier: KeptEarlierRecord] = [:]
  /// The server's last answer about entitlements, of any user.
  private(set) var keptEntitlements: KeptEntitlements?
  private var changes = 0
  /// Calls of `load` so far, and how many of them a reading has served.
  private var loadsAsked = 0
  private var loadsServed = 0
  /// Names of items that cannot be read; each is reported once.
  private var unreadable: Set<String> = []

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

  /// Reads the vault. Items of other apps and items that this version cannot read stay unchanged.
  ///
  /// - Returns: the orders that differ from what was known.
  /// - Throws: `VaultFailure` if the vault cannot be read now; what was known stays, and the next call tries again.
  func load() async throws(VaultFailure) -> [(RecordIdentifier, Change)] {
    loadsAsked += 1
    let number = loadsAsked
    var changed: [(RecordIdentifier, Change)] = []
    try await change { () throws(VaultFailure) in
      // A reading that began after this call serves it too.
      guard number > loadsServed else { return }
      let serves = loadsAsked
      changed = adopt(try await vault.load())
      loadsServed = serves
    }
    return changed
  }

  /// Takes over what the vault holds: another process may have written or removed items.
  private func adopt(_ contents: VaultContents) -> [(RecordIdentifier, Change)] {
    // What cannot be read now may be a newer form of what is known.
    var orders = orderRecords.filter { contents.cannotRead(VaultItem.name(of: $0.key)) }
    var transactions = transactionRecords.filter { contents.cannotRead(VaultItem.name(of: $0.key)) }
    earlierRecords = earlierRecords.filter { contents.cannotRead(VaultItem.earlier($0.value).name) }
    for item in contents.items {
      switch item {
      case .order(let record) where record.app == app: orders[record.id] = record
      case .transaction(let record) where record.app == app: transactions[record.key] = record
      case .cleared(let stored) where stored.app == app: cleared = cleared.merged(with: stored)
      case .earlier(let kept) where kept.app == app: earlierRecords[kept.id] = kept
      case .entitlements(let kept) where kept.app == app: keptEntitlements = kept
      case .order, .transaction, .cleared, .earlier, .entitlements: break
      }
    }
    let known = orderRecords
    (orderRecords, transactionRecords) = (orders, transactions)
    isLoaded = true
    for name in contents.unreadable where unreadable.insert(name).inserted {
      log(LogEvent(.error, "client.vault.unreadable", [("item", name)]))
    }
    let removed = known.keys.filter { orders[$0] == nil }.sorted()
    return (removed + self.orders.map(\.id)).filter { known[$0] != orders[$0] }.map { id in
      changes += 1
      return (id, Change(record: orders[id], number: changes))
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
      guard let known = orderRecords[id] else { return }
      guard case .order(var record)? = try await vault.read(VaultItem.name(of: id)) else {
        // Another process has removed it.
        orderRecords[id] = nil
        changes += 1
        return
      }
      var isThere = true
      switch record.receive(event) {
      case nil: break
      case .write:
        record.noteStep(at: now())
        isThere = try await vault.replace(.order(record))
      case .remove:
        try await vault.remove(VaultItem.name(of: id))
        isThere = false
      }
      guard !isThere || record != known else { return }
      orderRecords[id] = isThere ? record : nil
      changes += 1
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
      var old: TransactionRecord?
      if case .transaction(let stored)? = try await vault.read(VaultItem.name(of: new.key)) { old = stored }
      let merged = old.map { new.merged(into: $0) } ?? new
      guard merged != old else {
        transactionRecords[new.key] = merged
        return
      }
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

  /// Changes the list of what may be finished, beginning with what another process may have written to it.
  func changeCleared(_ change: @Sendable (inout ClearedTransactions) -> Void) async throws(VaultFailure) {
    try await self.change { () throws(VaultFailure) in
      let item = try await vault.read(VaultItem.cleared(of: app))
      var cleared = self.cleared
      if case .cleared(let stored)? = item { cleared = cleared.merged(with: stored) }
      change(&cleared)
      if item != .cleared(cleared), !cleared.isUnused { try await vault.write(.cleared(cleared)) }
      self.cleared = cleared
    }
  }

  /// Keeps the server's answer about entitlements, in place of the last one.
  func keep(_ kept: KeptEntitlements) async throws(VaultFailure) {
    // A vault with an item that is too long cannot be read, and without a vault nothing is sold.
    guard VaultItem.entitlements(kept).bytes.count <= VaultLimits.itemBytesMax else {
      throw VaultFailure("The entitlements of the user are too many to be kept.")
    }
    try await change { () throws(VaultFailure) in
      let stored = try await vault.read(VaultItem.entitlements(of: app))
      // Another process may have had a newer answer about this user.
      if case .entitlements(let newer)? = stored, newer != keptEntitlements, newer.user == kept.user,
        newer.statedAt > kept.statedAt
      {
        keptEntitlements = newer
        return
      }
      try await vault.write(.entitlements(kept))
      keptEntitlements = kept
    }
  }

  func write(_ item: VaultItem) async throws(VaultFailure) { try await vault.write(item) }

  func read(_ name: String) async throws(VaultFailure) -> VaultItem? { try await vault.read(name) }

  func replace(_ item: VaultItem) async throws(VaultFailure) -> Bool { try await vault.replace(item) }

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

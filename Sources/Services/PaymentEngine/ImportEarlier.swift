import PaymentModel
package import PaymentDatabase
package import PaymentPrimitives
import StrictJSON

/// A row of the earlier system's books: who owned which transaction.
package struct EarlierPurchase: Hashable, Sendable {
  package var transaction: TransactionIdentifier
  /// The first number of its line, where the books have it.
  package var originalTransaction: TransactionIdentifier?
  package var user: UserIdentifier
  /// What he bought, where the books have it.
  package var product: StoreProductIdentifier?

  package init(transaction: TransactionIdentifier, user: UserIdentifier) {
    self.transaction = transaction
    self.user = user
  }

  package enum Outcome: String, CaseIterable, Sendable {
    /// The owner was not known by the books.
    case new
    /// He was, by an earlier row.
    case known
    /// An earlier row names another owner: that one stands.
    case conflict
  }

  /// What importing it would do now.
  package func outcome(in realm: AppEnvironment, _ store: any DatabaseReader) throws -> Outcome {
    let named = try keys(in: realm).map { try store.importedOwner($0)?.user }
    if named.contains(where: { $0 != nil && $0 != user }) { return .conflict }
    return named.allSatisfy { $0 == user } ? .known : .new
  }

  /// The transactions that it names, each once.
  func keys(in realm: AppEnvironment) -> [PaymentKey] {
    let both = originalTransaction.map { $0 == transaction ? [$0] : [transaction, $0] } ?? [transaction]
    return both.map {
      PaymentKey(app: realm.app, store: .appStore, environment: realm.environment, transaction: $0)
    }
  }
}

extension PaymentEngine {
  // MARK: what the earlier system delivered

  /// Begins to load the earlier system's list of deliveries. Until `endEarlierDeliveries` it decides nothing: half a
  /// list would call delivered what is not on it.
  ///
  /// - Returns: until when the list named every delivery before.
  package func beginEarlierDeliveries(in realm: AppEnvironment) async throws -> Timestamp? {
    try await transact { transaction in
      let reach = try transaction.earlierListReach(at: .appStore, in: realm)
      try transaction.setEarlierListReach(nil, at: .appStore, in: realm)
      return reach
    }
  }

  /// Puts transactions on the list; says how many were not on it.
  package func importEarlierDeliveries(
    _ transactions: [TransactionIdentifier], in realm: AppEnvironment
  ) async throws -> Int {
    let once = Set(transactions).sorted()
    return try await transact { transaction in
      let new = try once.filter {
        let key = PaymentKey(app: realm.app, store: .appStore, environment: realm.environment, transaction: $0)
        return try !transaction.isEarlierDelivery(key)
      }
      try transaction.noteEarlierDeliveries(new, at: .appStore, in: realm)
      return new.count
    }
  }

  /// The list is whole: it names every delivery until that moment.
  package func endEarlierDeliveries(reach: Timestamp, in realm: AppEnvironment) async throws {
    try await transact { transaction in
      try transaction.setEarlierListReach(reach, at: .appStore, in: realm)
      try transaction.insert(
        JournalEntry(
          realm: realm, at: transaction.now, what: "import.delivered", order: nil, payment: nil,
          details: JSONValue.members([("reach", .string(reach.iso8601))]).text))
    }
  }

  /// Decides anew about payments that are held because nobody said whether the earlier system delivered them; says how
  /// many moved.
  package func reconsiderHeldPayments(in realm: AppEnvironment, for app: AppSettings) async throws -> Int {
    let held = try await read { [limit = limits.reconsideredAtOnce] store in
      try store.payments(inState: "held", firstSeenBefore: Timestamp(milliseconds: .max), in: realm, limit: limit)
    }
    var moved = 0
    for payment in held where payment.state == .held(.boughtBeforeCutOver) {
      if try await reconsider(payment, for: app).changed { moved += 1 }
    }
    return moved
  }

  // MARK: whose it was

  /// Keeps whose transactions were, by the earlier system's books; what the first row says stands.
  package func importOwners(
    _ purchases: [EarlierPurchase], in realm: AppEnvironment
  ) async throws -> [EarlierPurchase.Outcome] {
    try await transact { transaction in
      try purchases.map { purchase in
        let outcome = try purchase.outcome(in: realm, transaction)
        guard outcome == .new else { return outcome }
        for key in purchase.keys(in: realm) where try transaction.importedOwner(key) == nil {
          try transaction.insert(
            ImportedOwner(
              transaction: key, user: purchase.user, product: purchase.product, importedAt: transaction.now))
        }
        return outcome
      }
    }
  }

  /// Has Apple asked about transactions that are not here yet: what it signs shows whether they were bought. They come
  /// one after the other from that moment on, so that questions about live purchases pass between them.
  ///
  /// - Returns: how many questions there are; those that wait already are not among them.
  package func askAboutImported(
    _ purchases: [EarlierPurchase], in realm: AppEnvironment, from first: Timestamp
  ) async throws -> Int {
    let pause = limits.importedQuestionPause
    return try await transact { transaction in
      var asked = 0
      for purchase in purchases {
        guard let key = purchase.keys(in: realm).first, try transaction.payment(key) == nil,
          try transaction.echo(key) == nil, try transaction.appStoreTask(.ask, about: key) == nil
        else { continue }
        // Its day to be answered begins when its turn comes.
        let due = first + .milliseconds(pause.milliseconds * Int64(asked))
        try transaction.put(AppStoreTask(payment: key, purpose: .ask, createdAt: due, dueAt: due))
        asked += 1
      }
      return asked
    }
  }

  /// Gives payments that were here before their owner's name to him; says how many found one.
  package func adoptImportedOwners(
    _ purchases: [EarlierPurchase], in realm: AppEnvironment, for app: AppSettings
  ) async throws -> Int {
    let waiting = try await read { store in
      var waiting: [PaymentKey: Payment] = [:]
      for key in Set(purchases.flatMap { $0.keys(in: realm) }).sorted() {
        let named = try store.payment(key).map { [$0] } ?? []
        for payment in try named + store.payments(ofOriginal: key) where payment.awaitsOwner {
          waiting[payment.key] = payment
        }
      }
      return waiting.values.sorted { ($0.facts.purchaseDate, $0.key) < ($1.facts.purchaseDate, $1.key) }
    }
    var adopted = 0
    for payment in waiting {
      if try await reconsider(payment, for: app).payment.owner != nil { adopted += 1 }
    }
    return adopted
  }

  /// Decides about a payment by what is known now. No store says anything new: the evidence is the team's word.
  private func reconsider(_ payment: Payment, for app: AppSettings) async throws -> FulfilmentResult {
    let word = JSONValue.members([("import", "earlier system")]).text
    return try await fulfil(PaymentUpdate(facts: payment.facts, evidence: word, origin: .operator), for: app)
  }
}

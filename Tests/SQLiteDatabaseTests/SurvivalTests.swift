import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import Testing

/// One row of each kind, made from one seed.
private struct Rows: Sendable {
  var order: Order
  var changedOrder: Order
  var payment: Payment
  var changedPayment: Payment
  var evidence: [Evidence]
  var duplicate: DuplicateTransaction
  var subscription: Subscription
  var grant: Grant
  var changedGrant: Grant
  var changes: [GrantChange]
  var postings: [Posting]
  var booking: Booking
  var deliveries: [Delivery]
  var changedDelivery: Delivery
  var keptClaims: [KeptClaim]
  var journal: [JournalEntry]
  var notification: ReceivedNotification
  var key: APIKey
  var setting: (name: String, value: String)

  init(seed: UInt64) {
    var make = RandomRows(seed: seed)
    order = make.order()
    changedOrder = order
    make.change(&changedOrder)
    let key = make.paymentKey()
    payment = make.payment(key)
    changedPayment = payment
    make.change(&changedPayment)
    evidence = (0..<3).map { _ in make.evidence(of: key) }
    duplicate = make.duplicate(make.paymentKey())
    subscription = make.subscription(key)
    grant = make.grant(of: key)
    changedGrant = make.grant(of: key)
    changes = (0..<3).map { _ in make.grantChange(of: key) }
    postings = (0..<3).map { _ in make.posting(of: key) }
    booking = make.booking()
    deliveries = (1...3).map { make.delivery(of: key, sequence: $0) }
    changedDelivery = deliveries[0]
    make.change(&changedDelivery)
    keptClaims = (0..<3).map { _ in make.keptClaim(of: key) }
    journal = [
      make.journalEntry(order: order.key, payment: nil),
      make.journalEntry(order: order.key, payment: key),
      make.journalEntry(order: nil, payment: key),
    ]
    notification = make.notification(in: make.appEnvironment())
    self.key = make.apiKey()
    setting = (make.uniqueText(), make.text())
  }

  func insert(into transaction: any DatabaseTransaction) throws {
    try transaction.insert(order)
    try transaction.insert(payment)
    for row in evidence { try transaction.insert(row) }
    try transaction.insert(duplicate)
    try transaction.put(subscription)
    try transaction.insert(grant)
    for row in changes { try transaction.insert(row) }
    for row in postings { try transaction.insert(row) }
    try transaction.insert(booking)
    for row in deliveries { try transaction.insert(row) }
    for row in keptClaims { try transaction.insert(row) }
    for row in journal { try transaction.insert(row) }
    try transaction.insert(notification)
    try transaction.insert(key)
    try transaction.set(setting.name, to: setting.value)
  }

  func update(in transaction: any DatabaseTransaction) throws {
    try transaction.update(changedOrder)
    try transaction.update(changedPayment)
    try transaction.update(changedGrant)
    try transaction.update(changedDelivery)
  }

  /// The rows that the database returns, beside the rows that it received.
  func compare(_ reading: any DatabaseReader, isChanged: Bool) throws -> [(String, String)] {
    let order = isChanged ? changedOrder : order
    let payment = isChanged ? changedPayment : payment
    let grant = isChanged ? changedGrant : grant
    let first = isChanged ? changedDelivery : deliveries[0]
    return [
      (rendering(try reading.order(order.key)), rendering(order)),
      (rendering(try reading.payment(payment.key)), rendering(payment)),
      (rendering(try reading.evidence(of: payment.key)), rendering(evidence)),
      (rendering(try reading.duplicate(duplicate.key)), rendering(duplicate)),
      (rendering(try reading.subscription(subscription.key)), rendering(subscription)),
      (rendering(try reading.grant(payment.key)), rendering(grant)),
      (rendering(try reading.changes(of: payment.key)), rendering(changes)),
      (rendering(try reading.postings(of: payment.key)), rendering(postings)),
      (rendering(try reading.booking(booking.key, in: booking.appEnvironment)), rendering(booking)),
      (rendering(try reading.deliveries(of: payment.key)), rendering([first] + deliveries.dropFirst())),
      (rendering(try reading.delivery(first.id)), rendering(first)),
      (rendering(try reading.keptClaims(of: payment.key)), rendering(keptClaims)),
      (rendering(try reading.journal(of: order.key)), rendering(Array(journal[0...1]))),
      (rendering(try reading.journal(of: payment.key)), rendering(Array(journal[1...2]))),
      (
        rendering(try reading.notification(notification.id, in: notification.appEnvironment)),
        rendering(notification)
      ),
      (rendering(try reading.apiKey(key.id)), rendering(key)),
      (rendering(try reading.setting(setting.name)), rendering(setting.value)),
    ]
  }
}

@Suite struct `A row in a database` {
  private static let seeds = Array(UInt64(1)...30)

  @Test(arguments: DatabaseKind.allCases)
  func `is unchanged byte for byte, before and after the database was opened again`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, underTest async throws in
      for seed in Self.seeds {
        try await database.commit { try Rows(seed: seed).insert(into: $0) }
      }
      try await Self.expectAll(database, isChanged: false)
      try await Self.expectAll(try await underTest.reopen(), isChanged: false)
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `has its new content after a replacement, byte for byte`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, underTest async throws in
      for seed in Self.seeds {
        try await database.commit { try Rows(seed: seed).insert(into: $0) }
        try await database.commit { try Rows(seed: seed).update(in: $0) }
      }
      try await Self.expectAll(database, isChanged: true)
      try await Self.expectAll(try await underTest.reopen(), isChanged: true)
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `is refused with the character U+0000 in a text, and nothing of it is kept`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      let text = "a\u{0}b"
      func refuses(_ write: @escaping @Sendable (any DatabaseTransaction) throws -> Void) async throws {
        let code = await database.errorCode {
          try $0.set("before", to: "it")
          try write($0)
        }
        #expect(code == .unstorableText)
        #expect(try await database.read { try $0.setting("before") } == nil)
      }
      try await refuses { try $0.set("name", to: text) }
      try await refuses { try $0.insert(sampleOrder(1) { $0.metadata = text }) }
      try await refuses { try $0.insert(sampleOrder(1) { $0.scene = text }) }
      try await refuses { try $0.insert(sampleOrder(1) { $0.reference = Reference(text, from: .app) }) }
      try await refuses { try $0.insert(sampleOrder(1) { $0.user = UserIdentifier(text) }) }
      try await refuses { try $0.insert(samplePayment(text)) }
    }
  }

  private static func expectAll(_ database: any PaymentDatabase, isChanged: Bool) async throws {
    for seed in seeds {
      let pairs = try await database.read { try Rows(seed: seed).compare($0, isChanged: isChanged) }
      for (actual, expected) in pairs { #expect(actual == expected, "seed \(seed)") }
    }
  }
}

import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import TestDoubles

/// Random reads and writes over few keys, so that they collide: the same seed does the same on every database.
struct RandomOperations {
  var rows: RandomRows
  var chance: SplitMix64 {
    get { rows.chance }
    set { rows.chance = newValue }
  }

  /// What keys are drawn from.
  private let places: [AppEnvironment]
  private let texts: [String]

  /// - Parameter isNarrow: draws the keys from so few that most rows meet.
  init(seed: UInt64, isNarrow: Bool = false) {
    rows = RandomRows(seed: seed)
    places = isNarrow ? [Self.appEnvironments[0]] : Self.appEnvironments
    texts = isNarrow ? ["one", "two"] : Self.words
  }

  static let appEnvironments = [
    AppEnvironment(app: "game", environment: .production), AppEnvironment(app: "game", environment: .sandbox),
    AppEnvironment(app: "gam\u{E9}", environment: .production),
  ]
  // Two of them are equal as Swift's `String`, but no database treats them as the same.
  static let words = ["", "one", "\u{E9}", "e\u{301}", "two"]

  // MARK: few keys

  mutating func appEnvironment() -> AppEnvironment { chance.one(of: places) }
  mutating func word() -> String { chance.one(of: texts) }
  mutating func user() -> UserIdentifier { UserIdentifier(word()) }
  mutating func unit() -> UnitName { UnitName(word()) }
  mutating func moment() -> Timestamp {
    Timestamp(milliseconds: chance.oneIn(8) ? rows.number() : Int64(chance.number(below: 6)))
  }
  mutating func orderIdentifier() -> OrderIdentifier {
    OrderIdentifier(high: UInt64(chance.number(below: 2)) << 63, low: UInt64(chance.number(below: 3)))
  }
  mutating func orderKey() -> OrderKey { OrderKey(appEnvironment: appEnvironment(), id: orderIdentifier()) }
  mutating func paymentKey() -> PaymentKey {
    let appEnvironment = appEnvironment()
    return PaymentKey(
      app: appEnvironment.app, store: chance.one(of: Store.allCases), environment: appEnvironment.environment,
      transaction: TransactionIdentifier(word()))
  }
  /// Mostly an existing payment, so that rows can refer to it.
  mutating func known(_ transaction: any DatabaseTransaction) throws -> PaymentKey {
    let payments = try transaction.payments(after: nil, limit: 100)
    return payments.isEmpty || chance.oneIn(16) ? paymentKey() : chance.one(of: payments).key
  }
  mutating func limit() -> Int { chance.one(of: [-1, 0, 1, 2, 5, 1000]) }

  // MARK: operations
  /// Runs one operation, and returns a description of its result.
  mutating func perform(on transaction: any DatabaseTransaction) throws -> String {
    switch chance.number(below: 32) {
    case 0, 1, 2: return try insertOrder(transaction)
    case 3: return try changeOrder(transaction)
    case 4, 5, 6: return try insertPayment(transaction)
    case 7: return try changePayment(transaction)
    case 8: return try insertGrant(transaction)
    case 9: return try changeGrant(transaction)
    case 10: return try insertPosting(transaction)
    case 11: return try atWallet(transaction)
    case 12, 13, 14: return try insertDelivery(transaction)
    case 15: return try changeDelivery(transaction)
    case 16: return try insertWhatHangs(transaction)
    case 17: return try note(transaction)
    case 18: return try insertNotification(transaction)
    case 19: return try keys(transaction)
    case 20: throw ClosureError(word: word())
    case 21, 22, 23: return try atWeChatPay(transaction)
    case 24, 25: return try atAppStore(transaction)
    default: return try ask(transaction)
    }
  }

  mutating func insertOrder(_ transaction: any DatabaseTransaction) throws -> String {
    let made = rows.order()
    var order = Order(
      key: orderKey(), user: user(), product: made.product,
      quantity: chance.oneIn(20) ? 0 : 1 + chance.number(below: 3),
      store: chance.one(of: Store.allCases), createdAt: moment(), expiresAt: moment())
    order.product.id = ProductIdentifier(word())
    if chance.oneIn(3) { order.reference = Reference(word(), from: chance.oneIn(2) ? .app : .backend) }
    if chance.oneIn(4) {
      order.idempotency = Idempotency(caller: word(), key: word(), requestDigest: word())
    }
    order.derivation = made.derivation
    order.state = chance.oneIn(2) ? .awaitingPayment : made.state
    try transaction.insert(order)
    return "inserted"
  }

  mutating func changeOrder(_ transaction: any DatabaseTransaction) throws -> String {
    let key = orderKey()
    guard var order = try transaction.order(key) else {
      if chance.oneIn(10) { try transaction.update(rows.order()) }
      return "none"
    }
    if chance.oneIn(6) { return try moveOrder(order, transaction) }
    if chance.oneIn(12) { order.quantity += 1 }
    if chance.oneIn(12) { order.metadata = word() }
    rows.change(&order)
    try transaction.update(order)
    return rendering(try transaction.order(key))
  }

  mutating func insertPayment(_ transaction: any DatabaseTransaction) throws -> String {
    var payment = rows.payment(paymentKey())
    payment.firstSeenAt = moment()
    arrange(&payment)
    try transaction.insert(payment)
    return "inserted"
  }

  mutating func arrange(_ payment: inout Payment) {
    payment.facts.originalTransaction = TransactionIdentifier(word())
    payment.facts.purchaseDate = moment()
    payment.order = chance.oneIn(3) ? orderIdentifier() : nil
    if chance.oneIn(3) { payment.facts.webOrderLineItem = word() }
    if chance.oneIn(3) { payment.facts.token = orderIdentifier() }
  }

  mutating func changePayment(_ transaction: any DatabaseTransaction) throws -> String {
    let key = try known(transaction)
    guard var payment = try transaction.payment(key) else {
      if chance.oneIn(10) { try transaction.update(rows.payment(key)) }
      return "none"
    }
    rows.change(&payment)
    arrange(&payment)
    try transaction.update(payment)
    return rendering(try transaction.payment(key))
  }

  mutating func insertGrant(_ transaction: any DatabaseTransaction) throws -> String {
    var grant = rows.grant(of: try known(transaction))
    grant.user = user()
    grant.grantedAt = moment()
    if chance.oneIn(12) { grant.takenBack = rows.number() }
    try transaction.insert(grant)
    return "inserted"
  }

  mutating func changeGrant(_ transaction: any DatabaseTransaction) throws -> String {
    let key = try known(transaction)
    if chance.oneIn(2) {
      try transaction.insert(
        GrantChange(
          payment: key, kind: chance.one(of: GrantChange.Kind.allCases), cause: word(),
          amount: chance.oneIn(5) ? rows.number() : 1, at: moment()))
    } else {
      var grant = rows.grant(of: key)
      grant.user = user()
      if chance.oneIn(12) { grant.takenBack = rows.number() }
      try transaction.update(grant)
    }
    return rendering(try transaction.grant(key)) + rendering(try transaction.changes(of: key))
  }

  mutating func insertPosting(_ transaction: any DatabaseTransaction) throws -> String {
    func account(_ user: UserIdentifier?) -> LedgerAccount { user.map { .user($0) } ?? .issued(.appStore) }
    let posting = Posting(
      appEnvironment: appEnvironment(), unit: unit(), debit: account(chance.oneIn(2) ? user() : nil),
      credit: account(chance.oneIn(2) ? user() : nil),
      amount: chance.oneIn(16) ? rows.number() : rows.positive(), payment: try known(transaction),
      cause: word(),
      at: moment())
    try transaction.insert(posting)
    return rendering(try transaction.balances(of: user(), in: posting.appEnvironment))
  }

  mutating func insertDelivery(_ transaction: any DatabaseTransaction) throws -> String {
    let made = rows.delivery(of: try known(transaction), sequence: 1)
    var delivery = Delivery(
      id: DeliveryIdentifier(word() + word()), payment: made.payment,
      order: chance.oneIn(2) ? orderIdentifier() : nil, kind: made.kind,
      sequence: chance.oneIn(20) ? 0 : 1 + chance.number(below: 4), body: word(), createdAt: moment())
    arrange(&delivery)
    try transaction.insert(delivery)
    return "inserted"
  }

  mutating func arrange(_ delivery: inout Delivery) {
    if chance.oneIn(3) { rows.change(&delivery) } else { delivery.state = .pending }
    delivery.nextAttemptAt = moment()
    delivery.lease = chance.oneIn(3) ? Lease(until: moment(), fence: rows.number()) : nil
  }

  mutating func changeDelivery(_ transaction: any DatabaseTransaction) throws -> String {
    let key = try known(transaction)
    guard var delivery = try transaction.deliveries(of: key).first else {
      if chance.oneIn(10) { try transaction.update(rows.delivery(of: key, sequence: 1)) }
      return "none"
    }
    arrange(&delivery)
    if chance.oneIn(12) {
      let other = Delivery(
        id: delivery.id, payment: key, order: delivery.order, kind: delivery.kind,
        sequence: delivery.sequence, body: delivery.body + "!", createdAt: delivery.createdAt)
      try transaction.update(other)
    }
    try transaction.update(delivery)
    return rendering(try transaction.delivery(delivery.id))
  }

  mutating func changeDuplicates(_ key: PaymentKey, _ transaction: any DatabaseTransaction) throws {
    let original = paymentKey()
    switch chance.number(below: 4) {
    case 0: try transaction.removeDuplicate(key)
    case 1: try transaction.update(rows.duplicate(key, of: paymentKey(), in: original))
    case 2:
      guard let duplicate = try transaction.duplicate(key) else { return }
      try transaction.update(rows.duplicate(key, of: paymentKey(), in: duplicate.original))
    default: try transaction.insert(rows.duplicate(key, of: paymentKey(), in: original))
    }
  }

  mutating func insertWhatHangs(_ transaction: any DatabaseTransaction) throws -> String {
    let key = paymentKey()
    switch chance.number(below: 8) {
    case 0: try transaction.insert(rows.evidence(of: key))
    case 7: return try insertPhoneReport(transaction)
    case 5: return try insertAttempt(transaction)
    case 6: try transaction.noteOrderNumber(word(), of: key, at: moment())
    case 3: try transaction.insert(rows.keptClaim(of: key))
    case 1: try changeDuplicates(key, transaction)
    case 2: try transaction.put(Subscription(key: key, claimant: chance.oneIn(2) ? user() : nil))
    default:
      let order = chance.oneIn(2) ? orderKey() : nil
      try transaction.insert(rows.journalEntry(order: order, payment: chance.oneIn(2) ? key : nil))
    }
    return "inserted"
  }

  mutating func insertAttempt(_ transaction: any DatabaseTransaction) throws -> String {
    let query = DeliveryQuery(appEnvironment: appEnvironment(), selection: .all, limit: 9)
    let known = try transaction.deliveries(query)
    let delivery = known.isEmpty || chance.oneIn(20) ? nil : chance.one(of: known)
    var attempt = DeliveryAttempt(
      delivery?.id ?? DeliveryIdentifier(word()), of: delivery?.payment ?? paymentKey(),
      number: chance.oneIn(30) ? 0 : 1 + chance.number(below: chance.oneIn(4) ? 300 : 3), at: moment(),
      endpoint: word(), milliseconds: rows.number())
    if chance.oneIn(2) { attempt.status = 500 }
    if chance.oneIn(2) { attempt.problem = word() }
    if chance.oneIn(2) { attempt.answer = [0xFF, 0, 0x41] }
    try transaction.insert(attempt)
    return "attempted"
  }

  mutating func note(_ transaction: any DatabaseTransaction) throws -> String {
    switch chance.number(below: 3) {
    case 0: try transaction.noteUser(user(), ofAppTransaction: word(), in: appEnvironment())
    case 1: try transaction.noteClaim(by: user(), of: paymentKey(), at: moment())
    default:
      let transactions = (0..<chance.number(below: 3)).map { _ in TransactionIdentifier(word()) }
      let (database, appEnvironment) = (chance.one(of: Store.allCases), appEnvironment())
      try transaction.noteEarlierDeliveries(transactions, at: database, in: appEnvironment)
      try transaction.setEarlierListReach(chance.oneIn(3) ? nil : moment(), at: database, in: appEnvironment)
    }
    return "noted"
  }

  mutating func insertNotification(_ transaction: any DatabaseTransaction) throws -> String {
    let made = rows.notification(in: appEnvironment())
    try transaction.insert(
      ReceivedNotification(
        appEnvironment: made.appEnvironment, id: word(), type: word(), subtype: made.subtype,
        signedDate: made.signedDate, transaction: made.transaction,
        signedPayload: made.signedPayload, receivedAt: made.receivedAt, effect: made.effect))
    return "inserted"
  }

  mutating func keys(_ transaction: any DatabaseTransaction) throws -> String {
    let id = CredentialIdentifier(word())
    switch chance.number(below: 4) {
    case 0:
      let made = rows.apiKey()
      try transaction.insert(
        APIKey(
          id: id, app: AppIdentifier(word()), kind: made.kind, digest: made.digest,
          label: made.label, createdAt: moment(), role: made.role, expiresAt: made.expiresAt))
    case 1:
      if var key = try transaction.apiKey(id) {
        if chance.oneIn(2) { key.revokedAt = moment() } else { key.usedAt = moment() }
        try transaction.update(key)
      } else {
        try transaction.update(rows.apiKey())
      }
    default: try transaction.set(word(), to: word())
    }
    return rendering(try transaction.apiKey(id))
  }
}

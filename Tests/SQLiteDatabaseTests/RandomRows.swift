import PaymentModel
import PaymentPrimitives
import TestDoubles

/// Makes rows of all shapes: every case, every optional present and absent, and extreme texts and numbers.
struct RandomRows {
  var chance: SplitMix64

  init(seed: UInt64) { chance = SplitMix64(seed: seed) }

  // MARK: texts and numbers

  private static let texts = [
    "", " ", "a", "user-1", "用户", "\u{E9}", "e\u{301}", "a\u{301}\u{323}", "a\u{323}\u{301}",
    "👩‍👩‍👧‍👦", "line\nend", "back\\slash", "\\n", "\u{1}", "a\u{1}b", "'; DROP TABLE orders; --", "%_*?[a]",
    "\u{202E}right", "\u{FEFF}", "\u{10FFFF}", "user:x", "unknown:purchased", "NULL", "🇨🇳", "0", "-1", "1e3",
    String(repeating: "长", count: 3000), "x'00'", "\t\r\n", "issued:appStore", ",", "a,b",
  ]

  mutating func text() -> String { chance.one(of: Self.texts) }

  mutating func number() -> Int64 {
    chance.one(of: [
      0, 1, -1, .max, .min, .max - 1, .min + 1, 1 << 53, -(1 << 53) - 1, Int64(UInt32.max),
      Int64(bitPattern: chance.next()),
    ])
  }

  mutating func positive() -> Int64 { chance.one(of: [1, 2, 100, 1 << 40, .max, .max - 1]) }

  mutating func moment() -> Timestamp { Timestamp(milliseconds: number()) }

  mutating func identifier<Subject>() -> Identifier<Subject> { Identifier(text()) }

  /// A text that no other call returns, so that unique keys do not collide by chance.
  mutating func uniqueText() -> String { text() + String(chance.next(), radix: 36) }

  mutating func orderIdentifier() -> OrderIdentifier {
    let ends: [UInt64] = [0, .max, 0x0100, 0xFF00_0000_0000_0000]
    return chance.oneIn(4)
      ? OrderIdentifier(high: chance.one(of: ends), low: chance.next())
      : OrderIdentifier(high: chance.next(), low: chance.next())
  }

  mutating func flags() -> Set<MatchFlag> {
    Set(MatchFlag.allCases.filter { _ in chance.oneIn(3) })
  }

  mutating func appEnvironment() -> AppEnvironment {
    AppEnvironment(app: identifier(), environment: chance.one(of: StoreEnvironment.allCases))
  }

  mutating func paymentKey() -> PaymentKey {
    PaymentKey(
      app: identifier(), store: chance.one(of: Store.allCases),
      environment: chance.one(of: StoreEnvironment.allCases),
      transaction: TransactionIdentifier(uniqueText()))
  }

  mutating func orderKey() -> OrderKey { OrderKey(appEnvironment: appEnvironment(), id: orderIdentifier()) }

  // MARK: orders

  mutating func product() -> Product {
    let grant: GrantRule =
      chance.oneIn(2)
      ? .units(identifier(), perPiece: number())
      : .entitlement(identifier(), period: chance.maybe { TimeSpan(milliseconds: Int64(bitPattern: $0.next())) })
    let currencies = ["CNY", "USD", "JPY"].compactMap { CurrencyCode($0) }
    var product = Product(id: identifier(), kind: chance.one(of: ProductKind.allCases), grant: grant)
    product.appStoreProducts = (0..<chance.number(below: 4)).map { _ in identifier() }
    if chance.oneIn(2) {
      product.weChatPrice = Money(minorUnits: number(), currency: chance.one(of: currencies))
    }
    product.isPhysical = chance.oneIn(2)
    product.debt = chance.one(of: DebtPolicy.allCases)
    return product
  }

  mutating func orderState() -> OrderState {
    switch chance.number(below: 3) {
    case 0: .awaitingPayment
    case 1: .paid(by: paymentKey(), at: moment())
    default: .closed(chance.one(of: CloseReason.allCases), at: moment())
    }
  }

  mutating func reference() -> Reference {
    Reference(uniqueText(), from: chance.oneIn(2) ? .backend : .app)
  }

  mutating func order() -> Order {
    var order = Order(
      key: orderKey(), user: identifier(), product: product(),
      quantity: chance.one(of: [1, 10, .max]), store: chance.one(of: Store.allCases),
      createdAt: moment(), expiresAt: moment())
    if chance.oneIn(2) { order.reference = reference() }
    if chance.oneIn(2) { order.metadata = text() }
    if chance.oneIn(2) { order.platform = text() }
    if chance.oneIn(2) { order.scene = text() }
    if chance.oneIn(2) {
      var derivation = Derivation(payment: paymentKey(), from: nil, reference: nil, flags: flags())
      if chance.oneIn(2) { derivation.from = orderIdentifier() }
      if chance.oneIn(2) { derivation.reference = reference() }
      order.derivation = derivation
    }
    if chance.oneIn(2) {
      order.idempotency = Idempotency(caller: text(), key: uniqueText(), requestDigest: text())
    }
    change(&order)
    return order
  }

  /// Changes the fields that an update may change.
  mutating func change(_ order: inout Order) {
    order.state = orderState()
    order.expiresAt = moment()
    order.approvalPendingSince = chance.oneIn(2) ? moment() : nil
    order.lastVerdict =
      chance.oneIn(2)
      ? LastVerdict(chance.one(of: OrderVerdict.allCases), reason: chance.oneIn(2) ? text() : nil, at: moment()) : nil
    order.frozenBecause = chance.oneIn(2) ? text() : nil
  }

  // MARK: payments

  mutating func facts(_ key: PaymentKey) -> VerifiedPayment {
    var facts = VerifiedPayment(
      key: key, originalTransaction: chance.oneIn(2) ? key.transaction : identifier(),
      storeProduct: identifier(), kind: chance.one(of: ProductKind.allCases),
      quantity: Int(number()), purchaseDate: moment(), signedDate: moment())
    if chance.oneIn(2) { facts.webOrderLineItem = text() }
    if chance.oneIn(2) { facts.originalPurchaseDate = moment() }
    if chance.oneIn(2) { facts.expiresDate = moment() }
    if chance.oneIn(2) { facts.token = orderIdentifier() }
    facts.ownership = chance.one(of: [.purchased, .familyShared, .assigned, .unknown(text())])
    if chance.oneIn(2) { facts.appTransaction = text() }
    if chance.oneIn(2) {
      facts.revocation = Revocation(
        date: moment(), reason: chance.oneIn(2) ? number() : nil,
        type: chance.oneIn(2) ? text() : nil, percentage: chance.oneIn(2) ? number() : nil)
    }
    if chance.oneIn(2) { facts.price = StatedPrice(milliunits: number(), currency: text()) }
    if chance.oneIn(2) { facts.merchant = text() }
    if chance.oneIn(2) { facts.storeApp = text() }
    facts.isRenewal = chance.oneIn(2)
    facts.isUpgraded = chance.oneIn(2)
    if chance.oneIn(2) { facts.storefront = text() }
    if chance.oneIn(2) {
      facts.offer = StatedOffer(
        type: text(), id: chance.oneIn(2) ? text() : nil, discountType: chance.oneIn(2) ? text() : nil,
        period: chance.oneIn(2) ? text() : nil)
    }
    return facts
  }

  mutating func paymentState() -> PaymentState {
    chance.one(of: [
      .verified, .fulfilled, .unclaimed, .held(chance.one(of: HoldReason.allCases)), .revoked,
      .imported, .reversed(amount: number()), .reinstated(amount: number()),
      .setAside(
        SetAside(
          by: text(), reason: text(), at: moment(), former: chance.oneIn(2) ? chance.one(of: HoldReason.allCases) : nil)
      ),
    ])
  }

  mutating func payment(_ key: PaymentKey) -> Payment {
    var payment = Payment(facts: facts(key), firstSeenAt: moment())
    change(&payment)
    return payment
  }

  mutating func change(_ payment: inout Payment) {
    payment.facts = facts(payment.key)
    payment.statedRevocation = chance.oneIn(2) ? Revocation(date: moment(), percentage: number()) : nil
    payment.refundReversedAt = chance.oneIn(2) ? moment() : nil
    payment.refundHistory = refundHistory()
    payment.idsDisagreeSince = chance.oneIn(2) ? moment() : nil
    payment.confirmedRevocation = chance.oneIn(2) ? moment() : nil
    payment.state = paymentState()
    payment.owner = chance.oneIn(2) ? identifier() : nil
    payment.order = chance.oneIn(2) ? orderIdentifier() : nil
    payment.match =
      chance.oneIn(2)
      ? MatchRecord(rule: chance.one(of: MatchRule.allCases), flags: flags(), at: moment()) : nil
    payment.presenter = chance.oneIn(2) ? identifier() : nil
    payment.finishedAt = chance.oneIn(2) ? moment() : nil
    payment.lastSequence = Int(number())
  }

  mutating func evidence(of key: PaymentKey) -> Evidence {
    Evidence(
      payment: key, text: text(), origin: chance.one(of: [.client, .notification, .backend]),
      receivedAt: moment())
  }

  mutating func duplicate(_ key: PaymentKey) -> DuplicateTransaction {
    duplicate(key, of: paymentKey(), in: paymentKey())
  }

  mutating func duplicate(_ key: PaymentKey, of payment: PaymentKey, in original: PaymentKey) -> DuplicateTransaction {
    var duplicate = DuplicateTransaction(key: key, of: payment, original: original, firstSeenAt: moment())
    if chance.oneIn(2) {
      var facts = facts(key)
      facts.originalTransaction = original.transaction
      (facts.merchant, facts.storeApp) = (nil, nil)
      duplicate.facts = facts
    }
    if chance.oneIn(2) { duplicate.refundReversedAt = moment() }
    duplicate.refundHistory = refundHistory()
    return duplicate
  }

  private mutating func refundHistory() -> RefundHistory {
    var history = RefundHistory()
    for _ in 0..<abs(number() % 4) {
      history.take(chance.oneIn(2) ? Revocation(date: moment()) : nil, reversedAt: chance.oneIn(2) ? moment() : nil)
    }
    return history
  }

  mutating func subscription(_ key: PaymentKey) -> Subscription {
    var subscription = Subscription(key: key, claimant: chance.oneIn(2) ? identifier() : nil)
    if chance.oneIn(2) { subscription.transfer = Subscription.Transfer(to: identifier(), at: moment()) }
    subscription.periodEnd = chance.oneIn(2) ? moment() : nil
    subscription.askAt = chance.oneIn(2) ? moment() : nil
    if chance.oneIn(2) { subscription.renewal = renewal(of: key) }
    return subscription
  }

  mutating func renewal(of key: PaymentKey) -> VerifiedRenewal {
    var renewal = VerifiedRenewal(subscription: key, signedDate: moment(), willRenew: chance.oneIn(2))
    renewal.renewsTo = chance.oneIn(2) ? identifier() : nil
    renewal.expiration = chance.oneIn(2) ? chance.one(of: VerifiedRenewal.Expiration.allCases) : nil
    renewal.isInBillingRetry = chance.oneIn(2)
    renewal.gracePeriodExpiresDate = chance.oneIn(2) ? moment() : nil
    renewal.renewalDate = chance.oneIn(2) ? moment() : nil
    renewal.priceIncrease = chance.oneIn(2) ? .accepted : nil
    if chance.oneIn(2) { renewal.renewalPrice = StatedPrice(milliunits: number(), currency: text()) }
    return renewal
  }

  // MARK: ledger

  mutating func grant(of key: PaymentKey) -> Grant {
    let content: GrantContent =
      chance.oneIn(2)
      ? .units(identifier(), amount: positive())
      : .entitlement(identifier(), from: moment(), until: chance.oneIn(2) ? moment() : nil)
    var grant = Grant(
      payment: key, user: identifier(), content: content, promise: promise(), grantedAt: moment())
    grant.takenBack = chance.one(of: [0, grant.parts, grant.parts / 2])
    return grant
  }

  mutating func grantChange(of key: PaymentKey) -> GrantChange {
    GrantChange(
      payment: key, kind: chance.one(of: GrantChange.Kind.allCases), cause: uniqueText(),
      amount: positive(), at: moment())
  }

  mutating func account() -> LedgerAccount {
    chance.oneIn(2)
      ? .user(identifier())
      : chance.one(of: Store.allCases.map { .issued($0) } + [.spent, .writtenOff])
  }

  mutating func booking() -> Booking {
    var booking = Booking(
      appEnvironment: appEnvironment(), key: uniqueText(), user: identifier(), unit: UnitName(uniqueText()),
      kind: chance.one(of: Booking.Kind.allCases), amount: positive(), requestDigest: text(), at: moment())
    if chance.oneIn(2) { booking.reason = text() }
    if chance.oneIn(2) { booking.metadata = text() }
    return booking
  }

  mutating func posting(of key: PaymentKey) -> Posting {
    Posting(
      appEnvironment: appEnvironment(), unit: UnitName(uniqueText()), debit: account(), credit: account(),
      amount: positive(), payment: key, cause: uniqueText(), at: moment())
  }
}

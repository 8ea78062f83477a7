import AppStoreProtocol
import AppStoreSimulator
import Counterfoil
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import WeChatPaySimulator

/// Checks a world after its end. It knows the App Store's charges, the users of each sheet, and the backend's
/// bookings. It reads the results from the server's database, and trusts no other part.
struct WorldOracle: Sendable {
  /// The server's data about one charge.
  struct Finding: Sendable {
    var payment: Payment?
    var grant: Grant?
    var order: Order?
    var origins: [Evidence.Origin] = []
    var journal: [JournalEntry] = []
    /// Whether a restore has moved it, or its subscription.
    var hasMoved = false
  }

  let context: SimulationContext
  let charges: [SimulatedCharge]
  let transactions: [SimulatedTransaction]
  let phones: [WorldPhone]
  let entries: [WorldBookEntry]
  let database: any PaymentDatabase
  /// Further facts that only a simulated App Store can show.
  var truths: [TransactionIdentifier: AppleTruth] = [:]
  var weChatOrders: [SimulatedOrder] = []
  var weChatRefunds: [SimulatedRefund] = []
  /// The subscriptions as the App Store sees them.
  var lines: [AppleSubscription] = []
  /// The charges of the team's other app.
  var chargesElsewhere: [SimulatedCharge] = []
  var sandbox = SandboxFacts()
  /// The backend's debits, with the server's answers.
  var debits: [WalletClient.Debit] = []

  var events: EventTrace { context.events }

  /// Reports every violated rule.
  func judge() async throws {
    let reached = try await reachedAccounts()
    for charge in charges {
      let finding = try await finding(of: charge)
      judge(charge, finding, reached: reached)
      judgeOperator(charge, finding)
    }
    try await judgeTokens()
    if context.plan.apple.hasKey { try await judgeRefunds() }
    try await judgePayments()
    try await judgeBook()
    try await judgeTakenBack()
    try await judgeWallets()
    try await judgeDebits()
    try await judgeRights()
    try await judgeRestores()
    try await judgeOrders()
    for phone in phones { try await judgeVault(of: phone) }
    try await judgeUnfinished()
    try await judgeWeChatPay()
    try await judgeElsewhere()
    try await judgeSandbox()
    judgeFloods()
    try await judgeAudit()
    try await judgeSheets()
  }

  // MARK: charges

  private func key(_ id: TransactionIdentifier) -> PaymentKey {
    PaymentKey(app: WorldShop.id, store: .appStore, environment: context.appEnvironment.environment, transaction: id)
  }

  private func payment(of id: TransactionIdentifier, _ database: any DatabaseReader) throws -> Payment? {
    try database.payment(try database.duplicate(key(id))?.of ?? key(id))
  }

  func known(_ id: TransactionIdentifier) async throws -> Payment? {
    try await database.read { (database) -> Payment? in try payment(of: id, database) }
  }

  private func finding(of charge: SimulatedCharge) async throws -> Finding {
    let id = charge.transaction.id
    return try await database.read { database in
      var finding = Finding()
      finding.payment = try payment(of: id, database)
      guard let payment = finding.payment else { return finding }
      finding.grant = try database.grant(payment.key)
      finding.hasMoved =
        try database.changes(of: payment.key).contains { $0.kind == .transfer }
        || database.subscription(payment.facts.line)?.transfer != nil
      finding.order = try payment.order.flatMap {
        try database.order(OrderKey(appEnvironment: context.appEnvironment, id: $0))
      }
      finding.origins = try database.evidence(of: payment.key).map(\.origin)
      finding.journal = try database.journal(of: payment.key)
      return finding
    }
  }

  private func judge(_ charge: SimulatedCharge, _ finding: Finding, reached: Set<String>) {
    let (id, account) = (charge.transaction.id, charge.transaction.owner.account.text)
    guard let payment = finding.payment else {
      if !isBeyondReach(charge, reached) { events.reportViolation("the charge \(id) is unknown to the server") }
      return
    }
    note(finding, payment, charge: charge)
    guard ids(of: charge).contains(payment.key.transaction) else { return judge(charge, countedAs: payment) }
    let isNamed = names(charge, payment)
    switch payment.state {
    case .fulfilled, .reversed, .reinstated: judgeGrant(charge, finding, payment: payment)
    case .revoked:
      if charge.refundedPercentage == 0, canKnowRefunds(of: id) {
        events.reportViolation("\(id) counts as taken back, and is not")
      }
    case .held(let reason): judge(charge, isNamed: isNamed, heldBecause: "\(reason)")
    case .unclaimed:
      if isNamed || phones.contains(where: { $0.plan.account == account && !$0.plan.isLost }) {
        events.reportViolation("\(id) belongs to no user, although its owner presented it")
      }
    case .verified, .setAside, .imported: events.reportViolation("\(id) came to rest as \(payment.state.name)")
    }
  }

  private func judgeGrant(_ charge: SimulatedCharge, _ finding: Finding, payment: Payment) {
    let sold = charge.transaction
    guard let grant = finding.grant else {
      return events.reportViolation("\(sold.id) is \(payment.state.name) without a grant")
    }
    let promises = promises(for: charge).compactMap { $0.grant.content(of: payment.facts) }
    if !promises.contains(grant.content) || payment.facts.quantity != sold.quantity {
      events.reportViolation("\(sold.id) granted \(grant.content), and was sold for \(promises)")
    }
    guard sold.period == nil else { return judgeOwner(charge, finding, payment: payment, grant: grant) }
    let isNamed = names(charge, payment)
    var owners = isNamed ? sheetUsers(truths[sold.id]?.token) : buyers(of: charge)
    if finding.hasMoved, mayHaveMoved(to: grant.user, on: sold.owner.account.text) { owners.insert(grant.user) }
    guard !owners.contains(grant.user) else { return }
    // An operator may name any user they believe.
    guard !ids(of: charge).contains(where: { context.operatorBook.user(of: $0) == grant.user }) else { return }
    // A further id with the token of another order became known first; the first id's token came too late.
    if payment.key.transaction != sold.id, finding.journal.contains(where: { $0.what == "payment.ownerLearnedLate" }),
      let further = transactions.first(where: { $0.id == payment.key.transaction })?.appAccountToken,
      sheetUsers(further.text).contains(grant.user)
    {
      return
    }
    let isOnAccount = users(of: sold.owner.account.text).contains(grant.user)
    if !isNamed, mayClaim(grant.user, sold) || isForgotten(charge) && isOnAccount {
      events.record("oracle", "\(sold.id) without a token: \(grant.user) claimed it", mark: .claimedOnSharedAccount)
    } else {
      events.reportViolation("\(sold.id) was ordered by \(owners.map(\.text).sorted()) and granted to \(grant.user)")
    }
  }

  private func note(_ finding: Finding, _ payment: Payment, charge: SimulatedCharge) {
    if finding.origins.first == .notification, finding.origins.contains(.client) { events.mark(.notificationFirst) }
    if finding.origins.first == .client { events.mark(.clientFirst) }
    if finding.origins.count(where: { $0 == .client }) > 1 { events.mark(.duplicateSubmission) }
    if truths[charge.transaction.id]?.token == nil { events.mark(.tokenLost) }
    noteApple(finding, payment, charge: charge)
    switch payment.match?.rule {
    case .exact: events.mark(.matchedExact)
    case .presented: events.mark(.matchedPresented)
    case .inferred: events.mark(.matchedInferred)
    case .derived: events.mark(.matchedDerived)
    case .subscription, .operator, nil: break
    }
    if payment.match?.flags.contains(.late) == true { events.mark(.paidLate) }
    switch payment.state {
    case .reversed, .reinstated: events.mark(.reversed)
    case .revoked: events.mark(.revokedBeforeGrant)
    case .verified, .fulfilled, .unclaimed, .held, .setAside, .imported: break
    }
    if payment.state.wasGranted, finding.journal.contains(where: { $0.details.contains("productKindDiffers") }) {
      events.mark(.heldForItsKind)
    }
    if payment.state.wasGranted, finding.origins.allSatisfy({ $0 == .notification }) {
      events.mark(.grantedWithoutPhone)
    }
  }

  // MARK: payments without a charge

  private func judgePayments() async throws {
    let payments = try await database.read { try $0.payments(after: nil, limit: 10_000) }
    // Family Sharing: one payment, signed for each member.
    let lines = Set(transactions.filter { $0.isCharge || $0.isFamilyShared }.map(\.originalId))
    for payment in payments
    where payment.key.store == .appStore && payment.key.appEnvironment == context.appEnvironment
      && !lines.contains(payment.facts.originalTransaction)
    {
      events.reportViolation("the payment \(payment.key.transaction) was never charged")
    }
    if transactions.contains(where: { !$0.isCharge }) { events.mark(.ownedAgain) }
    noteHabits()
  }

  // MARK: orders

  private func judgeOrders() async throws {
    let orders = try await database.read { try $0.orders(after: nil, limit: 10_000) }
    for order in orders {
      if case .awaitingPayment = order.state, order.expiresAt < context.world.now - .hours(12),
        !isOnItsWayBack(order.key.id)
      {
        events.reportViolation("the order \(order.key.id) is open long past its end")
      }
      if let reason = order.frozenBecause { events.reportViolation("the order \(order.key.id) is frozen: \(reason)") }
    }
    let byId = Dictionary(orders.filter { $0.key.appEnvironment == context.appEnvironment }.map { ($0.key.id, $0) }) {
      first, _ in first
    }
    for claim in phones.flatMap(\.claims) {
      let policy = context.plan.aftermath.restore
      let key = OrderKey(appEnvironment: context.appEnvironment, id: claim.order)
      let isGranted = try await database.read { try $0.grants(key, isRecovered: claim.isRecovered, under: policy) }
      // A restored entitlement may have moved on to another user.
      let hasMoved = policy == .transfer && byId[claim.order]?.product.grant.isRight == true
      guard isGranted || hasMoved, byId[claim.order]?.user == claim.user else {
        events.reportViolation("an app told \(claim.user) that the order \(claim.order) is granted, and it is not")
        continue
      }
    }
    for sheet in phones.flatMap(\.sheets) {
      guard let order = byId[sheet.token] else {
        events.reportViolation("the sheet for \(sheet.token) was opened without an order")
        continue
      }
      if !sheet.users.contains(order.user) {
        events.reportViolation(
          "\(sheet.token) is an order of \(order.user), asked for by \(sheet.users.map(\.text).sorted())")
      }
    }
  }

  private func judgeAudit() async throws {
    let audit = PaymentAudit(atRest: true)
    let report = try await audit.run(on: database)
    for violation in report.violations { events.reportViolation("the audit finds: \(violation)") }
    let open = try await report.deliveriesOpen - deliveriesThatNobodyTakes()
    if open > 0 { events.reportViolation("\(open) deliveries were never acknowledged") }
  }

  /// Checks that each sheet charges at most once. Tokens that the server set later belong to no sheet. The journal
  /// shows such a token also if Apple's answer was lost and the retry failed.
  private func judgeSheets() async throws {
    var tokens: [String] = []
    for charge in charges where charge.transaction.reason != .renewal {
      let payment = key(charge.transaction.id)
      let events = try await database.read { try $0.journal(of: payment).map(\.what) }
      let isSetSince = events.contains { $0 == "payment.tokenSet" || $0 == "payment.tokenNotSet" }
      if !isSetSince, let token = truths[charge.transaction.id]?.token { tokens.append(token) }
    }
    for (token, count) in Dictionary(tokens.map { ($0, 1) }, uniquingKeysWith: +).sorted(by: { $0.key < $1.key })
    where count > 1 {
      let sheets = phones.flatMap(\.sheets).count { $0.token.appAccountToken == token }
      if count > sheets { events.reportViolation("\(sheets) sheets for \(token) charged \(count) times") }
    }
  }
}

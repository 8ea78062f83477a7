import AppStoreSimulator
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// Checks that testers get their purchases in the sandbox, once, and that no user gets them in production.
struct SandboxCheck: WorldCheck {
  let records: WorldRecords
  let repeats: RepeatPurchases
  let promises: PromisedProducts

  private var plan: SandboxPlan { context.plan.sandbox }

  func run() async throws {
    try await checkPlaces()
    guard plan.home == .production else { return }
    events.mark(.atHomeInProduction)
    try await checkOrdersOfTesters()
    try await checkShown()
    var due: [Holding: Int64] = [:]
    for charge in records.sandbox.charges { try await check(inSandbox: charge, &due) }
    let balances = try await database.read { try $0.balances(after: nil, limit: 10_000) }
      .filter { $0.appEnvironment.environment == .sandbox }
    var has: [Holding: Int64] = [:]
    for balance in balances {
      has[Holding(app: balance.appEnvironment.app, user: balance.user, unit: balance.unit), default: 0] +=
        balance.amount
    }
    for holding in Set(due.keys).union(has.keys).sorted(by: { $0.text < $1.text })
    where due[holding, default: 0] != has[holding, default: 0] {
      let (must, does) = (due[holding, default: 0], has[holding, default: 0])
      events.reportViolation("\(holding.text) must have \(must) in the sandbox and has \(does)")
    }
  }

  /// The units of a user in an app.
  private struct Holding: Hashable {
    let app: AppIdentifier
    let user: UserIdentifier
    let unit: UnitName

    var text: String { "\(user) of \(app), \(unit)" }
  }

  /// Checks that every payment has its correct environment, and that the backend gets each delivery at the address for
  /// it.
  private func checkPlaces() async throws {
    let payments = try await database.read { try $0.payments(after: nil, limit: 10_000) }
    let sold = Set(records.sandbox.transactions.map(\.id))
    for payment in payments {
      let (id, environment) = (payment.key.transaction, payment.key.environment)
      let isSandbox = payment.key.store == .appStore && sold.contains(id)
      if environment != (isSandbox ? .sandbox : plan.home) {
        events.reportViolation(
          "\(id) was made in \(isSandbox ? "the sandbox" : "\(plan.home)"), and stands in \(environment)")
      }
      if isSandbox, plan.policy == .refuse {
        events.reportViolation("\(id) of the sandbox was taken, against the policy")
      }
    }
    for id in Set(records.entries.map(\.transaction)).intersection(sold).sorted() {
      events.reportViolation("the backend booked \(id) of the sandbox as if it were real")
    }
    for id in Set(records.sandbox.entries.map(\.transaction)).subtracting(sold).sorted() {
      events.reportViolation("the backend booked \(id) for the sandbox, which was not made there")
    }
    if !plan.delivers, !records.sandbox.entries.isEmpty {
      events.reportViolation("the sandbox was delivered, which is switched off")
    }
  }

  /// Checks that a user sees sandbox purchases only if the policy says so, and then separately.
  private func checkShown() async throws {
    for user in Set(context.sandboxNotes.purchases.filter { $0.app == WorldShop.id }.map(\.user)).sorted() {
      let token = WorldShop.userToken(for: user, at: context.world.now)
      let request = HTTPRequest(
        "GET", WorldShop.serverURL + "/v1/balances", fields: ["Authorization": "Bearer \(token)"])
      let answer = try await context.exchange(from: .phone(92), to: .server).send(request, .seconds(30))
      guard let list = try? JSONReader.read(answer.body)["balances"]?.array else {
        events.reportViolation("the server does not tell \(user) what they have: \(answer.status)")
        continue
      }
      let told = list.map { body in
        [body["environment"]?.string, body["unit"]?.string, body["amount"]?.integer.map { "\($0)" }]
          .compactMap(\.self).joined(separator: " ")
      }
      let has = try await database.read { try $0.balances(after: nil, limit: 10_000) }.filter { balance in
        balance.user == user && balance.appEnvironment.app == WorldShop.id
          && (balance.appEnvironment.environment == plan.home || isShown(to: user))
      }
      let due = has.map { "\($0.appEnvironment.environment.rawValue) \($0.unit) \($0.amount)" }
      if told.sorted() != due.sorted() {
        events.reportViolation("\(user) is told to have \(told), and must have \(due)")
      }
    }
  }

  private func isShown(to user: UserIdentifier) -> Bool {
    switch plan.policy {
    case .separate, .refuse: false
    case .testers(let users): users.contains(user)
    case .review(let until): context.world.now < until
    }
  }

  /// Checks that an order that was paid in the sandbox alone is not paid.
  private func checkOrdersOfTesters() async throws {
    for purchase in context.sandboxNotes.purchases where purchase.isForSandboxAlone {
      let key = OrderKey(appEnvironment: AppEnvironment(app: purchase.app, environment: plan.home), id: purchase.order)
      guard let order = try await database.read({ try $0.order(key) }), case .paid = order.state else { continue }
      let payments = try await database.read { try $0.payments(after: nil, limit: 10_000) }
      // A purchase of the same user with a lost token may have matched it.
      let isPaid = payments.contains { $0.order == purchase.order && $0.key.environment == plan.home }
      if !isPaid { events.reportViolation("the order \(purchase.order) is paid, and only the sandbox was") }
    }
  }

  private func check(inSandbox charge: SimulatedCharge, _ due: inout [Holding: Int64]) async throws {
    let sold = charge.transaction
    let token = records.sandbox.truths[sold.id]?.token
    let purchase = context.sandboxNotes.purchase(sold.id, token: token)
    let app = sold.owner.bundleId == OtherShop.bundleId ? OtherShop.id : WorldShop.id
    guard plan.policy != .refuse else { return events.mark(.sandboxRefused) }
    let key = PaymentKey(app: app, store: .appStore, environment: .sandbox, transaction: sold.id)
    let (payment, grant) = try await database.read { database -> (Payment?, Grant?) in
      let key = try database.duplicate(key)?.of ?? key
      return (try database.payment(key), try database.grant(key))
    }
    guard let payment else {
      // The owner is unknown, and its notifications were lost.
      if purchase != nil { events.reportViolation("\(sold.id) of the sandbox is unknown to the server") }
      return
    }
    // A further id of a charge may come before its first one; the payment then stands under that id.
    guard records.sandbox.ids(of: charge).contains(payment.key.transaction) else {
      // A repeat purchase under its first original id may count as the first purchase (`check(_:countedAs:)`).
      if !repeats.isUnderOldOriginal(charge) {
        events.reportViolation("\(sold.id) was charged in the sandbox, and counts as \(payment.key.transaction)")
      }
      return
    }
    guard let grant else { return check(ungranted: charge, payment, isNamed: token != nil && purchase != nil) }
    if let purchase, token != nil, grant.user != purchase.user {
      events.reportViolation("\(sold.id) of the sandbox is \(grant.user)'s, and \(purchase.user) bought it")
    }
    events.mark(.grantedInSandbox)
    let products = app == OtherShop.id ? [OtherShop.product] : context.catalog.products(for: sold.product)
    let promises = products.compactMap { $0.grant.content(of: payment.facts) }
    if !promises.contains(grant.content) {
      events.reportViolation("\(sold.id) of the sandbox granted \(grant.content), and was sold for \(promises)")
    }
    if case .units(let unit, _) = grant.content {
      due[Holding(app: app, user: grant.user, unit: unit), default: 0] +=
        grant.parts - RefundedPieces.count(known(charge, payment), of: 100_000, in: grant.parts)
    }
    check(booksOf: payment.key.transaction, grant)
  }

  /// The refunded share of a charge, as far as the server can know it.
  private func known(_ charge: SimulatedCharge, _ payment: Payment) -> Int64 {
    // The sandbox sends each notification once: without a key the server may have missed it.
    let mayKnow = context.plan.apple.hasKey || records.sandbox.truths[charge.transaction.id]?.isNewsUntold != true
    return mayKnow || payment.facts.revocation != nil ? charge.refundedPercentage : 0
  }

  private func check(ungranted charge: SimulatedCharge, _ payment: Payment, isNamed: Bool) {
    let id = charge.transaction.id
    switch payment.state {
    case .revoked where charge.refundedPercentage > 0: return
    case .held(.boughtAgainAfterRefund) where repeats.isUnderOldOriginal(charge): return
    case .held, .unclaimed:
      if isNamed, promises.isAlwaysInCatalog(charge.transaction.product) {
        events.reportViolation("\(id) of the sandbox is \(payment.state), and a user had ordered it")
      }
    default: events.reportViolation("\(id) of the sandbox came to rest as \(payment.state.name)")
    }
  }

  private func check(booksOf id: TransactionIdentifier, _ grant: Grant) {
    guard plan.delivers else { return }
    let entries = records.sandbox.entries.filter { $0.transaction == id }
    guard !entries.isEmpty else { return events.reportViolation("the backend never booked \(id) of the sandbox") }
    let account = WorldAccount(entries)
    for problem in account.problems { events.reportViolation("the backend's book of \(id) in the sandbox: \(problem)") }
    if account.holder != grant.user || account.left != grant.parts - grant.takenBack {
      events.reportViolation(
        "the backend has \(account.left) of \(id) in the sandbox, for \(account.holder?.text ?? "no user")")
    }
  }
}

import PaymentModel
import PaymentPrimitives
import TestTier
import Testing

/// One user's wallet with any number of grants, kept by the model's rules alone. The engine does the same in its
/// transactions, with a database.
private final class Wallet {
  struct Purchase {
    var payment: Payment
    var grant: Grant
    var changes: [GrantChange] = []
    var postings: [Posting] = []
  }

  var balance: Int64 = 0
  var isFrozen = false
  var purchases: [Purchase] = []
  var spent: Int64 = 0
  private var causes = 0

  func buy(_ coins: Int64, _ policy: DebtPolicy) throws {
    let product = Product(
      id: "coins", kind: .consumable, grant: .units("coin", perPiece: coins),
      appStoreProducts: ["com.example.coins100"], debt: policy)
    let facts = Purchases.payment(TransactionIdentifier("t\(purchases.count)"))
    var input = FulfilmentInput(
      payment: Payment(facts: facts, firstSeenAt: Purchases.noon), derivedOrder: Purchases.identifier(99),
      now: Purchases.noon)
    input.decision = .grant(to: "alice", .none, rule: .derived, flags: [])
    input.product = product
    let plan = try Fulfilment.plan(input)
    let grant = try #require(plan.grant)
    #expect(grant.debt == policy)
    purchases.append(Purchase(payment: plan.payment, grant: grant))
    write(plan, to: purchases.count - 1)
  }

  /// Spends what the server would allow a backend to spend.
  func spend(_ coins: Int64) -> Bool {
    guard !isFrozen, balance >= coins else { return false }
    balance -= coins
    spent += coins
    return true
  }

  /// Takes this many of a grant's units back.
  func reverse(_ index: Int, _ amount: Int64) throws { try change(index, .reversal, amount: amount) }

  /// Returns this many of a grant's units.
  func reinstate(_ index: Int, _ amount: Int64) throws { try change(index, .reinstatement, amount: amount) }

  private func change(_ index: Int, _ kind: GrantChange.Kind, amount: Int64) throws {
    guard amount > 0 else { return }
    causes += 1
    let purchase = purchases[index]
    var input = FulfilmentInput(
      payment: purchase.payment, derivedOrder: Purchases.identifier(99), now: Purchases.noon)
    // A plan without an update, with the change added by hand: here no store decides the next step.
    input.payment.state = .fulfilled
    input.grant = purchase.grant
    input.grant?.takenBack = 0
    var plan = try Fulfilment.plan(input)
    plan.grant = purchase.grant
    plan.grant?.takenBack += kind == .reversal ? amount : -amount
    plan.payment.state = kind == .reversal ? .reversed(amount: amount) : .reinstated(amount: amount)
    let key = purchase.grant.payment
    plan.changes = [GrantChange(payment: key, kind: kind, cause: "\(causes)", amount: amount, at: Purchases.noon)]
    let accounts: (LedgerAccount, LedgerAccount) =
      kind == .reversal ? (.user("alice"), .issued(.appStore)) : (.issued(.appStore), .user("alice"))
    plan.postings = [
      Posting(
        appEnvironment: Purchases.appEnvironment, unit: "coin", debit: accounts.0, credit: accounts.1, amount: amount,
        payment: key,
        cause: "\(kind.rawValue):\(causes)", at: Purchases.noon)
    ]
    plan.keepDebt(balance: balance, after: purchase.postings)
    write(plan, to: index)
  }

  private func write(_ plan: FulfilmentPlan, to index: Int) {
    purchases[index].payment = plan.payment
    purchases[index].grant = plan.grant ?? purchases[index].grant
    purchases[index].changes += plan.changes
    purchases[index].postings += plan.postings
    for posting in plan.postings {
      balance += posting.balanceChanges.reduce(0) { $0 + $1.amount }
      if balance >= 0 { isFrozen = false }
    }
    if plan.freezesBalance { isFrozen = true }
  }

  /// The units that are written off and not reversed.
  var writtenOff: Int64 {
    purchases.flatMap(\.postings).reduce(0) {
      $0 + ($1.debit == .writtenOff ? $1.amount : $1.credit == .writtenOff ? -$1.amount : 0)
    }
  }

  /// The units of all grants in force.
  var inForce: Int64 { purchases.reduce(0) { $0 + $1.grant.parts - $1.grant.takenBack } }

  /// The violations that the audit would find.
  var violations: [Violation] {
    purchases.flatMap { purchase in
      var rows = PaymentRows(payment: purchase.payment)
      rows.grant = purchase.grant
      rows.changes = purchase.changes
      rows.postings = purchase.postings
      return rows.violations
    }
  }
}

@Suite struct `A refund of what was spent (A10)` {
  private func made(_ policy: DebtPolicy, spent: Int64) throws -> Wallet {
    let wallet = Wallet()
    try wallet.buy(100, policy)
    #expect(wallet.spend(spent))
    return wallet
  }

  @Test func `takes the balance below zero under that policy, and freezes nothing`() throws {
    let wallet = try made(.negative, spent: 60)
    try wallet.reverse(0, 100)
    #expect(wallet.balance == -60 && !wallet.isFrozen && wallet.writtenOff == 0)
    try wallet.buy(70, .negative)
    #expect(wallet.balance == 10 && wallet.spend(10))
    #expect(wallet.violations == [])
  }

  @Test func `stops at zero and writes the rest off under that policy, each refund in full`() throws {
    let wallet = try made(.clamp, spent: 60)
    try wallet.reverse(0, 100)
    #expect(wallet.balance == 0 && wallet.writtenOff == 60 && !wallet.isFrozen)
    #expect(wallet.purchases[0].postings.map(\.amount) == [100, 100, 60])
    #expect(wallet.purchases[0].postings.map(\.cause) == ["grant", "reversal:1", "writeOff:1"])
    try wallet.buy(70, .clamp)
    #expect(wallet.balance == 70)
    #expect(wallet.violations == [])
  }

  @Test func `freezes the balance under that policy, until later purchases cover the debt`() throws {
    let wallet = try made(.freeze, spent: 60)
    try wallet.reverse(0, 100)
    #expect(wallet.balance == -60 && wallet.isFrozen)
    try wallet.buy(59, .negative)
    #expect(wallet.isFrozen && !wallet.spend(1))
    try wallet.buy(2, .negative)
    #expect(!wallet.isFrozen && wallet.spend(1))
    #expect(wallet.violations == [])
  }

  @Test(arguments: DebtPolicy.allCases)
  func `takes only units if the user still has them`(policy: DebtPolicy) throws {
    let wallet = try made(policy, spent: 60)
    try wallet.reverse(0, 40)
    #expect(wallet.balance == 0 && wallet.writtenOff == 0 && !wallet.isFrozen)
  }

  @Test(arguments: DebtPolicy.allCases)
  func `that is reversed restores the user's balance, under every policy`(policy: DebtPolicy) throws {
    let wallet = try made(policy, spent: 60)
    try wallet.reverse(0, 100)
    try wallet.reinstate(0, 100)
    #expect(wallet.balance == 40 && wallet.writtenOff == 0 && !wallet.isFrozen)
    #expect(wallet.violations == [])
  }

  @Test func `that is partly reversed repays the user's debt first, whichever part it was`() throws {
    let wallet = try made(.clamp, spent: 60)
    try wallet.reverse(0, 50)
    #expect(wallet.balance == 0 && wallet.writtenOff == 10)
    try wallet.reverse(0, 50)
    #expect(wallet.balance == 0 && wallet.writtenOff == 60)
    // The result equals a refund of only half.
    try wallet.reinstate(0, 50)
    #expect(wallet.balance == 0 && wallet.writtenOff == 10)
    try wallet.reinstate(0, 50)
    #expect(wallet.balance == 40 && wallet.writtenOff == 0)
  }

  @Test func `writes off no earlier debt`() throws {
    let wallet = Wallet()
    try wallet.buy(100, .negative)
    #expect(wallet.spend(100))
    try wallet.reverse(0, 100)
    #expect(wallet.balance == -100)
    try wallet.buy(30, .clamp)
    try wallet.reverse(1, 30)
    #expect(wallet.balance == -70 && wallet.writtenOff == 30, "the second purchase's part stays covered")
    #expect(wallet.violations == [])
  }

  @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
  func `has the same result in any order of its takings and reversals`(order: [Int]) throws {
    let parts: [Int64] = [33, 33, 34]
    for policy in DebtPolicy.allCases {
      for spent in [0, 20, 60, 100] as [Int64] {
        let wallet = try made(policy, spent: spent)
        for index in order { try wallet.reverse(0, parts[index]) }
        #expect(wallet.balance == (policy == .clamp ? 0 : -spent))
        #expect(wallet.writtenOff == (policy == .clamp ? spent : 0))
        #expect(wallet.isFrozen == (policy == .freeze && spent > 0))
        for index in order.reversed() { try wallet.reinstate(0, parts[index]) }
        #expect(wallet.balance == 100 - spent && wallet.writtenOff == 0 && !wallet.isFrozen)
        #expect(wallet.violations == [])
      }
    }
  }

  @Test(arguments: [UInt64](1...Tier.among(test: 120, check: 500, night: 5_000)))
  func `keeps every rule of money in any sequence of purchases, spending, refunds and reversals`(seed: UInt64) throws {
    var random = seed
    func below(_ bound: Int64) -> Int64 {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int64(random >> 33) % bound
    }
    let policies = DebtPolicy.allCases
    // Some seeds use one policy only, others mix them.
    let only = below(4)
    let wallet = Wallet()
    for _ in 0..<60 {
      let index = wallet.purchases.isEmpty ? 0 : Int(below(Int64(wallet.purchases.count)))
      switch below(wallet.purchases.isEmpty ? 1 : 5) {
      case 0: try wallet.buy(1 + below(100), policies[Int(only < 3 ? only : below(3))])
      case 1:
        let (before, coins, wasFrozen) = (wallet.balance, 1 + below(60), wallet.isFrozen)
        #expect(wallet.spend(coins) == (!wasFrozen && before >= coins))
      case 2, 3:
        let left = wallet.purchases[index].grant.parts - wallet.purchases[index].grant.takenBack
        if left > 0 { try wallet.reverse(index, 1 + below(left)) }
      default:
        let taken = wallet.purchases[index].grant.takenBack
        if taken > 0 { try wallet.reinstate(index, 1 + below(taken)) }
      }
      #expect(wallet.violations == [])
      #expect(wallet.balance == wallet.inForce - wallet.spent + wallet.writtenOff)
      #expect(wallet.writtenOff >= 0 && wallet.writtenOff <= wallet.spent)
      let policy = only < 3 ? policies[Int(only)] : nil
      if policy == .clamp { #expect(wallet.balance >= 0) }
      if policy != .clamp, policy != nil { #expect(wallet.writtenOff == 0) }
      #expect(!wallet.isFrozen || wallet.balance < 0)
      if policy == .negative { #expect(!wallet.isFrozen) }
    }
  }

  @Test func `4: notices more written off than taken back, and any write-off without that policy`() throws {
    let wallet = try made(.clamp, spent: 60)
    try wallet.reverse(0, 100)
    var rows = PaymentRows(payment: wallet.purchases[0].payment)
    rows.grant = wallet.purchases[0].grant
    rows.changes = wallet.purchases[0].changes
    rows.postings = wallet.purchases[0].postings
    #expect(rows.violations == [])
    rows.grant?.promise.debt = .negative
    #expect(rows.violations.map(\.invariant) == [.refundTakesAtMostTheGrant])
    rows.grant?.promise.debt = .clamp
    rows.postings.append(
      Posting(
        appEnvironment: Purchases.appEnvironment, unit: "coin", debit: .writtenOff, credit: .user("alice"), amount: 41,
        payment: rows.payment.key, cause: "writeOff:2", at: Purchases.noon))
    #expect(rows.violations.map(\.invariant) == [.refundTakesAtMostTheGrant])
  }
}

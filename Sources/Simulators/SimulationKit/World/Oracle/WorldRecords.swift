import AppStoreSimulator
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import WeChatPayProtocol
import WeChatPaySimulator

/// What the stores, the phones and the backend have recorded of a world, and the database with the server's results.
struct WorldRecords: Sendable {
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
  var weChatComplaints: [SimulatedComplaint] = []
  /// The subscriptions as the App Store sees them.
  var subscriptions: [AppleSubscription] = []
  /// The charges of the team's other app.
  var chargesElsewhere: [SimulatedCharge] = []
  var sandbox = SandboxFacts()
  /// The backend's debits, with the server's answers.
  var debits: [WalletClient.Debit] = []
  /// The backend's credits, with the server's answers.
  var credits: [WalletClient.Debit] = []

  var events: EventTrace { context.events }

  // MARK: the server's database

  func appStoreKey(_ id: TransactionIdentifier) -> PaymentKey {
    PaymentKey(app: WorldShop.id, store: .appStore, environment: context.appEnvironment.environment, transaction: id)
  }

  func weChatPayKey(_ transactionId: String) -> PaymentKey {
    PaymentKey(
      app: WorldShop.id, store: .weChatPay, environment: context.appEnvironment.environment,
      transaction: TransactionIdentifier(transactionId))
  }

  func payment(of id: TransactionIdentifier, _ database: any DatabaseReader) throws -> Payment? {
    try database.payment(try database.duplicate(appStoreKey(id))?.of ?? appStoreKey(id))
  }

  /// The payment that a transaction counts as; nil if the server does not know it.
  func payment(for id: TransactionIdentifier) async throws -> Payment? {
    try await database.read { (database) -> Payment? in try payment(of: id, database) }
  }

  /// The payment as which a charge counts. If an operator gave a further id of it as a purchase of its own, that one
  /// does: what the server knows of the first id may be a refund that was undone without its hearing of it.
  func payment(of charge: SimulatedCharge, _ database: any DatabaseReader) throws -> Payment? {
    let id = charge.transaction.id
    if let claimed = context.operatorBook.claimedId(of: id), claimed != id,
      let payment = try payment(of: claimed, database), ids(of: charge).contains(payment.key.transaction),
      payment.state.wasGranted
    {
      return payment
    }
    return try payment(of: id, database)
  }

  /// The postings of a user, and of those who were merged into them.
  func entries(of user: UserIdentifier) async throws -> [LedgerEntry] {
    let users = context.merges.all.map(\.user).filter { $0 != user && context.merges.present($0) == user } + [user]
    return try await database.read { database in
      try users.flatMap {
        try database.entries(of: $0, unit: "coin", in: context.appEnvironment, before: .max, limit: 10_000)
      }
    }.sorted { $0.number > $1.number }
  }

  // MARK: the App Store

  func truth(of charge: SimulatedCharge) -> AppleTruth { truths[charge.transaction.id] ?? AppleTruth() }

  /// The transaction ids of one charge: its own, and the further ones.
  func ids(of charge: SimulatedCharge) -> Set<TransactionIdentifier> {
    let id = charge.transaction.id
    return Set(transactions.filter { $0.repeats == id }.map(\.id)).union([id])
  }

  /// Whether the server can know the refunds of a charge and their reversals: from notifications, or by asking.
  func canKnowRefunds(of id: TransactionIdentifier) -> Bool {
    context.plan.apple.hasKey || truths[id]?.isNewsUntold != true
  }

  // MARK: the phones

  /// The users who requested the purchase for which a token was made.
  func sheetUsers(_ token: String?) -> Set<UserIdentifier> {
    guard let token else { return [] }
    return Set(phones.flatMap(\.sheets).filter { $0.token.appAccountToken == token }.flatMap(\.users))
  }

  /// The users of the phones that are signed in to an Apple account.
  func users(of account: String) -> Set<UserIdentifier> {
    Set(phones.filter { $0.plan.account == account }.flatMap(\.users))
  }

  /// Whether every phone of an Apple account is lost.
  func isAbandoned(_ account: String) -> Bool {
    !phones.contains { $0.plan.account == account && !$0.plan.isLost }
  }

  // MARK: the backend

  /// The backend's bookings, by payment.
  var bookings: [TransactionIdentifier: WorldAccount] {
    Dictionary(grouping: entries, by: \.transaction).mapValues {
      WorldAccount($0, afterMerges: !context.merges.isEmpty)
    }
  }

  // MARK: WeChat Pay

  /// Whether a refund of an order is requested and not done: meanwhile its payment is not granted.
  func isBeingRefunded(_ order: OrderIdentifier) -> Bool {
    let charges = weChatOrders.filter { OrderIdentifier($0.outTradeNo) == order }.map(\.key)
    return weChatRefunds.contains { refund in
      charges.contains(refund.order) && (refund.status == .processing || refund.status == .abnormal)
    }
  }

  /// The amount that WeChat Pay has given back of an order, in fen.
  func refunded(_ order: SimulatedOrder) -> Int64 {
    weChatRefunds.filter { $0.order == order.key && $0.status == .success }.reduce(0) { $0 + $1.refund }
  }
}

extension Payment {
  /// Whether it waits for a decision, so that nothing is due yet.
  var isInQueue: Bool {
    switch state {
    case .held, .unclaimed, .setAside: true
    case .verified, .fulfilled, .revoked, .imported, .reversed, .reinstated: false
    }
  }
}

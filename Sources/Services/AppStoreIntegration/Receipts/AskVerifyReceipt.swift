import AppStoreProtocol
import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// The answer of `verifyReceipt` about one purchase.
enum VerifyReceiptReply: Sendable {
  /// Apple knows it, and agrees with the receipt: the facts of both.
  case facts(VerifiedPayment, evidence: String)
  /// Apple does not confirm it: it is not authentic, or differs from the receipt.
  case unknownToApple
  /// The answer is not known yet; asking again before this time is useless.
  case later(Timestamp?)
}

extension PaymentEngine {
  /// Whether Apple can be asked about the contents of a receipt.
  func asksAboutReceipts(of app: AppPolicy) -> Bool {
    appStore?.gateways[app.id] != nil || appStore?.receiptGateways[app.id] != nil
  }

  /// Whether Apple can still be asked a recorded question.
  func canBeAsked(_ appStoreTask: AppStoreTask, for app: AppPolicy) -> Bool {
    if appStore?.gateways[app.id] != nil { return true }
    guard appStore?.receiptGateways[app.id] != nil,
      case .receipt? = appStoreTask.shown.flatMap({ ShownEvidence(text: $0) })
    else {
      return false
    }
    return true
  }

  /// The last resort for a purchase that waits for Apple's answer. It asks `verifyReceipt` if the App Store Server
  /// API could not be asked or does not know the purchase.
  ///
  /// The answer of `verifyReceipt` has no signature. So the receipt is verified here once more. Apple's answer, with
  /// the token that receipts do not show, completes it only if both agree in every deciding field.
  /// - Returns: nil if `verifyReceipt` is not allowed, or no receipt was presented.
  func askVerifyReceipt(
    about appStoreTask: AppStoreTask, for app: AppPolicy, _ priority: StoreCallPriority
  ) async throws -> VerifyReceiptReply? {
    guard let gateway = appStore?.receiptGateways[app.id], let identity = appStore?.identity(of: app.id),
      case .receipt(let digest)? = appStoreTask.shown.flatMap({ ShownEvidence(text: $0) }),
      let text = try await read({ try $0.receipt(digest: digest) }), let form = ReceiptForm(text),
      case .read(let reading) = readReceipt(text, form, for: app, identity: identity),
      let purchase = reading.purchases.first(where: { $0.key(in: app) == appStoreTask.payment }),
      try await isUndecided(appStoreTask.payment)
    else { return nil }
    let shown = purchase.facts(in: app)
    switch await decoded(text, digest: digest, by: gateway, priority) {
    case .failure(let word): return word
    case .success(let answer):
      let said = answer.facts(of: appStoreTask.payment.transaction, in: app, identity)
      guard let said, let facts = said.completing(shown) else { return contradicted(shown, said, app: app) }
      return .facts(facts, evidence: answer.evidence(of: appStoreTask.payment.transaction, digest: digest))
    }
  }

  /// Whether the payment is unknown or held; for a known payment `verifyReceipt` adds nothing to the receipt.
  private func isUndecided(_ key: PaymentKey) async throws -> Bool {
    try await read { reader in
      guard let known = try reader.payment(reader.duplicate(key)?.of ?? key) else { return true }
      return known.state == .held(.environmentUnknown)
    }
  }

  /// The last resort for a receipt of iOS 6 if its signer cannot be proven here. Apple's decoded form is the only
  /// source.
  ///
  /// - Returns: nil if `verifyReceipt` is not allowed, or this user exceeds the limit of questions.
  func askVerifyReceipt(
    aboutUnproven text: String, of transaction: TransactionIdentifier, by user: UserIdentifier, for app: AppPolicy
  ) async -> VerifyReceiptReply? {
    guard let appStore, let gateway = appStore.receiptGateways[app.id], let identity = appStore.identity(of: app.id),
      await appStore.lookups.allows(user, in: app.id, at: dependencies.now(), most: limits.bareQuestionsPerHour)
    else { return nil }
    let digest = APIKeyText.digest(of: text)
    switch await decoded(text, digest: digest, by: gateway, .livePurchase) {
    case .failure(let word): return word
    case .success(let answer):
      guard let facts = answer.facts(of: transaction, in: app, identity) else {
        return contradicted(nil, nil, app: app)
      }
      return .facts(facts, evidence: answer.evidence(of: transaction, digest: digest))
    }
  }

  /// Logs an error: an answer over TLS that contradicts a signature is serious.
  private func contradicted(
    _ shown: VerifiedPayment?, _ said: VerifiedPayment?, app: AppPolicy
  ) -> VerifyReceiptReply {
    metrics.count(.appStoreAnswersRefusedTotal)
    let differs = shown.flatMap { shown in said.map { $0.differences(from: shown).joined(separator: " ") } }
    log(
      LogEvent(.error, "appStore.receiptContradicted", [("app", app.id.text), ("differs", differs ?? "notListed")]))
    return .unknownToApple
  }

  // MARK: asking

  private enum Decoded {
    case success(DecodedReceipt)
    case failure(VerifyReceiptReply)
  }

  /// Sends a receipt to Apple, or uses Apple's recent answer. One receipt shows many purchases, and each of them is a
  /// separate question.
  private func decoded(
    _ text: String, digest: String, by gateway: AppStoreGateway, _ priority: StoreCallPriority
  ) async -> Decoded {
    let now = dependencies.now()
    if let known = await appStore?.receiptAnswers.answer(of: digest, at: now) { return .success(known) }
    guard let request = VerifyReceiptRequest(repairing: text) else { return .failure(.unknownToApple) }
    let reply = await gateway.verify(request, priority: priority)
    switch reply.outcome {
    case .answered(let response):
      let answer = DecodedReceipt(response: response, environment: reply.environment, answeredAt: dependencies.now())
      await appStore?.receiptAnswers.keep(answer, of: digest)
      return .success(answer)
    case .refused(let error):
      // A wrong secret is a configuration error here; until it is fixed, nothing is known about the receipt.
      return .failure(error.code == .wrongSecret ? .later(nil) : .unknownToApple)
    case .elsewhere: return .failure(.later(nil))
    case .unknown(.busy(let until)): return .failure(.later(until))
    case .unknown: return .failure(.later(nil))
    }
  }
}

/// Apple's decoded form of a receipt, and the environment that decoded it.
struct DecodedReceipt: Sendable {
  let response: VerifyReceiptResponse
  /// The host that decoded it.
  let environment: AppStoreEnvironment
  let answeredAt: Timestamp

  /// The payment in the answer with a given transaction id. It is nil if the answer does not list it, is for another
  /// app, or lacks required fields. Apple decodes receipts of any app: an answer alone is no proof (1B.10).
  func facts(of transaction: TransactionIdentifier, in app: AppPolicy, _ identity: AppIdentity) -> VerifiedPayment? {
    guard let receipt = response.receipt, receipt.bundleId == identity.bundleId,
      let entry = response.transactions.first(where: { $0.transactionId == transaction.text }),
      let product = entry.productId, (1...255).contains(product.utf8.count), let purchaseDate = entry.purchaseDate,
      let quantity = entry.quantity, (1...Int64(Int32.max)).contains(quantity),
      let original = PaymentEngine.number(entry.originalTransactionId ?? transaction.text),
      let environment = environment(in: app)
    else { return nil }
    let storeProduct = StoreProductIdentifier(product)
    var facts = VerifiedPayment(
      key: PaymentKey(app: app.id, store: .appStore, environment: environment, transaction: transaction),
      originalTransaction: original, storeProduct: storeProduct,
      kind: app.catalog.product(for: storeProduct)?.kind ?? .consumable, quantity: Int(quantity),
      purchaseDate: purchaseDate, signedDate: entry.cancellationDate ?? purchaseDate)
    facts.originalPurchaseDate = entry.originalPurchaseDate
    facts.expiresDate = entry.expiresDate
    facts.webOrderLineItem = entry.webOrderLineItemId
    facts.revocation = entry.cancellationDate.map { Revocation(date: $0) }
    facts.token = entry.appAccountToken.flatMap { OrderIdentifier($0) }
    facts.isUpgraded = entry.isUpgraded ?? false
    switch entry.inAppOwnershipType {
    case nil, .known(.purchased): facts.ownership = .purchased
    case .known(.familyShared): facts.ownership = .familyShared
    case .known(.assigned): facts.ownership = .assigned
    case .raw(let word): facts.ownership = .unknown(word)
    }
    return facts
  }

  /// The environment of the purchases that the host decodes; nil if the app does not accept them.
  private func environment(in app: AppPolicy) -> StoreEnvironment? {
    guard app.home == .production else { return app.home }
    let environment: StoreEnvironment = environment == .production ? .production : .sandbox
    return app.acceptedEnvironments.contains(environment) ? environment : nil
  }

  /// The stored evidence: the entry as Apple wrote it, and the digest of the receipt.
  func evidence(of transaction: TransactionIdentifier, digest: String) -> String {
    let entry = response.transactions.first { $0.transactionId == transaction.text }
    return JSONValue.members([
      ("receipt", .string(digest)), ("transactionId", .string(transaction.text)),
      ("verifyReceipt", entry?.source), ("environment", .string(environment.rawValue)),
    ]).text
  }
}

extension VerifiedPayment {
  /// The deciding fields in which the facts of an answer differ from those of a verified receipt. These are product,
  /// quantity, transaction and time. A price decides nothing.
  func differences(from shown: VerifiedPayment) -> [String] {
    var names: [String] = []
    if key.transaction != shown.key.transaction { names.append("transactionId") }
    if originalTransaction != shown.originalTransaction { names.append("originalTransactionId") }
    if storeProduct != shown.storeProduct { names.append("productId") }
    if quantity != shown.quantity { names.append("quantity") }
    if purchaseDate.seconds != shown.purchaseDate.seconds { names.append("purchaseDate") }
    // A receipt of iOS 6 has no signed environment: there the host decides.
    if key.environment != shown.key.environment, shown.key.environment != .undetermined { names.append("environment") }
    return names
  }

  /// The facts of a verified receipt, completed with Apple's answer; nil if the two differ.
  fileprivate func completing(_ shown: VerifiedPayment) -> VerifiedPayment? {
    guard differences(from: shown).isEmpty else { return nil }
    var facts = shown
    facts.key = key
    (facts.token, facts.ownership, facts.isUpgraded) = (token, ownership, isUpgraded)
    facts.webOrderLineItem = shown.webOrderLineItem ?? webOrderLineItem
    if facts.revocation == nil, let revocation {
      facts.revocation = revocation
      facts.signedDate = max(signedDate, shown.signedDate)
    }
    return facts
  }
}

/// Apple's recent answers about receipts, so that a long receipt is sent once and not for each of its purchases.
actor ReceiptAnswers {
  /// The number of receipts processed at a time; a long one takes a megabyte.
  private static let most = 8
  /// The lifetime of an answer. A refund may come at any time, so an answer serves only the questions of one
  /// submission.
  private static let life = TimeSpan.minutes(1)

  private var answers: [(digest: String, answer: DecodedReceipt)] = []

  func answer(of digest: String, at now: Timestamp) -> DecodedReceipt? {
    answers.removeAll { $0.answer.answeredAt + Self.life < now }
    return answers.first { $0.digest == digest }?.answer
  }

  func keep(_ answer: DecodedReceipt, of digest: String) {
    answers.removeAll { $0.digest == digest }
    if answers.count >= Self.most { answers.removeFirst() }
    answers.append((digest, answer))
  }
}

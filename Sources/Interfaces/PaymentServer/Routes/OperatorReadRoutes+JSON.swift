import CounterfoilAPI
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

// The answers. None contains a signed text: such a text can be presented again.
extension OperatorReadRoutes {
  static func json(_ result: SearchResult) -> JSONValue {
    .members([
      ("tried", .array(result.tried.map { .string($0.rawValue) })),
      ("hits", .array(result.hits.map(json))), ("more", .bool(result.hasMore)),
    ])
  }

  private static func json(_ hit: SearchHit) -> JSONValue {
    .members([
      ("kind", .string(hit.kind.rawValue)), ("app", .string(hit.appEnvironment.app.text)),
      ("environment", .string(hit.appEnvironment.environment.rawValue)),
      ("store", hit.store.map { .string($0.rawValue) }), ("id", .string(hit.id)), ("title", .string(hit.title)),
      ("state", hit.state.map(JSONValue.string)),
    ])
  }

  static func json(_ story: OrderStory, _ personal: PersonalView) -> JSONValue {
    let order = story.details.order
    let payments = (story.details.payment.map { [$0] } ?? []) + story.unmatched
    return .members(
      [
        ("order", OrderBody(story.details, personal).json),
        ("supportCode", .string(SupportCode(of: order.key.id).description)),
        ("alsoIn", .array(story.counterparts.map { .string($0.rawValue) })),
        ("frozenBecause", order.frozenBecause.map(JSONValue.string)),
        ("payments", .array(payments.map(OperatorRoutes.json))),
        ("deliveries", .array(story.details.deliveries.map { DeliveryRoutes.json($0, personal) })),
        ("stopped", .array(story.stopped.map(OperatorRoutes.json))),
      ] + members(story.relations) + members(story.journal, personal))
  }

  static func json(_ story: PaymentStory, _ call: Call) -> JSONValue {
    let advice = story.payment?.state.resolution?.advice[call.language]
    return .members(
      [
        ("transactionId", .string(story.key.transaction.text)),
        ("duplicateOf", story.duplicateOf.map { .string($0.transaction.text) }),
        ("payment", story.payment.map(OperatorRoutes.json)), ("advice", advice.map(JSONValue.string)),
        ("match", story.payment?.match.map(json)), ("signed", story.payment.map { json($0.facts, call) }),
        ("deliveries", .array(story.deliveries.map { DeliveryRoutes.json($0, call.personal) })),
        ("stopped", .array(story.stopped.map(OperatorRoutes.json))),
        ("evidence", .array(story.evidence.map(json))),
      ] + members(story.relations) + members(story.journal, call.personal))
  }

  /// The id itself is left out: a text in a path may be anything, even a key.
  static func json(
    _ story: UserStory, in appEnvironment: AppEnvironment, _ catalog: Catalog, at now: Timestamp,
    for personal: PersonalView
  ) -> JSONValue {
    let environment = appEnvironment.environment
    return .members([
      ("environment", .string(environment.rawValue)),
      ("orders", .array(story.orders.orders.map { OrderBody($0, personal).json })),
      ("next", story.orders.next.map { .string($0.description) }),
      ("payments", .array(story.payments.map(OperatorRoutes.json))), ("morePayments", .bool(story.hasMorePayments)),
      (
        "balances",
        .array(
          story.balances.map {
            var body = BalanceBody(unit: $0.unit, amount: $0.amount, environment: environment)
            body.frozenSince = $0.frozenSince
            return body.json
          })
      ),
      (
        "entitlements",
        .array(story.entitlements.map { EntitlementBody($0, catalog, environment: environment).json })
      ), ("promotionalEntitlements", .array(story.promotional.map { PromotionalEntitlementBody($0, at: now).json })),
      ("refundRatio", WalletRoutes.json(story.refundRatio, in: appEnvironment)),
    ])
  }

  static func json(_ notification: ReceivedNotification, _ forward: NotificationForward?) -> JSONValue {
    .members([
      ("id", .string(notification.id)), ("type", .string(notification.type)),
      ("subtype", notification.subtype.map(JSONValue.string)),
      ("environment", .string(notification.appEnvironment.environment.rawValue)),
      ("transactionId", notification.transaction.map { .string($0.text) }),
      ("signedDate", .string(notification.signedDate.iso8601)),
      ("receivedAt", .string(notification.receivedAt.iso8601)), ("effect", .string(notification.effect.rawValue)),
      (
        "forward",
        forward.map {
          .members([
            ("state", .string(DeliveryRoutes.word($0.state))), ("attempts", .integer($0.attempts)),
            ("lastProblem", $0.lastProblem.map(JSONValue.string)),
          ])
        }
      ),
    ])
  }

  // MARK: parts

  private static func members(_ relations: PaymentRelations) -> [(String, JSONValue?)] {
    [
      ("grant", relations.grant.map(json)), ("changes", .array(relations.changes.map(json))),
      ("refunds", .array(relations.refunds.map { RefundBody($0).json })),
      ("keptClaims", .array(relations.keptClaims.map(json))),
    ]
  }

  private static func members(_ journal: JournalPart, _ personal: PersonalView) -> [(String, JSONValue?)] {
    [
      ("journal", .array(journal.entries.map { json($0, personal) })), ("journalOmitted", .integer(journal.omitted)),
    ]
  }

  private static func json(_ grant: Grant) -> JSONValue {
    var content: [(String, JSONValue?)]
    switch grant.content {
    case .units(let unit, let amount): content = [("unit", .string(unit.text)), ("amount", .integer(amount))]
    case .entitlement(let name, let start, let end):
      content = [
        ("entitlement", .string(name.text)), ("startsAt", .string(start.iso8601)),
        ("expiresAt", end.map { .string($0.iso8601) }),
      ]
    }
    return .members(
      [("userId", .string(grant.user.text)), ("productId", .string(grant.promise.product.text))] + content + [
        ("takenBack", .integer(grant.takenBack)), ("grantedAt", .string(grant.grantedAt.iso8601)),
      ])
  }

  private static func json(_ change: GrantChange) -> JSONValue {
    .members([
      ("kind", .string(change.kind.rawValue)), ("cause", .string(change.cause)), ("amount", .integer(change.amount)),
      ("at", .string(change.at.iso8601)),
    ])
  }

  private static func json(_ kept: KeptClaim) -> JSONValue {
    let claim = OwnershipClaim(text: kept.claim)
    return .members([
      ("userId", claim.map { .string($0.user.text) }), ("proof", claim.map { .string($0.proof.rawValue) }),
      ("restore", claim.map { .bool($0.isRestore) }), ("keptAt", .string(kept.keptAt.iso8601)),
    ])
  }

  /// The answer is foreign text, and may be no text at all.
  static func json(_ attempt: DeliveryAttempt) -> JSONValue {
    .members([
      ("number", .integer(attempt.number)), ("at", .string(attempt.at.iso8601)),
      ("endpoint", .string(attempt.endpoint)),
      ("status", attempt.status.map { .integer($0) }), ("milliseconds", .integer(attempt.milliseconds)),
      ("problem", attempt.problem.map(JSONValue.string)),
      ("answer", attempt.answer.isEmpty ? nil : .string(String(decoding: attempt.answer, as: UTF8.self))),
    ])
  }

  static func json(_ entry: JournalEntry, _ personal: PersonalView) -> JSONValue {
    .members([
      ("at", .string(entry.at.iso8601)), ("what", .string(entry.what)),
      ("orderId", entry.order.map { .string($0.description) }),
      ("transactionId", entry.payment.map { .string($0.transaction.text) }),
      ("details", personal.details(of: entry).flatMap { try? JSONReader.read($0.utf8) }),
    ])
  }

  private static func json(_ evidence: Evidence) -> JSONValue {
    .members([
      ("origin", .string(evidence.origin.rawValue)), ("bytes", .integer(evidence.text.utf8.count)),
      ("receivedAt", .string(evidence.receivedAt.iso8601)),
    ])
  }

  private static func json(_ match: MatchRecord) -> JSONValue {
    .members([
      ("rule", .string(match.rule.rawValue)),
      ("flags", .array(match.flags.map(\.rawValue).sorted().map(JSONValue.string))),
      ("at", .string(match.at.iso8601)),
    ])
  }

  /// Stands for a value that the caller's role does not show.
  private static let masked = JSONValue.string("***")

  private static func json(_ facts: VerifiedPayment, _ call: Call) -> JSONValue {
    .members([
      ("kind", .string(facts.kind.rawValue)), ("originalTransactionId", .string(facts.originalTransaction.text)),
      ("webOrderLineItemId", facts.webOrderLineItem.map(JSONValue.string)),
      ("appAccountToken", facts.token.map { .string($0.appAccountToken) }),
      // It identifies the buyer's Apple account.
      ("appTransactionId", facts.appTransaction.map { call.seesPersonalData ? .string($0) : masked }),
      ("signedDate", .string(facts.signedDate.iso8601)),
      ("expiresAt", facts.expiresDate.map { .string($0.iso8601) }),
      ("revokedAt", facts.revocation.map { .string($0.date.iso8601) }),
      (
        "price",
        facts.price.map { .members([("milliunits", .integer($0.milliunits)), ("currency", .string($0.currency))]) }
      ),
    ])
  }
}

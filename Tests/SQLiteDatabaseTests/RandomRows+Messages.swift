import PaymentModel
import PaymentPrimitives
import TestDoubles

extension RandomRows {
  mutating func delivery(of key: PaymentKey, sequence: Int) -> Delivery {
    var delivery = Delivery(
      id: DeliveryIdentifier(uniqueText()), payment: key,
      order: chance.oneIn(2) ? orderIdentifier() : nil,
      kind: chance.one(of: Delivery.Kind.allCases), sequence: sequence, body: text(),
      createdAt: moment())
    change(&delivery)
    return delivery
  }

  mutating func change(_ delivery: inout Delivery) {
    delivery.state = chance.one(of: [.pending, .acknowledged(at: moment()), .parked(at: moment())])
    delivery.attempts = Int(number())
    delivery.nextAttemptAt = moment()
    delivery.lease = chance.oneIn(2) ? Lease(until: moment(), fence: number()) : nil
    delivery.lastProblem = chance.oneIn(2) ? text() : nil
  }

  mutating func keptClaim(of payment: PaymentKey) -> KeptClaim {
    KeptClaim(payment: payment, claim: text(), keptAt: moment())
  }

  mutating func journalEntry(order: OrderKey?, payment: PaymentKey?) -> JournalEntry {
    var entry = JournalEntry(
      appEnvironment: order?.appEnvironment ?? appEnvironment(), at: moment(),
      stored: chance.oneIn(3) ? chance.one(of: JournalEvent.listed).name : text(), order: order?.id,
      payment: payment, details: text())
    if chance.oneIn(2) { entry.event = text() }
    return entry
  }

  mutating func notification(in appEnvironment: AppEnvironment) -> ReceivedNotification {
    ReceivedNotification(
      appEnvironment: appEnvironment, id: uniqueText(), type: text(), subtype: chance.oneIn(2) ? text() : nil,
      signedDate: moment(), transaction: chance.oneIn(2) ? identifier() : nil,
      signedPayload: text(), receivedAt: moment(),
      effect: chance.one(of: ReceivedNotification.Effect.allCases))
  }

  mutating func apiKey() -> APIKey {
    var key = APIKey(
      id: CredentialIdentifier(uniqueText()), app: identifier(),
      kind: chance.one(of: APIKey.Kind.allCases), digest: text(), label: text(),
      createdAt: moment(), role: chance.oneIn(2) ? chance.one(of: OperatorRole.allCases) : nil,
      expiresAt: chance.oneIn(2) ? moment() : nil, mayCredit: chance.oneIn(2),
      mayGiveEntitlements: chance.oneIn(2), mayErase: chance.oneIn(2))
    if chance.oneIn(2) { key.usedAt = moment() }
    if chance.oneIn(2) { key.revokedAt = moment() }
    return key
  }
}

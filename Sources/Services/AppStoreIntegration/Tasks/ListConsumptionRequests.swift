import AppStoreProtocol
import PaymentDatabase
package import PaymentEngine
package import PaymentModel
package import PaymentPrimitives
package import StrictJSON

/// An open consumption request of Apple, with what Apple would be sent now.
package struct OpenConsumptionRequest: Hashable, Sendable {
  package let payment: PaymentKey
  /// When Apple signed it.
  package let askedAt: Timestamp
  /// Until when Apple takes an answer.
  package let deadline: Timestamp
  package let nextAttemptAt: Timestamp
  package let attempts: Int
  /// Why the customer wants the money back, in Apple's word.
  package let reason: String?
  package let user: UserIdentifier?
  package let isConsented: Bool
  /// What Apple would be sent, field by field. Nil if nothing of the purchase is left, or if the app does not answer
  /// Apple.
  package let answer: JSONValue?
}

extension PaymentEngine {
  /// The open consumption requests of an app environment, the earliest deadline first.
  package func openConsumptionRequests(
    in appEnvironment: AppEnvironment, for app: AppPolicy
  ) async throws -> [OpenConsumptionRequest] {
    let policy = appStore?.server(of: app.id)?.consumption
    let now = dependencies.now()
    return try await read { reader in
      let records = ConsumptionRecords(reader: reader, app: app)
      return try reader.consumptionRequests(in: appEnvironment, limit: Self.listedMax).map { task in
        let known = try records.facts(of: task.payment)
        let consent = try known?.user.flatMap { try reader.consumptionConsent(of: $0, in: app.homeEnvironment) }
        let asked = try reader.journal(of: reader.duplicate(task.payment)?.of ?? task.payment)
          .last { $0.what == JournalEvent.consumptionAsked.name }
        let details = asked.flatMap { try? JSONReader.read($0.details.utf8) }
        let answer = known.flatMap { known in policy.map { ConsumptionAnswer.request(known.facts, $0, at: now) } }
        return OpenConsumptionRequest(
          payment: task.payment, askedAt: task.createdAt, deadline: task.createdAt + Self.consumptionAnswerSpan,
          nextAttemptAt: task.dueAt, attempts: task.tries, reason: details?["reason"]?.string, user: known?.user,
          isConsented: consent?.isGiven ?? false, answer: answer.map(Self.json))
      }
    }
  }

  private static func json(_ answer: ConsumptionRequest) -> JSONValue {
    .members([
      ("deliveryStatus", .string(answer.deliveryStatus.rawValue)),
      ("sampleContentProvided", .bool(answer.sampleContentProvided)),
      ("consumptionPercentage", answer.consumptionPercentage.map { .integer($0) }),
      ("refundPreference", answer.refundPreference.map { .string($0.rawValue) }),
    ])
  }

  /// The outcomes of earlier consumption requests since then, the newest first.
  package func consumptionOutcomes(
    in appEnvironment: AppEnvironment, since moment: Timestamp
  ) async throws -> [JournalEntry] {
    let events: [JournalEvent] = [
      .consumptionAnswered, .consumptionNotAnswered, .consumptionRefused, .consumptionAskedTooLate,
    ]
    let found = try await read { reader in
      try events.flatMap {
        try reader.journal(telling: $0, since: moment, in: appEnvironment, limit: Self.listedMax)
      }
    }
    return Array(found.sorted { $0.at > $1.at }.prefix(Self.listedMax))
  }
}

import CounterfoilAPI
import Cryptography
import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives

/// An entitlement that a backend or an operator gives a user until a date, without a payment.
package struct PromotionalRequest: Hashable, Sendable {
  package var user: UserIdentifier
  package var entitlement: EntitlementName
  package var until: Timestamp
  /// The caller's own id of it: the same id always means the same one.
  package var key: String
  package var reason: String
  /// The key or the operator account that gives it.
  package var by: String

  package init(
    user: UserIdentifier, entitlement: EntitlementName, until: Timestamp, key: String, reason: String, by name: String
  ) {
    self.user = user
    self.entitlement = entitlement
    self.until = until
    self.key = key
    self.reason = reason
    self.by = name
  }

  /// The giver is no part of it: a request may be repeated with a new key of the same backend.
  fileprivate var digest: String {
    let texts = [user.text, entitlement.text, until.iso8601, reason]
    return Array(SHA256.hash(StableBytes.of(texts))).hexadecimal
  }
}

/// A promotional entitlement, and whether this call gave it or took it back.
package struct PromotionalAnswer: Hashable, Sendable {
  package let promotional: PromotionalEntitlement
  package let isNew: Bool
}

/// What a user has a right to: by payments, and without one.
package struct UserEntitlements: Hashable, Sendable {
  package let paid: [Entitlement]
  /// One for each entitlement, by name.
  package let promotional: [PromotionalEntitlement]
}

extension PaymentEngine {
  /// Gives a user an entitlement until a date. It is no grant: no refund takes it back, and no paid period moves.
  ///
  /// A repetition with the same id returns it as it is now.
  /// - Throws: `entitlementUnknown` naming those of the catalog, `promotionalEndNotAllowed`, `promotionalLimitReached`,
  ///   `idempotencyKeyReused` for the same id with another request.
  package func giveEntitlement(
    _ request: PromotionalRequest, in appEnvironment: AppEnvironment
  ) async throws -> PromotionalAnswer {
    let limits = limits
    guard let app = apps[appEnvironment.app] else { throw CodedError<EngineErrorCode>(.entitlementUnknown) }
    let answer = try await transact { transaction in
      if let known = try transaction.promotionalEntitlement(request.key, in: appEnvironment) {
        guard known.requestDigest == request.digest else { throw CodedError<EngineErrorCode>(.idempotencyKeyReused) }
        return PromotionalAnswer(promotional: known, isNew: false)
      }
      try Self.check(request, app, at: transaction.now, within: limits)
      try transaction.refuseErasure(of: request.user, in: appEnvironment)
      let user = try transaction.present(request.user, in: appEnvironment)
      let running = try transaction.promotionalEntitlements(
        of: user, in: appEnvironment, limit: limits.promotionalPerUser
      ).filter { $0.until > transaction.now }
      guard running.count < limits.promotionalPerUser else {
        throw CodedError<EngineErrorCode>(
          .promotionalLimitReached, "\(limits.promotionalPerUser) that end later were given to this user.")
      }
      let promotional = PromotionalEntitlement(
        appEnvironment: appEnvironment, key: request.key, user: user, entitlement: request.entitlement,
        givenAt: transaction.now, until: request.until, reason: request.reason, givenBy: request.by,
        requestDigest: request.digest)
      try transaction.insert(promotional)
      if let making = EventMaking(app, at: transaction.now) { try transaction.tell(making.given(promotional)) }
      return PromotionalAnswer(promotional: promotional, isNew: true)
    }
    if answer.isNew {
      metrics.count(.promotionalGivenTotal, [("environment", appEnvironment.environment.rawValue)])
    }
    return answer
  }

  private static func check(
    _ request: PromotionalRequest, _ app: AppPolicy, at now: Timestamp, within limits: EngineLimits
  ) throws {
    let names = app.catalog.entitlementNames
    guard names.contains(request.entitlement) else {
      let known = names.isEmpty ? "none" : names.map(\.text).joined(separator: ", ")
      throw CodedError<EngineErrorCode>(
        .entitlementUnknown, "No product gives \(request.entitlement); configured: \(known).")
    }
    guard request.until > now, request.until <= now + limits.promotionalSpan else {
      let last = (now + limits.promotionalSpan).iso8601
      throw CodedError<EngineErrorCode>(.promotionalEndNotAllowed, "It must end after now and not after \(last).")
    }
  }

  /// Takes back an entitlement that was given without a payment. What the user paid for stays.
  ///
  /// - Parameter user: who has it, or had it before a merge.
  /// - Throws: `promotionalUnknown`.
  package func revokeEntitlement(
    _ key: String, of user: UserIdentifier, in appEnvironment: AppEnvironment, reason: String, by name: String
  ) async throws -> PromotionalAnswer {
    let app = apps[appEnvironment.app]
    return try await transact { transaction in
      guard var promotional = try transaction.promotionalEntitlement(key, in: appEnvironment),
        try transaction.present(user, in: appEnvironment) == promotional.user
      else { throw CodedError<EngineErrorCode>(.promotionalUnknown) }
      // Taken back stays taken back, with the first reason. What has ended by its date is not changed either.
      guard promotional.state(at: transaction.now) == .active else {
        return PromotionalAnswer(promotional: promotional, isNew: false)
      }
      promotional.end = PromotionalEntitlement.End(at: transaction.now, reason: reason, by: name)
      try transaction.update(promotional)
      if let app, let making = EventMaking(app, at: transaction.now) {
        try transaction.tell(making.revoked(promotional))
      }
      return PromotionalAnswer(promotional: promotional, isNew: true)
    }
  }

  /// What a user was given without a payment, those that hold longest first, and whether there is more.
  package func readPromotionalEntitlements(of user: UserIdentifier, in appEnvironment: AppEnvironment) async throws
    -> (promotional: [PromotionalEntitlement], hasMore: Bool)
  {
    let most = limits.promotionalListed
    let found = try await read { reader in
      let present = try reader.present(user, in: appEnvironment)
      return try reader.promotionalEntitlements(of: present, in: appEnvironment, limit: most + 1)
    }
    return (Array(found.prefix(most)), found.count > most)
  }
}

extension Catalog {
  /// The entitlements that its products give, retired ones included, in order.
  package var entitlementNames: [EntitlementName] {
    let names = products.compactMap { product -> EntitlementName? in
      guard case .entitlement(let name, _) = product.grant else { return nil }
      return name
    }
    return Set(names).sorted()
  }
}

extension EventMaking {
  func given(_ promotional: PromotionalEntitlement) -> EventBody {
    body(.promotionalEntitlementGiven, promotional, reason: promotional.reason)
  }

  func revoked(_ promotional: PromotionalEntitlement) -> EventBody {
    body(.promotionalEntitlementRevoked, promotional, reason: promotional.end?.reason)
  }

  private func body(_ type: EventType, _ promotional: PromotionalEntitlement, reason: String?) -> EventBody {
    var body = body(type, in: promotional.appEnvironment, cause: [promotional.key])
    body.user = promotional.user
    body.promotional = EventBody.Promotional(
      id: promotional.key, entitlement: promotional.entitlement, until: promotional.until)
    body.reason = reason
    return body
  }
}

public import PaymentPrimitives
public import StrictJSON

/// An entitlement that a user was given until a date without a payment, as the app's backend sees it.
public struct PromotionalEntitlementBody: Hashable, Sendable {
  /// The id by the one who gave it.
  public var id: String
  /// Who has it.
  public var user: UserIdentifier
  /// The entitlement.
  public var entitlement: EntitlementName
  /// Its state now: `active`, `expired` or `revoked`.
  public var state: EntitlementBody.State
  /// Its end.
  public var expiresAt: Timestamp
  /// Why it was given.
  public var reason: String
  /// The environment that it belongs to.
  public var environment: StoreEnvironment
  /// When it was given.
  public var givenAt: Timestamp
  /// When it was taken back; nil if it was not.
  public var revokedAt: Timestamp?
  /// Why it was taken back.
  public var revokeReason: String?

  /// One with its required fields.
  public init(
    id: String, user: UserIdentifier, entitlement: EntitlementName, state: EntitlementBody.State,
    expiresAt: Timestamp, reason: String, environment: StoreEnvironment, givenAt: Timestamp
  ) {
    self.id = id
    self.user = user
    self.entitlement = entitlement
    self.state = state
    self.expiresAt = expiresAt
    self.reason = reason
    self.environment = environment
    self.givenAt = givenAt
  }

  /// It as in an answer.
  public var json: JSONValue {
    .members([
      ("id", .string(id)), ("userId", .string(user.text)), ("entitlement", .string(entitlement.text)),
      ("state", .string(state.rawValue)), ("expiresAt", .string(expiresAt.iso8601)), ("reason", .string(reason)),
      ("source", .string(EntitlementBody.Source.promotional.rawValue)),
      ("environment", .string(environment.rawValue)), ("givenAt", .string(givenAt.iso8601)),
      ("revokedAt", revokedAt.map { .string($0.iso8601) }), ("revokeReason", revokeReason.map(JSONValue.string)),
    ])
  }
}

/// `POST /v1/users/{userId}/promotional-entitlements`: gives a user an entitlement until a date.
public enum GiveEntitlement {
  /// The request.
  public struct Request: Hashable, Sendable {
    /// The entitlement, as a product of the catalog gives it.
    public var entitlement: EntitlementName
    /// Its end, after now.
    public var until: Timestamp
    /// Why it is given.
    public var reason: String
    /// The caller's own id of it, unless the header `Idempotency-Key` names it: unique, for ever.
    public var id: String?
    /// The environment; default: the app's own.
    public var environment: StoreEnvironment?

    /// Reads a request.
    public init(json: JSONValue) throws(JSONFieldError) {
      let fields = try JSONFields(json)
      entitlement = EntitlementName(try fields.string("entitlement", bytesMax: 255))
      until = try fields.converted("until", "a moment, such as 2027-01-31T00:00:00Z", { Timestamp(iso8601: $0) })
      reason = try fields.converted("reason", "a text of 1 to 1024 bytes") {
        (1...1024).contains($0.utf8.count) ? $0 : nil
      }
      id = try fields.optionallyConverted("id", "a text of 1 to 255 bytes") {
        (1...255).contains($0.utf8.count) ? $0 : nil
      }
      environment = try fields.optionallyConverted(
        "environment", "an environment", StoreEnvironment.init(rawValue:))
    }
  }
}

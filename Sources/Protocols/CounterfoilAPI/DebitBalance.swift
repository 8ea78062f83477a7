public import PaymentPrimitives
public import StrictJSON

/// `POST /v1/users/{userId}/balances/{unit}/debits`: takes spent units from a user, under the backend's own id.
public enum DebitBalance {
  /// The request.
  public struct Request: Hashable, Sendable {
    /// Units spent, more than 0.
    public var amount: Int64
    /// The backend's own id of the debit, unless the header `Idempotency-Key` names it: unique, for ever.
    public var id: String?
    /// The reason of the debit.
    public var reason: String?
    /// The backend's own data, an object of at most 2 kB as JSON.
    public var metadata: JSONValue?
    /// The environment; default: the app's own.
    public var environment: StoreEnvironment?

    /// A debit of `amount` units.
    public init(amount: Int64, id: String? = nil) {
      self.amount = amount
      self.id = id
    }

    /// Reads a request.
    public init(json: JSONValue) throws(JSONFieldError) {
      let fields = try JSONFields(json)
      amount = try fields.integer("amount", in: 1...ContractLimits.debitMax)
      id = try fields.optionallyConverted("id", "a text of 1 to 255 bytes") {
        (1...255).contains($0.utf8.count) ? $0 : nil
      }
      reason = try fields.optionalString("reason", bytesMax: 1024)
      metadata = fields.value("metadata")
      if let metadata {
        guard metadata.object != nil, metadata.text.utf8.count <= ContractLimits.metadataBytesMax else {
          throw JSONFieldError(
            path: "metadata", expected: "an object of at most \(ContractLimits.metadataBytesMax) bytes as JSON")
        }
      }
      environment = try fields.optionallyConverted(
        "environment", "an environment", StoreEnvironment.init(rawValue:))
    }

    /// The request as sent.
    public var json: JSONValue {
      .members([
        ("amount", .integer(amount)), ("id", id.map(JSONValue.string)), ("reason", reason.map(JSONValue.string)),
        ("metadata", metadata), ("environment", environment.map { .string($0.rawValue) }),
      ])
    }
  }
}

/// A booking on a balance, as in every answer: a debit or a credit of the backend, or a debt that was written off.
public struct BookingBody: Hashable, Sendable {
  /// The caller's own id of the booking.
  public var id: String
  /// `debit`, `credit` or `debtWrittenOff`.
  public var kind: String
  /// The user of the balance.
  public var user: UserIdentifier
  /// The unit of the balance.
  public var unit: UnitName
  /// The number of units.
  public var amount: Int64
  /// The current balance of the user, also for an old booking.
  public var balance: Int64
  /// The environment of the booking.
  public var environment: StoreEnvironment
  /// The reason of the booking.
  public var reason: String?
  /// The caller's own data.
  public var metadata: JSONValue?
  /// When it was booked.
  public var createdAt: Timestamp

  /// A booking with its required fields.
  public init(
    id: String, kind: String, user: UserIdentifier, unit: UnitName, amount: Int64, balance: Int64,
    environment: StoreEnvironment, createdAt: Timestamp
  ) {
    self.id = id
    self.kind = kind
    self.user = user
    self.unit = unit
    self.amount = amount
    self.balance = balance
    self.environment = environment
    self.createdAt = createdAt
  }

  /// The booking as in an answer.
  public var json: JSONValue {
    .members([
      ("id", .string(id)), ("kind", .string(kind)), ("userId", .string(user.text)), ("unit", .string(unit.text)),
      ("amount", .integer(amount)), ("balance", .integer(balance)), ("environment", .string(environment.rawValue)),
      ("reason", reason.map(JSONValue.string)), ("metadata", metadata), ("createdAt", .string(createdAt.iso8601)),
    ])
  }
}

import PaymentPrimitives

// The names are those of the HTTP API, so that a stored value reads like an answer of the server.

extension Entitlement: Codable {
  private enum CodingKeys: String, CodingKey {
    case entitlement, state, expiresAt, willRenew, renewsTo, gracePeriodExpiresAt, reason, store, environment, source
  }

  /// Reads an entitlement that `encode` wrote.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      EntitlementName(try values.decode(String.self, forKey: .entitlement)),
      state: State(rawValue: try values.decode(String.self, forKey: .state)),
      store: values.contains(.store) ? try values.named(.store, Store.init(rawValue:)) : nil,
      environment: try values.named(.environment, StoreEnvironment.init(rawValue:)),
      source: try values.decodeIfPresent(String.self, forKey: .source).map { Source(rawValue: $0) } ?? .payment)
    expiresAt = try values.date(.expiresAt)
    gracePeriodExpiresAt = try values.date(.gracePeriodExpiresAt)
    willRenew = try values.decodeIfPresent(Bool.self, forKey: .willRenew)
    renewsTo = try values.decodeIfPresent(String.self, forKey: .renewsTo).map { ProductIdentifier($0) }
    reason = try values.decodeIfPresent(String.self, forKey: .reason).map { Reason(rawValue: $0) }
  }

  /// Writes the entitlement with its dates in ISO 8601.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(entitlement.text, forKey: .entitlement)
    try values.encode(state.rawValue, forKey: .state)
    try values.encodeIfPresent(store?.rawValue, forKey: .store)
    if source != .payment { try values.encode(source.rawValue, forKey: .source) }
    try values.encode(environment.rawValue, forKey: .environment)
    try values.encodeIfPresent(expiresAt?.iso8601, forKey: .expiresAt)
    try values.encodeIfPresent(gracePeriodExpiresAt?.iso8601, forKey: .gracePeriodExpiresAt)
    try values.encodeIfPresent(willRenew, forKey: .willRenew)
    try values.encodeIfPresent(renewsTo?.text, forKey: .renewsTo)
    try values.encodeIfPresent(reason?.rawValue, forKey: .reason)
  }
}

extension Balance: Codable {
  private enum CodingKeys: String, CodingKey { case unit, amount, environment, frozenSince }

  /// Reads a balance that `encode` wrote.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      UnitName(try values.decode(String.self, forKey: .unit)), amount: try values.decode(Int64.self, forKey: .amount),
      environment: try values.named(.environment, StoreEnvironment.init(rawValue:)))
    frozenSince = try values.date(.frozenSince)
  }

  /// Writes the balance with its date in ISO 8601.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(unit.text, forKey: .unit)
    try values.encode(amount, forKey: .amount)
    try values.encode(environment.rawValue, forKey: .environment)
    try values.encodeIfPresent(frozenSince?.iso8601, forKey: .frozenSince)
  }
}

extension EntitlementSnapshot: Codable {
  private enum CodingKeys: String, CodingKey { case entitlements, statedAt, ageMilliseconds, isKept }

  /// Reads a snapshot that `encode` wrote.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    guard let statedAt = try values.date(.statedAt) else {
      throw DecodingError.dataCorruptedError(forKey: .statedAt, in: values, debugDescription: "It needs a date.")
    }
    self.init(
      try values.decode([Entitlement].self, forKey: .entitlements), statedAt: statedAt,
      age: .milliseconds(try values.decode(Int64.self, forKey: .ageMilliseconds)),
      isKept: try values.decode(Bool.self, forKey: .isKept))
  }

  /// Writes the snapshot with its date in ISO 8601.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(entitlements, forKey: .entitlements)
    try values.encode(statedAt.iso8601, forKey: .statedAt)
    try values.encode(age.milliseconds, forKey: .ageMilliseconds)
    try values.encode(isKept, forKey: .isKept)
  }
}

extension KeyedDecodingContainer {
  fileprivate func date(_ key: Key) throws -> Timestamp? {
    guard let text = try decodeIfPresent(String.self, forKey: key) else { return nil }
    guard let date = Timestamp(iso8601: text) else {
      throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "It is not a date.")
    }
    return date
  }

  fileprivate func named<Value>(_ key: Key, _ make: (String) -> Value?) throws -> Value {
    guard let value = make(try decode(String.self, forKey: key)) else {
      throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "The value is not known.")
    }
    return value
  }
}

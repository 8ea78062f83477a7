public import StrictJSON

/// `GET /v1/entitlements`: the entitlements of a user.
public enum ReadEntitlements {
  /// The path of the call.
  public static let path = "/v1/entitlements"

  /// The answer.
  public struct Response: Hashable, Sendable {
    /// The entitlements, each marked with its environment. Those of the sandbox are included if the app shows them.
    public var entitlements: [EntitlementBody]
    /// Those that were given without a payment. They stand apart, so that they never replace one that was paid, and
    /// readers that do not know them read on.
    public var promotional: [EntitlementBody]

    /// An answer with those entitlements.
    public init(entitlements: [EntitlementBody], promotional: [EntitlementBody] = []) {
      self.entitlements = entitlements
      self.promotional = promotional
    }

    /// All of them, those that were paid first.
    public var all: [EntitlementBody] { entitlements + promotional }

    /// Reads an answer.
    public init(json: JSONValue) throws(JSONFieldError) {
      let fields = try JSONFields(json)
      entitlements = try fields.bodies("entitlements", EntitlementBody.init(json:))
      promotional =
        fields.value("promotional") == nil ? [] : try fields.bodies("promotional", EntitlementBody.init(json:))
    }

    /// The answer as sent. A user without a promotional entitlement has no list of them.
    public var json: JSONValue {
      .members([
        ("entitlements", .array(entitlements.map(\.json))),
        ("promotional", promotional.isEmpty ? nil : .array(promotional.map(\.json))),
      ])
    }
  }
}

/// `GET /v1/balances`: the balances of a user.
public enum ReadBalances {
  /// The path of the call.
  public static let path = "/v1/balances"

  /// The answer.
  public struct Response: Hashable, Sendable {
    /// The balances, each marked with its environment. Those of the sandbox are included if the app shows them, and
    /// never added up.
    public var balances: [BalanceBody]

    /// An answer with those balances.
    public init(balances: [BalanceBody]) { self.balances = balances }

    /// Reads an answer.
    public init(json: JSONValue) throws(JSONFieldError) {
      let fields = try JSONFields(json)
      balances = try fields.bodies("balances", BalanceBody.init(json:))
    }

    /// The answer as sent.
    public var json: JSONValue { .members([("balances", .array(balances.map(\.json)))]) }
  }
}

extension JSONFields {
  /// The elements of a required list. An answer without the list is invalid; it does not mean that the user has
  /// nothing.
  fileprivate func bodies<Body>(
    _ name: String, _ read: (JSONValue) throws(JSONFieldError) -> Body
  ) throws(JSONFieldError) -> [Body] {
    guard value(name) != nil else { throw JSONFieldError(path: name, expected: "a list") }
    var bodies: [Body] = []
    for element in try array(name, countMax: ContractLimits.rightsMax) { bodies.append(try read(element)) }
    return bodies
  }
}

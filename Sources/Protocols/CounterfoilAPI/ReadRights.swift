public import StrictJSON

/// `GET /v1/entitlements`: what a user has a right to.
public enum ReadEntitlements {
  /// The path of the call.
  public static let path = "/v1/entitlements"

  /// What is answered.
  public struct Response: Hashable, Sendable {
    /// The rights, those of the sandbox beside the others where the app shows them, each marked with its world.
    public var entitlements: [EntitlementBody]

    /// An answer.
    public init(entitlements: [EntitlementBody]) { self.entitlements = entitlements }

    /// Reads an answer.
    public init(json: JSONValue) throws(JSONFieldError) {
      let fields = try JSONFields(json)
      entitlements = try fields.rights("entitlements", EntitlementBody.init(json:))
    }

    /// The answer as it is sent.
    public var json: JSONValue { .members([("entitlements", .array(entitlements.map(\.json)))]) }
  }
}

/// `GET /v1/balances`: how many units a user has.
public enum ReadBalances {
  /// The path of the call.
  public static let path = "/v1/balances"

  /// What is answered.
  public struct Response: Hashable, Sendable {
    /// The balances, those of the sandbox beside the others where the app shows them: marked, and never added up.
    public var balances: [BalanceBody]

    /// An answer.
    public init(balances: [BalanceBody]) { self.balances = balances }

    /// Reads an answer.
    public init(json: JSONValue) throws(JSONFieldError) {
      let fields = try JSONFields(json)
      balances = try fields.rights("balances", BalanceBody.init(json:))
    }

    /// The answer as it is sent.
    public var json: JSONValue { .members([("balances", .array(balances.map(\.json)))]) }
  }
}

extension JSONFields {
  /// The elements of a list that has to be there: an answer without it is none, and says nothing of what a user has.
  fileprivate func rights<Body>(
    _ name: String, _ read: (JSONValue) throws(JSONFieldError) -> Body
  ) throws(JSONFieldError) -> [Body] {
    guard value(name) != nil else { throw JSONFieldError(path: name, expected: "a list") }
    var bodies: [Body] = []
    for element in try array(name, countMax: ContractLimits.rightsMax) { bodies.append(try read(element)) }
    return bodies
  }
}

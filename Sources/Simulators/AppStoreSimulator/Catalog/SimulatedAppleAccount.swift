package import PaymentPrimitives
package import StrictJSON

extension IdentifierSubject {
  /// An Apple account of this simulator.
  package enum AppleAccount {}
}

/// Names an Apple account of this simulator: 1 to 64 letters, digits and `.-_@+`. Apps never see a name of a real
/// account.
package typealias AppleAccountIdentifier = Identifier<IdentifierSubject.AppleAccount>

package struct SimulatedAppleAccount: Hashable, Sendable {
  package var id: AppleAccountIdentifier
  package var storefront: Storefront
  /// A real account or a sandbox account; it never changes.
  package var environment: SimulatedEnvironment
  /// Whether the account's card can be charged. Otherwise purchases fail, and renewals enter billing retry (rule
  /// AS-BILL-1).
  package var canPay = true

  package init(
    id: AppleAccountIdentifier, storefront: Storefront = .china, environment: SimulatedEnvironment
  ) {
    self.id = id
    self.storefront = storefront
    self.environment = environment
  }
}

extension SimulatedAppleAccount {
  /// Reads an account.
  ///
  /// - Parameter environment: the default when the fields name none.
  init(_ fields: JSONFields, otherwise environment: SimulatedEnvironment? = nil) throws(JSONFieldError) {
    id = AppleAccountIdentifier(try fields.converted("account", Self.idForm, Names.account))
    storefront =
      try fields.optionallyConverted(
        "storefront", "the three letters of a country in the table of storefronts", Storefront.init(country:))
      ?? .china
    let word = try fields.optionallyConverted(
      "environment", "Production or Sandbox", SimulatedEnvironment.init(rawValue:))
    guard let environment = word ?? environment else {
      throw JSONFieldError(path: "environment", expected: "Production or Sandbox")
    }
    self.environment = environment
    canPay = try fields.optionalBool("canPay") ?? true
  }

  static let idForm = "1 to 64 letters, digits and .-_@+"

  /// The account as the log and the control API write it.
  package var json: JSONValue {
    .members([
      ("account", .string(id.text)), ("storefront", .string(storefront.country)),
      ("environment", .string(environment.rawValue)), ("canPay", canPay ? nil : .bool(false)),
    ])
  }
}

import AppStoreProtocol
package import PaymentPrimitives
import StrictJSON

/// Apps, products and accounts: the setup in App Store Connect and by the customer. Setting the same value again
/// changes nothing.
package struct AppStoreCatalog: Sendable {
  let store: SimulatedAppStore

  /// Adds an app, or changes its number, version or notification URL.
  ///
  /// - Throws: `fieldInvalid`, or `full`.
  nonisolated(nonsending) package func setApp(_ app: SimulatedApp) async throws(CodedError<SimulatorErrorCode>) {
    try Self.check(app)
    try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
      guard decision.state.apps[app.bundleId] != app else { return }
      guard decision.state.apps[app.bundleId] != nil || decision.state.apps.count < SimulatorLimits.appsMax else {
        throw CodedError(.full, "It has \(SimulatorLimits.appsMax) apps.")
      }
      decision.event = .appSet(app)
    }
  }

  /// Adds a product to an app, or changes everything but its kind.
  ///
  /// - Throws: `fieldInvalid`, `appUnknown`, `neverChanges`, or `full`.
  nonisolated(nonsending) package func setProduct(
    _ product: SimulatedProduct, bundleId: String
  ) async throws(CodedError<SimulatorErrorCode>) {
    try Self.check(product)
    try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
      let known = decision.state.products[try decision.app(bundleId).bundleId] ?? [:]
      guard known[product.id] != product else { return }
      // Rule AS-CAT-2.
      if let earlier = known[product.id], earlier.kind != product.kind {
        throw CodedError(.neverChanges, "\(product.id) is of type \(earlier.kind.type.rawValue).")
      }
      guard known[product.id] != nil || known.count < SimulatorLimits.productsMax else {
        throw CodedError(.full, "The app has \(SimulatorLimits.productsMax) products.")
      }
      decision.event = .productSet(product, bundleId: bundleId)
    }
  }

  /// Adds an account, or changes its storefront or whether it can pay.
  ///
  /// - Throws: `fieldInvalid`, `neverChanges`, or `full`.
  nonisolated(nonsending) package func setAccount(_ account: SimulatedAppleAccount) async throws(CodedError<
    SimulatorErrorCode
  >) {
    guard Names.account(account.id.text) != nil else {
      throw CodedError(.fieldInvalid, "account must be \(SimulatedAppleAccount.idForm).")
    }
    try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
      let known = decision.state.accounts[account.id]
      guard known != account else { return }
      // Rule AS-CAT-3.
      if let known, known.environment != account.environment {
        throw CodedError(.neverChanges, "\(account.id) buys in \(known.environment.rawValue).")
      }
      guard known != nil || decision.state.accounts.count < SimulatorLimits.accountsMax else {
        throw CodedError(.full, "It has \(SimulatorLimits.accountsMax) accounts.")
      }
      decision.event = .accountSet(account)
    }
  }

  /// The log must stay readable, so callers in this process have to use the same formats as callers from outside.
  private static func check(_ app: SimulatedApp) throws(CodedError<SimulatorErrorCode>) {
    try readable { () throws(JSONFieldError) in try SimulatedApp(JSONFields(app.json)) == app }
  }

  private static func check(_ product: SimulatedProduct) throws(CodedError<SimulatorErrorCode>) {
    try readable { () throws(JSONFieldError) in try SimulatedProduct(JSONFields(product.json)) == product }
  }

  private static func readable(
    _ comesBack: () throws(JSONFieldError) -> Bool
  ) throws(CodedError<SimulatorErrorCode>) {
    do throws(JSONFieldError) {
      guard try comesBack() else { throw JSONFieldError(path: "the body", expected: "readable") }
    } catch { throw CodedError(.fieldInvalid, "\(error)") }
  }
}

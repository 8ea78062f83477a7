public import StrictJSON

/// Optional details of a purchase besides product and quantity; the server returns them in every order and delivery.
public struct PurchaseDetails: Hashable, Sendable {
  /// Where in the app the purchase began, at most 64 bytes.
  public var scene: String?
  /// The app's own number, at most 64 characters, if the server lets apps set it; a backend must not do its accounting
  /// by it.
  public var reference: String?
  /// The app's own data, an object of at most 2,048 bytes as JSON.
  public var metadata: JSONValue?

  /// An offer that the store applies to the sale.
  public var offer: StoreOffer?
  /// The id of a promotional offer that Counterfoil's server signs for this order, instead of `offer`. Its
  /// configuration must list it in `user_offers`. The customer must have, or have had, a subscription of the app.
  public var promotionalOffer: String?
  /// The purchase from outside the app that this one carries out.
  public var promoted: PromotedPayment?

  /// No details.
  public init() {}
}

package import PaymentPrimitives

/// A signed-in user's claim to a payment, with the data of their device.
package struct OwnershipClaim: Hashable, Sendable {
  package var user: UserIdentifier
  /// What the evidence shows about the device.
  package var proof: Presentation.DeviceProof
  /// Matching orders stored on the device; ids refer only to orders of this user.
  package var orders: [OrderName]
  /// The order seen together with the transaction in one run of the app.
  package var sameRun: OrderName?
  /// Whether the user asked to restore earlier purchases.
  package var isRestore = false

  package init(
    user: UserIdentifier, proof: Presentation.DeviceProof, orders: [OrderName],
    sameRun: OrderName?
  ) {
    self.user = user
    self.proof = proof
    self.orders = orders
    self.sameRun = sameRun
  }

  /// Whether a grant could ever follow from it: data of another device, or copied data, claims nothing.
  package var mayCount: Bool { proof == .fits || proof == .missing }
}

extension HoldReason {
  /// Whether only the configuration prevents the grant.
  package var waitsForProduct: Bool { self == .productUnknown || self == .productKindDiffers }

  /// Whether a claim with which such a payment is presented is kept for later.
  ///
  /// Claims for ambiguous owners are compared again when fewer orders are presented. Other claims decide once the
  /// product is known.
  package func keeps(_ claim: OwnershipClaim) -> Bool {
    self == .ownerAmbiguous || waitsForProduct && claim.mayCount
  }
}

extension Payment {
  /// Whether it is held because the catalog did not know its product, or knew another kind.
  package var waitsForItsProduct: Bool {
    guard key.store == .appStore, case .held(let reason) = state else { return false }
    return reason.waitsForProduct
  }
}

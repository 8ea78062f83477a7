package import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives

package struct FulfilmentResult: Hashable, Sendable {
  package var payment: Payment
  /// Whether this call stored it first.
  package var firstSeen: Bool
  /// Whether an order, owner, grant or state changed.
  package var changed: Bool
  /// Whether this call granted it first.
  package var isNewlyGranted = false
  /// The requested transaction id, if it is a duplicate of the payment.
  package var duplicate: PaymentKey?
  /// Whether the update is for another id of a payment granted before, and its token names another order.
  package var repeatsForAnotherOrder = false
  /// Whether part of the grant was taken back and nothing of it is left.
  package var nothingIsLeft = false
  /// The order that it pays, if the presenter is its owner.
  package var order: Order?
  /// The user who has its entitlement now, if a restore moved it.
  package var beneficiary: UserIdentifier?
  /// Whether the presenter shares the entitlement of its owner.
  package var isShared = false
  /// The user who presented it, or the one into whom they were merged.
  package var claimant: UserIdentifier?
  /// Whether the update contradicts earlier statements about a granted charge.
  package var isContradicted = false
}

extension FulfilmentResult {
  /// A payment in its present state, without an update, and the order if it belongs to the user.
  package init(known payment: Payment, to user: UserIdentifier?, _ reader: any DatabaseReader) throws {
    self.init(payment: payment, firstSeen: false, changed: false, duplicate: nil)
    claimant = user
    nothingIsLeft = try reader.nothingIsLeft(of: payment)
    order = try reader.order(paidBy: payment, of: user)
  }
}

package import PaymentModel
package import PaymentPrimitives

extension Order {
  /// Whether the other order has the same promise, to the byte: all that an update may not change.
  package func promisesTheSame(as other: Order) -> Bool {
    if sharesPromise(with: other) { return true }
    return key == other.key && user == other.user && quantity == other.quantity && store == other.store
      && createdAt == other.createdAt && product.isTheSame(as: other.product)
      && Self.same(reference, other.reference) && sameBytes(metadata, other.metadata)
      && sameBytes(platform, other.platform) && sameBytes(scene, other.scene)
      && Self.same(idempotency, other.idempotency) && Self.same(derivation, other.derivation)
  }

  /// The same order of another user.
  package func moved(to user: UserIdentifier, keepsReference: Bool) -> Order {
    var order = self
    order.user = user
    if !keepsReference { order.reference = nil }
    return order
  }

  /// The same order under the alias of a user who is erased. The backend's own number stays: its books need it.
  package func erased(_ renaming: UserRenaming) -> Order {
    var order = self
    order.user = renaming.alias
    order.metadata = nil
    order.scene = renaming.erasedReason(scene)
    order.frozenBecause = frozenBecause.map { renaming.renamed(words: $0) }
    order.idempotency = nil
    if reference?.origin == .app { order.reference = nil }
    if derivation?.reference?.origin == .app { order.derivation?.reference = nil }
    return order
  }

  private static func same(_ a: Reference?, _ b: Reference?) -> Bool {
    a?.origin == b?.origin && sameBytes(a?.text, b?.text)
  }

  private static func same(_ a: Idempotency?, _ b: Idempotency?) -> Bool {
    sameBytes(a?.caller, b?.caller) && sameBytes(a?.key, b?.key)
      && sameBytes(a?.requestDigest, b?.requestDigest)
  }

  private static func same(_ a: Derivation?, _ b: Derivation?) -> Bool {
    a?.payment == b?.payment && a?.from == b?.from && a?.flags == b?.flags
      && same(a?.reference, b?.reference)
  }
}

extension Product {
  fileprivate func isTheSame(as other: Product) -> Bool {
    id == other.id && kind == other.kind && grant == other.grant
      && appStoreProducts == other.appStoreProducts && weChatPrice == other.weChatPrice
      && isPhysical == other.isPhysical && debt == other.debt
  }
}

/// Whether two texts have the same bytes, or both are absent.
package func sameBytes(_ a: String?, _ b: String?) -> Bool {
  switch (a, b) {
  case (nil, nil): true
  case (let a?, let b?): haveSameBytes(a, b)
  default: false
  }
}

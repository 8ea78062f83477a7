package import PaymentPrimitives

/// Where the promise of a grant that is made just now says it comes from, read anew from there.
///
/// A content that is checked against its own promise proves nothing of the promise: that is held against this.
package enum PromiseSource: Hashable, Sendable {
  /// The order that the payment pays.
  case order
  /// The catalog entry of the signed product, as it stands; nil where there is none.
  case catalog(Product?)
  /// An earlier grant, with its payment; nil where there is none.
  case earlier(VerifiedPayment?, Grant?)
}

extension PaymentRows {
  /// The content of a grant is what its promise gives for the signed facts; the promise is what its order's copy of the
  /// product says, and that of a new grant is what its source says.
  func checkPromise(of grant: Grant, _ report: (String) -> Void) {
    let promise = grant.promise
    if promise.rule != nil, promise.content(of: payment.facts) != grant.content {
      report("the grant is not what the signed product and quantity give")
    }
    let snapshot = payment.order == nil ? nil : order?.product
    let copy = snapshot.flatMap { $0.isMeant(by: payment.facts) ? GrantPromise(of: $0) : nil }
    if let copy, (copy.product, copy.kind, copy.rule) != (promise.product, promise.kind, promise.rule) {
      report("its promise is not what its order was made for")
    }
    guard let promiseSource else { return }
    let expected: GrantPromise?
    switch promiseSource {
    case .order: expected = copy
    case .catalog(let product):
      let entry = product.flatMap { $0.isMeant(by: payment.facts) && $0.kind == payment.facts.kind ? $0 : nil }
      expected = copy == nil ? entry.map { GrantPromise(of: $0) } : nil
    case .earlier(let facts, let earlier):
      let isOfItsSubscription =
        facts?.line == payment.facts.line && facts?.storeProduct == payment.facts.storeProduct
        && facts?.key == earlier?.payment && facts?.key != payment.key
      expected = copy == nil && isOfItsSubscription ? earlier?.promise : nil
    }
    if expected == nil || expected != promise || promise.rule == nil {
      report("its promise is not what its source says")
    }
  }
}

extension Invariant {
  /// What must not change of a grant once it is made: its promise.
  package static func violations(from before: Grant, to after: Grant?) -> [Violation] {
    guard after?.promise != before.promise else { return [] }
    return [Violation(.grantHasPayment, payment: before.payment, found: "what a grant was promised to be changed")]
  }
}

package import PaymentPrimitives

/// The source that a new grant's promise claims, read again from that source.
///
/// Comparing content with its own promise does not prove the promise. So the promise is compared with this source.
package enum PromiseSource: Hashable, Sendable {
  /// The order that the payment pays.
  case order
  /// The current catalog entry of the signed product; nil if there is none.
  case catalog(Product?)
  /// An earlier grant, with its payment; nil if there is none.
  case earlier(VerifiedPayment?, Grant?)
}

extension PaymentRows {
  /// Checks a grant's promise. The content must be what the promise gives for the signed facts. The promise must equal
  /// the order's copy of the product; a new grant's promise must equal its source.
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
        facts?.originalKey == payment.facts.originalKey && facts?.storeProduct == payment.facts.storeProduct
        && facts?.key == earlier?.payment && facts?.key != payment.key
      expected = copy == nil && isOfItsSubscription ? earlier?.promise : nil
    }
    if expected == nil || expected != promise || promise.rule == nil {
      report("its promise is not what its source says")
    }
  }
}

extension Invariant {
  /// A grant's promise must not change once the grant exists.
  package static func violations(from before: Grant, to after: Grant?) -> [Violation] {
    guard after?.promise != before.promise else { return [] }
    return [Violation(.grantHasPayment, payment: before.payment, found: "what a grant was promised to be changed")]
  }
}

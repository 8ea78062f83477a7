import PaymentModel
import PaymentDatabase
import PaymentPrimitives

/// By what a payment without a grant would be granted (docs/specification/invariants.md, 4.6): what its order has
/// copied stands before all of it.
struct SoldProduct {
  /// The catalog entry of the signed product. Of WeChat Pay, what the order that the payment names has copied.
  let catalog: Product?
  /// Where there is none, or one of another kind than the store signed: the newest grant, by purchase date, of the same
  /// App Store product under the same `originalTransactionId`.
  let earlier: Grant?
  /// Where there is neither: what the order that its token names has copied.
  let ordered: Product?
  /// What is known of the product for the match; it may be an entry of another kind than the store signed.
  let product: Product?
  /// The product that an order made for the payment is for.
  let derived: Product?

  /// - Parameter order: the order that the payment pays already, if there is one.
  init(
    of facts: VerifiedPayment, paying order: OrderIdentifier?, _ store: any DatabaseReader, _ context: FulfilmentContext
  ) throws {
    let entry = try Self.entry(of: facts, paying: order, store, context)
    let isOfItsKind = facts.key.store == .weChatPay || entry?.kind == facts.kind
    catalog = isOfItsKind ? entry : nil
    earlier = isOfItsKind ? nil : try Self.newestGrant(like: facts, store)
    let promised = earlier?.promise.product(as: facts.storeProduct)
    ordered = isOfItsKind || promised != nil ? nil : try Self.orderedProduct(of: facts, store, context)
    derived = catalog ?? promised ?? ordered
    product = derived ?? entry
  }

  /// Whether a payment without an order can be granted by it.
  var promisesWithoutOrder: Bool { catalog != nil || earlier != nil }

  /// A decision as far as something says what it grants: the copy of the order that the token names decides whose a
  /// payment is, and promises nothing to one that has no order.
  func deciding(_ decision: MatchDecision?) -> MatchDecision? {
    let isPromised =
      switch decision {
      case .grant(_, .none, _, _), .imported(.some, .none, _, _): promisesWithoutOrder
      case .grant(_, .derivedOrder, _, _), .imported(.some, .derivedOrder, _, _): derived != nil
      case .grant, .imported, .held, .unclaimed, nil: true
      }
    return isPromised ? decision : .held(product == nil || ordered != nil ? .productUnknown : .productKindDiffers)
  }

  func tell(_ input: inout FulfilmentInput) {
    input.product = catalog
    input.earlier = earlier
    input.ordered = ordered
  }

  /// Where the promise of a planned grant says it comes from, read anew from there.
  static func source(
    of plan: FulfilmentPlan, _ store: any DatabaseReader, _ context: FulfilmentContext
  ) throws -> PromiseSource {
    switch plan.promiseOrigin {
    case .order: .order
    case .catalog: .catalog(try entry(of: plan.payment.facts, paying: plan.payment.order, store, context))
    case .earlier(let key): .earlier(try store.payment(key)?.facts, try store.grant(key))
    case nil: .catalog(nil)
    }
  }

  private static func entry(
    of facts: VerifiedPayment, paying paid: OrderIdentifier?, _ store: any DatabaseReader, _ context: FulfilmentContext
  ) throws -> Product? {
    switch facts.key.store {
    case .appStore: return context.app.catalog.product(for: facts.storeProduct)
    case .weChatPay:
      // What WeChat Pay was paid for, only the order says; where there is none, an operator's claim of a product.
      for id in [paid, facts.token].compactMap(\.self) {
        if let order = try store.order(OrderKey(realm: facts.key.realm, id: id)) { return order.product }
      }
      return context.app.catalog[ProductIdentifier(facts.storeProduct.text)]
    }
  }

  private static func newestGrant(like facts: VerifiedPayment, _ store: any DatabaseReader) throws -> Grant? {
    for other in try store.payments(ofOriginal: facts.line).reversed()
    where other.key != facts.key && other.facts.storeProduct == facts.storeProduct {
      if let grant = try store.grant(other.key), grant.promise.kind == facts.kind, grant.promise.rule != nil {
        return grant
      }
    }
    return nil
  }

  /// A family member's token names no order of theirs.
  private static func orderedProduct(
    of facts: VerifiedPayment, _ store: any DatabaseReader, _ context: FulfilmentContext
  ) throws -> Product? {
    guard facts.ownership == .purchased, let token = facts.token else { return nil }
    let order =
      try store.order(OrderKey(realm: facts.key.realm, id: token))
      ?? store.order(OrderKey(realm: context.app.homeRealm, id: token))
    guard let product = order?.product, product.kind == facts.kind,
      product.appStoreProducts.contains(facts.storeProduct)
    else { return nil }
    return product
  }
}

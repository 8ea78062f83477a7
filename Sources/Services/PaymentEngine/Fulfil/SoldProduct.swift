import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// The promise by which a payment without a grant would be granted (docs/specification/invariants.md, 4.6). The copy
/// in its order has priority over all of these.
struct SoldProduct {
  /// The catalog entry of the signed product; for WeChat Pay, the copy in the order that the payment names.
  let catalog: Product?
  /// The replacement if there is none, or its kind differs from the signed one. It is the newest grant, by purchase
  /// date, of the same App Store product under the same `originalTransactionId`.
  let earlier: Grant?
  /// If there is neither: the copy in the order that its token names.
  let ordered: Product?
  /// The known product for the match; its kind may differ from the signed one.
  let product: Product?
  /// The product of an order that is derived from the payment.
  let derived: Product?

  /// - Parameter order: the order that the payment pays already, if there is one.
  init(
    of facts: VerifiedPayment, paying order: OrderIdentifier?, _ reader: any DatabaseReader,
    _ context: FulfilmentContext
  ) throws {
    let entry = try Self.entry(of: facts, paying: order, reader, context)
    let isOfItsKind = facts.key.store.opensOrders || entry?.kind == facts.kind
    catalog = isOfItsKind ? entry : nil
    earlier = isOfItsKind ? nil : try Self.newestGrant(like: facts, reader)
    let promised = earlier?.promise.product(as: facts.storeProduct)
    ordered = isOfItsKind || promised != nil ? nil : try Self.orderedProduct(of: facts, reader, context)
    derived = catalog ?? promised ?? ordered
    product = derived ?? entry
  }

  /// Whether a payment without an order can be granted by it.
  var promisesWithoutOrder: Bool { catalog != nil || earlier != nil }

  /// The decision, or a hold if no source says what it grants. The order that the token names decides the owner of a
  /// payment; its copy promises nothing to a payment without an order.
  func deciding(_ decision: MatchDecision?) -> MatchDecision? {
    let isPromised =
      switch decision {
      case .grant(_, .none, _, _), .imported(.some, .none, _, _): promisesWithoutOrder
      case .grant(_, .derivedOrder, _, _), .imported(.some, .derivedOrder, _, _): derived != nil
      case .grant, .imported, .held, .unclaimed, nil: true
      }
    return isPromised ? decision : .held(product == nil || ordered != nil ? .productUnknown : .productKindDiffers)
  }

  func addProducts(to input: inout FulfilmentInput) {
    input.product = catalog
    input.earlier = earlier
    input.ordered = ordered
  }

  /// The source of a planned grant's promise, read again from there.
  static func source(
    of plan: FulfilmentPlan, _ reader: any DatabaseReader, _ context: FulfilmentContext
  ) throws -> PromiseSource {
    switch plan.promiseOrigin {
    case .order: .order
    case .catalog: .catalog(try entry(of: plan.payment.facts, paying: plan.payment.order, reader, context))
    case .earlier(let key): .earlier(try reader.payment(key)?.facts, try reader.grant(key))
    case nil: .catalog(nil)
    }
  }

  private static func entry(
    of facts: VerifiedPayment, paying paid: OrderIdentifier?, _ reader: any DatabaseReader, _ context: FulfilmentContext
  ) throws -> Product? {
    guard facts.key.store.opensOrders else { return context.app.catalog.product(for: facts.storeProduct) }
    // Only the order says what a charge paid for; without one, an operator's claim of a product does.
    for id in [paid, facts.token].compactMap(\.self) {
      if let order = try reader.order(OrderKey(appEnvironment: facts.key.appEnvironment, id: id)) {
        return order.product
      }
    }
    return context.app.catalog[ProductIdentifier(facts.storeProduct.text)]
  }

  private static func newestGrant(like facts: VerifiedPayment, _ reader: any DatabaseReader) throws -> Grant? {
    for other in try reader.payments(ofOriginal: facts.originalKey).reversed()
    where other.key != facts.key && other.facts.storeProduct == facts.storeProduct {
      if let grant = try reader.grant(other.key), grant.promise.kind == facts.kind, grant.promise.rule != nil {
        return grant
      }
    }
    return nil
  }

  /// The product in the order that the token names; a family member's token names no order of theirs.
  private static func orderedProduct(
    of facts: VerifiedPayment, _ reader: any DatabaseReader, _ context: FulfilmentContext
  ) throws -> Product? {
    guard facts.ownership == .purchased, let token = facts.token else { return nil }
    let order =
      try reader.order(OrderKey(appEnvironment: facts.key.appEnvironment, id: token))
      ?? reader.order(OrderKey(appEnvironment: context.app.homeEnvironment, id: token))
    guard let product = order?.product, product.kind == facts.kind,
      product.appStoreProducts.contains(facts.storeProduct)
    else { return nil }
    return product
  }
}

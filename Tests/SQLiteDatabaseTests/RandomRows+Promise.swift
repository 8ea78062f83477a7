import PaymentModel
import PaymentPrimitives
import TestDoubles

extension RandomRows {
  mutating func promise() -> GrantPromise {
    let rules: [GrantRule?] = [
      nil, .units(identifier(), perPiece: positive()), .entitlement(identifier(), period: nil),
      .entitlement(identifier(), period: TimeSpan(milliseconds: positive())),
    ]
    var promise = GrantPromise(
      product: identifier(), kind: chance.one(of: ProductKind.allCases), rule: chance.one(of: rules),
      debt: chance.one(of: DebtPolicy.allCases))
    promise.isStoreProduct = chance.oneIn(4)
    return promise
  }
}

import CounterfoilAPI
import PaymentPrimitives

// What a line about a payment names: order, product, quantity, amount and currency, transaction. Never a token, a
// receipt or a person (1A.43).

/// A field of a log line.
typealias LogField = (name: String, value: String)

extension PlacedOrder {
  /// The order, and what it sells.
  func logFields(_ request: CreateOrder.Request) -> [LogField] {
    var fields: [LogField] = [
      ("order", id.description), ("product", request.product.text), ("quantity", "\(request.quantity)"),
    ]
    if let price = shownPrice { fields += [("amount", price.decimal), ("currency", price.currency)] }
    return fields
  }
}

extension OrderRecord {
  /// The order, and what it sells; the record's own number while there is no order.
  var logFields: [LogField] {
    guard let order else { return [("record", id.text), ("product", request.product.text)] }
    return order.logFields(request)
  }
}

extension StoreTransaction {
  /// The transaction, and the order behind it as far as it is known.
  func logFields(of record: OrderRecord?) -> [LogField] {
    var fields = record?.logFields ?? []
    if record == nil, let token { fields.append(("order", token.description)) }
    if let product { fields.append(("storeProduct", product.text)) }
    if record == nil { fields.append(("quantity", "\(quantity)")) }
    if let id { fields.append(("transaction", id.text)) }
    return fields
  }
}

extension StoreFailure {
  /// The failure with all its numbers.
  var logFields: [LogField] {
    var fields: [LogField] = [
      ("code", "\(code)"), ("cancelled", "\(isCancelled)"), ("kind", kind.rawValue), ("why", explanation),
    ]
    if !causes.isEmpty { fields.append(("causes", causes.map(\.description).joined(separator: ", "))) }
    return fields
  }
}

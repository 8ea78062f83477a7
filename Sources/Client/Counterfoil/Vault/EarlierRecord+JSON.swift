import CounterfoilAPI
import PaymentPrimitives
import StrictJSON

extension KeptEarlierRecord {
  init(json: JSONValue) throws(JSONFieldError) {
    let fields = try JSONFields(json)
    var record = EarlierRecord(
      reference: try fields.converted("reference", "a text of 1 to 64 characters") {
        ContractLimits.isReference($0) ? $0 : nil
      },
      product: StoreProductIdentifier(try fields.string("storeProduct", bytesMax: 255)),
      user: UserIdentifier(try fields.string("user", bytesMax: 255)))
    record.quantity = Int(try fields.integer("quantity", in: 1...Int64(Int32.max)))
    record.evidence = try fields.optionalString("evidence", bytesMax: VaultLimits.evidenceBytesMax)
    record.transaction = try fields.optionalString(
      "transactionId", bytesMax: VaultLimits.transactionIdentifierBytesMax
    ).map { TransactionIdentifier($0) }
    record.amount = try fields.optionalString("amount", bytesMax: 64)
    record.currency = try fields.optionalString("currency", bytesMax: 16)
    self.init(
      id: RecordIdentifier(try fields.string("record", bytesMax: 64)),
      app: AppIdentifier(try fields.string("app", bytesMax: 255)), record: record,
      takenOverAt: try fields.converted("takenOverAt", "a date", { Timestamp(iso8601: $0) }))
  }

  var members: [JSONMember] {
    VaultItem.present([
      ("record", .string(id.text)), ("app", .string(app.text)), ("user", .string(record.user.text)),
      ("reference", .string(record.reference)), ("storeProduct", .string(record.product.text)),
      ("quantity", .integer(record.quantity)), ("evidence", record.evidence.map(JSONValue.string)),
      ("transactionId", record.transaction.map { .string($0.text) }),
      ("amount", record.amount.map(JSONValue.string)), ("currency", record.currency.map(JSONValue.string)),
      ("takenOverAt", .string(takenOverAt.iso8601)),
    ])
  }
}

extension EarlierRecord {
  /// The record as the vault can hold it; nil if its number, product or user is unusable.
  var fitForVault: EarlierRecord? {
    guard ContractLimits.isReference(reference), (1...255).contains(product.text.utf8.count),
      (1...255).contains(user.text.utf8.count), quantity >= 1, quantity <= Int(Int32.max)
    else { return nil }
    var fit = self
    let bytes = evidence?.utf8.count ?? 0
    if bytes == 0 || bytes > VaultLimits.evidenceBytesMax { fit.evidence = nil }
    let length = transaction?.text.utf8.count ?? 0
    if length == 0 || length > VaultLimits.transactionIdentifierBytesMax { fit.transaction = nil }
    if !(1...64).contains(amount?.utf8.count ?? 0) { fit.amount = nil }
    if !(1...16).contains(currency?.utf8.count ?? 0) { fit.currency = nil }
    return fit
  }
}

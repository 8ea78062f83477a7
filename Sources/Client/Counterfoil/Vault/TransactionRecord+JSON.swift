import PaymentPrimitives
import StrictJSON

extension TransactionRecord {
  private static let known: Set<String> = [
    "app", "transactionId", "state", "revokedAt", "storeProduct", "quantity", "purchaseDate", "token",
    "evidence", "sameRun", "writtenAt", "originalTransactionId", "isRenewal", "isFamilyShared",
  ]

  init(json: JSONValue) throws(JSONFieldError) {
    let fields = try JSONFields(json)
    let id = TransactionIdentifier(
      try fields.string("transactionId", bytesMax: VaultLimits.transactionIdentifierBytesMax))
    let quantity = Int(try fields.integer("quantity", in: 0...Int64(Int32.max)))
    // There is no queue entry for it: `handle` names the vault, and it finishes nothing at the store.
    var transaction = StoreTransaction(
      handle: "vault-" + id.text, state: try Self.state(fields), quantity: quantity)
    transaction.id = id
    transaction.product = try fields.optionalString("storeProduct", bytesMax: 255)
      .map { StoreProductIdentifier($0) }
    transaction.purchaseDate = try Self.date("purchaseDate", fields)
    transaction.token = try Self.order("token", fields)
    transaction.originalId = try fields.optionalString("originalTransactionId", bytesMax: 64)
      .map { TransactionIdentifier($0) }
    transaction.isRenewal = try fields.optionalBool("isRenewal") ?? false
    transaction.isFamilyShared = try fields.optionalBool("isFamilyShared") ?? false
    transaction.evidence = try fields.string("evidence", bytesMax: VaultLimits.evidenceBytesMax)
    guard
      let record = TransactionRecord(
        transaction, app: AppIdentifier(try fields.string("app", bytesMax: 255)),
        sameRun: try Self.order("sameRun", fields),
        writtenAt: try fields.converted("writtenAt", "a date", { Timestamp(iso8601: $0) }))
    else { throw JSONFieldError(path: "transactionId", expected: "the id of a transaction") }
    self = record
    others = VaultItem.others(in: json, known: Self.known)
  }

  private static func date(_ name: String, _ fields: JSONFields) throws(JSONFieldError) -> Timestamp? {
    try fields.optionallyConverted(name, "a date", { Timestamp(iso8601: $0) })
  }

  private static func order(
    _ name: String, _ fields: JSONFields
  ) throws(JSONFieldError) -> OrderIdentifier? {
    try fields.optionallyConverted(name, "an order id", { OrderIdentifier($0) })
  }

  private static func state(
    _ fields: JSONFields
  ) throws(JSONFieldError) -> StoreTransaction.State {
    switch try fields.string("state") {
    case "purchased": return .purchased
    case "restored": return .restored
    case "unverified": return .unverified
    case "revoked":
      return .revoked(at: try fields.converted("revokedAt", "a date", { Timestamp(iso8601: $0) }))
    default: throw JSONFieldError(path: "state", expected: "a state that carries evidence")
    }
  }

  var members: [JSONMember] {
    VaultItem.present([
      ("app", .string(app.text)), ("transactionId", .string(key.id.text)),
      ("state", .string(transaction.stateName)),
      ("revokedAt", key.revokedAt.map { .string($0.iso8601) }),
      ("storeProduct", transaction.product.map { .string($0.text) }),
      ("quantity", .integer(transaction.quantity)),
      ("purchaseDate", transaction.purchaseDate.map { .string($0.iso8601) }),
      ("token", transaction.token.map { .string($0.appAccountToken) }),
      ("evidence", transaction.evidence.map(JSONValue.string)),
      ("sameRun", sameRun.map { .string($0.appAccountToken) }),
      ("writtenAt", .string(writtenAt.iso8601)),
      ("originalTransactionId", transaction.originalId.map { .string($0.text) }),
      ("isRenewal", transaction.isRenewal ? .bool(true) : nil),
      ("isFamilyShared", transaction.isFamilyShared ? .bool(true) : nil),
    ])
  }
}

extension ClearedTransactions {
  private static let known: Set<String> = ["app", "transactions", "diagnostics"]

  init(json: JSONValue) throws(JSONFieldError) {
    let fields = try JSONFields(json)
    var entries: [Entry] = []
    for item in try fields.array("transactions", countMax: 10 * VaultLimits.clearedMax) {
      let entry = try JSONFields(item, path: "transactions")
      let key = TransactionKey(
        id: TransactionIdentifier(
          try entry.string("id", bytesMax: VaultLimits.transactionIdentifierBytesMax)),
        revokedAt: try entry.optionallyConverted("revokedAt", "a date", { Timestamp(iso8601: $0) }))
      entries.append(
        Entry(
          key: key,
          order: try entry.optionallyConverted("order", "an order id", { OrderIdentifier($0) }),
          isFinished: try entry.optionalBool("finished") ?? false,
          reappearances: Int(
            try entry.optionalInteger("reappearances", in: 0...Int64(Int32.max)) ?? 0)))
    }
    self.init(app: AppIdentifier(try fields.string("app", bytesMax: 255)), entries: entries)
    // Counts that cannot be read must not hide which transactions may be finished.
    diagnostics = (try? DiagnosticCounts(json: fields.optionalFields("diagnostics"))) ?? DiagnosticCounts()
    others = VaultItem.others(in: json, known: Self.known)
  }

  var members: [JSONMember] {
    let counted = diagnostics.json.map { [JSONMember("diagnostics", $0)] } ?? []
    return counted + [
      JSONMember("app", .string(app.text)),
      JSONMember(
        "transactions",
        .array(
          entries.map { entry in
            .members([
              ("id", .string(entry.key.id.text)),
              ("revokedAt", entry.key.revokedAt.map { .string($0.iso8601) }),
              ("order", entry.order.map { .string($0.appAccountToken) }),
              ("finished", entry.isFinished ? .bool(true) : nil),
              (
                "reappearances",
                entry.reappearances == 0 ? nil : .integer(entry.reappearances)
              ),
            ])
          })),
    ]
  }
}

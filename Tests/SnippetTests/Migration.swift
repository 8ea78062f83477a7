import Counterfoil
import CounterfoilTesting
import Testing

func takeOverStrings(_ old: OldKeychain, _ purchasing: Purchasing) async throws {
  // snippet: order-and-status
  let records = old.strings.map { product, value in
    EarlierRecord(
      reference: String(value.prefix { $0 != "¥" }),  // "20240117A7¥purchased"
      product: StoreProductIdentifier(product), user: "alice")
  }
  try await purchasing.takeOver(records)
  old.removeAll()  // only now: before, it was the only record of a user's money
  // snippet: end
}

func takeOverReceiptInfos(_ old: OldKeychain, _ purchasing: Purchasing) async throws {
  // snippet: receipt-info
  let records = old.receiptInfos.compactMap { info -> EarlierRecord? in
    guard let number = info["orderId"], let product = info["productId"], let user = info["userId"] else { return nil }
    var record = EarlierRecord(
      reference: number, product: StoreProductIdentifier(product), user: UserIdentifier(user))
    record.evidence = info["receipt"]  // Base64, as it was stored
    record.transaction = info["transactionId"].map { TransactionIdentifier($0) }
    record.amount = info["price"]
    record.currency = info["currency"]
    return record
  }
  try await purchasing.takeOver(records)
  // snippet: end
}

@Suite struct `The snippets of migration` {
  @Test func `submit the stored records, and delete them once they are in the vault`() throws {
    let bench = TestBench()
    try bench.launch(as: "alice")
    let kept = try bench.run { purchasing in
      let old = OldKeychain()
      old.strings = ["com.example.coins60": "20240117A7¥purchased"]
      old.receiptInfos = [
        ["orderId": "B1", "productId": "com.example.coins60", "userId": "alice", "receipt": "TUlJ"], ["orderId": "B2"],
      ]
      try await takeOverReceiptInfos(old, purchasing)
      try await takeOverStrings(old, purchasing)
      return old.strings
    }
    #expect(kept.isEmpty)
    #expect(bench.disk.names.filter { $0.hasPrefix("earlier-") }.count == 2)
    let text = bench.disk.names.map(bench.disk.text).joined()
    #expect(text.contains(#""20240117A7""#) && text.contains(#""B1""#) && !text.contains("¥"))
  }
}

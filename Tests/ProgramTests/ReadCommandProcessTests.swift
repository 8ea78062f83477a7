import AppStoreSimulator
import StrictJSON
import Testing

@Suite struct `The commands that read beside a running server` {
  @Test(.timeLimit(.minutes(5)))
  func `fail if no server runs, and find a purchase through the one that runs`() async throws {
    try await withShop { shop in
      for arguments in [["search", "1001"], ["payments", "show", "1001"], ["users", "show", "alice"]] {
        let alone = try await counterfoil(arguments, in: shop.folder)
        #expect(alone.code == 1 && alone.errors.contains("--server"), "\(alone.errors)")
      }
      try await shop.start()
      let order = try await shop.call(
        "POST", "/v1/orders", body: .members([("productId", "coins.100"), ("store", "appStore")]),
        credential: shop.token(for: "alice"))
      let id = try #require(order.json["id"]?.string)
      let bought = try await shop.buy(order: id, account: "a")
      let answer = try await shop.call(
        "POST", "/v1/payments/app-store", body: .members([("evidence", .string(bought.signedTransaction))]),
        credential: shop.token(for: "alice"))
      let transaction = try #require(answer.json["payments"]?.array?.first?["transactionId"]?.string)

      let found = try await counterfoil("search", id.uppercased(), in: shop.folder)
      #expect(found.code == 0 && found.output.hasPrefix("order  game  "), "\(found.errors)")
      #expect(found.output.hasSuffix("  paid\n") && found.output.split(separator: "\n").count == 1)
      let payment = try await counterfoil("payments", "show", transaction, in: shop.folder)
      #expect(payment.code == 0 && payment.output.contains("  fulfilled  alice\n"), "\(payment.output)")
      #expect(payment.output.contains("payment.fulfilled"))
      let user = try await counterfoil("users", "show", "alice", in: shop.folder)
      #expect(user.code == 0 && user.output.contains("  balance  100  coin\n"), "\(user.output)\(user.errors)")
      let nothing = try await counterfoil("search", "nothing-like-this", in: shop.folder)
      #expect(nothing.code == 1 && nothing.output.isEmpty)
    }
  }
}

import AppStoreProtocol
import AppStoreSimulator
import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import TestDoubles
import Testing

@Suite struct `A server that calls the simulated App Store` {
  private static let info = "/inApps/v1/transactions/"
  private static let history = "/inApps/v2/history/"

  @Test func `gets Apple's error numbers for what it does not own (AS-API-5)`() async throws {
    let api = try await APIShop()
    let id = try await api.shop.buy(SimulatedShop.coins).transaction.id.text
    let signed = try await api.store.signedTransaction(TransactionIdentifier(id)).signedTransaction
    let appTransaction = try #require(await api.shop.verified(signed).appTransactionId)
    for (method, target, problem) in [
      ("GET", Self.info + "abc", "400 4000006"), ("GET", Self.info + "99", "404 4040010"),
      ("GET", Self.info + appTransaction, "400 4000048"),
      ("POST", Self.info + appTransaction + "/finish", "400 4000048"),
      ("POST", Self.info + "99/finish", "404 4040010"), ("GET", Self.history + "abc", "400 4000006"),
      ("GET", Self.history + "99", "404 4040010"), ("GET", "/inApps/v1/subscriptions/99", "404 4040010"),
      ("GET", "/inApps/v2/refund/lookup/99", "404 4040010"),
      ("GET", Self.info + "appTransactions/99", "404 4040010"),
      ("GET", Self.history + id + "?revision=1", "400 4000005"),
      ("GET", Self.history + id + "?startDate=x", "400 4000015"),
      ("GET", Self.history + id + "?endDate=x", "400 4000016"),
      ("GET", Self.history + id + "?startDate=2&endDate=1", "400 4000013"),
      ("GET", Self.history + id + "?sort=UP", "400 4000021"),
      ("GET", Self.history + id + "?productType=Consumable", "400 4000022"),
      ("GET", Self.history + id + "?productId=%20", "400 4000023"),
      ("GET", Self.history + id + "?subscriptionGroupIdentifier=x", "400 4000024"),
      ("GET", Self.history + id + "?excludeRevoked=1", "400 4000025"),
      ("GET", Self.history + id + "?inAppOwnershipType=X", "400 4000026"),
      ("GET", Self.history + id + "?revoked=1", "400 4000030"),
      ("GET", "/inApps/v1/subscriptions/" + id + "?status=6", "400 4000031"),
      ("GET", "/inApps/v1/notifications/test/abc", "400 4000020"),
      ("GET", "/inApps/v1/notifications/test/11111111-2222-4333-8444-555555555555_1", "404 4040008"),
    ] {
      #expect(await api.send(method, target).problem == problem, "\(target)")
    }
    for target in [Self.history + id, Self.history + appTransaction, Self.info + "appTransactions/" + appTransaction] {
      #expect(await api.send("GET", target).status == 200, "\(target)")
    }
  }

  @Test func `gets the current transaction, and finishes it (AS-API-7)`() async throws {
    let api = try await APIShop()
    let id = try await api.shop.buy(SimulatedShop.coins).transaction.id
    let signed = await api.send("GET", Self.info + id.text).json["signedTransactionInfo"]?.string
    let token = try #require(signed)
    let payload = try await api.shop.verified(token)
    #expect(payload.transactionId == id.text && payload.deviceVerification == nil)
    for _ in 0..<2 {
      let reply = await api.send("POST", Self.info + id.text + "/finish")
      #expect(reply.status == 200 && reply.response.body.isEmpty)
    }
    #expect(try await api.store.unfinishedTransactions(of: SimulatedShop.alice).isEmpty)
    let app = await api.send("GET", Self.info + "appTransactions/" + id.text).json["signedAppTransactionInfo"]?.string
    #expect(app?.isEmpty == false)
  }

  @Test func `pages through a history in which changed items move to the end (AS-API-9)`() async throws {
    let api = try await APIShop()
    var ids: [String] = []
    for _ in 0..<25 { ids.append(try await api.shop.buy(SimulatedShop.coins).transaction.id.text) }
    try await api.shop.buy(SimulatedShop.coins, by: SimulatedShop.bob)
    let first = await api.send("GET", Self.history + ids[3]).json
    #expect(try await api.numbers(first["signedTransactions"]) == Array(ids.prefix(20)))
    #expect(first["hasMore"]?.bool == true && first["bundleId"]?.string == SimulatedShop.app.bundleId)
    #expect(first["appAppleId"]?.integer == SimulatedShop.app.appAppleId && first["environment"] == "Production")
    _ = try await api.store.refunds.refund(TransactionIdentifier(ids[2]))
    let second = await api.send("GET", Self.history + ids[3] + "?revision=\(first["revision"]?.string ?? "")").json
    #expect(try await api.numbers(second["signedTransactions"]) == ids.suffix(5) + [ids[2]])
    #expect(second["hasMore"]?.bool == false)
    let third = await api.send("GET", Self.history + ids[3] + "?revision=\(second["revision"]?.string ?? "")").json
    #expect(third["signedTransactions"]?.array?.isEmpty == true && third["revision"] == second["revision"])
    let down = await api.send("GET", Self.history + ids[3] + "?sort=DESCENDING").json
    #expect(try await api.numbers(down["signedTransactions"]).prefix(2) == [ids[2], ids[24]])
    let refunds = await api.send("GET", "/inApps/v2/refund/lookup/" + ids[0]).json
    #expect(try await api.numbers(refunds["signedTransactions"]) == [ids[2]])
    #expect(refunds["hasMore"]?.bool == false && refunds["revision"]?.string?.isEmpty == false)
  }

  @Test func `filters a history (AS-API-9)`() async throws {
    let api = try await APIShop()
    let coins = try await api.shop.buy(SimulatedShop.coins).transaction.id.text
    try await api.store.purchases.finish(TransactionIdentifier(coins), of: SimulatedShop.alice)
    api.shop.time.advance(by: .hours(1))
    let theme = try await api.shop.buy(SimulatedShop.theme).transaction.id.text
    let month = try await api.shop.buy(SimulatedShop.month).transaction
    _ = try await api.store.refunds.refund(TransactionIdentifier(theme))
    let later = SimulatedShop.noon.milliseconds + 1_800_000
    for (query, expected) in [
      ("", [coins, month.id.text, theme]), ("?productType=CONSUMABLE&productType=NON_CONSUMABLE", [coins, theme]),
      ("?productId=com.example.month", [month.id.text]), ("?subscriptionGroupIdentifier=21752814", [month.id.text]),
      ("?revoked=true", [theme]), ("?revoked=false", [coins, month.id.text]),
      ("?excludeRevoked=true", [coins, month.id.text]), ("?startDate=\(later)", [month.id.text, theme]),
      ("?endDate=\(later)", [coins]), ("?inAppOwnershipType=FAMILY_SHARED", []),
      ("?inAppOwnershipType=PURCHASED", [coins, month.id.text, theme]),
    ] {
      let reply = await api.send("GET", Self.history + coins + query).json
      #expect(try await api.numbers(reply["signedTransactions"]) == expected, "\(query)")
    }
    let old = await api.send("GET", "/inApps/v1/history/" + coins).json
    #expect(try await api.numbers(old["signedTransactions"]) == [month.id.text, theme], "no finished consumables")
  }

  @Test func `reads the status of subscriptions (AS-API-10)`() async throws {
    let api = try await APIShop()
    let coins = try await api.shop.buy(SimulatedShop.coins).transaction.id.text
    let first = try await api.shop.buy(SimulatedShop.month).transaction
    api.shop.time.advance(by: .hours(29 * 24 + 12))
    let second = try await api.store.subscriptions.renew(first.id)
    let reply = await api.send("GET", "/inApps/v1/subscriptions/" + coins).json
    let group = try #require(reply["data"]?.array?.first)
    #expect(group["subscriptionGroupIdentifier"] == "21752814")
    let item = try #require(group["lastTransactions"]?.array?.first)
    #expect(item["originalTransactionId"]?.string == first.id.text && item["status"]?.integer == 1)
    let token = try #require(item["signedTransactionInfo"]?.string)
    let payload = try await api.shop.verified(token)
    #expect(payload.transactionId == second.id.text && item["signedRenewalInfo"]?.string != nil)
    let none = await api.send("GET", "/inApps/v1/subscriptions/\(coins)?status=2&status=5").json
    #expect(none["data"]?.array?.isEmpty == true)
  }

  @Test func `finds an order by the number in the customer's mail (AS-API-6)`() async throws {
    let api = try await APIShop()
    let bought = try await api.shop.buy(SimulatedShop.coins).transaction
    let reply = await api.send("GET", "/inApps/v1/lookup/" + bought.orderId).json
    #expect(reply["status"]?.integer == 0)
    #expect(try await api.numbers(reply["signedTransactions"]) == [bought.id.text])
    for order in ["M", "MZZ", "nothing", "M999999999999999999999"] {
      let reply = await api.send("GET", "/inApps/v1/lookup/" + order)
      #expect(reply.status == 200 && reply.json["status"]?.integer == 1 && reply.json["signedTransactions"] == nil)
    }
  }

  @Test func `sets the token of a purchase that has none (AS-API-8)`() async throws {
    let api = try await APIShop()
    let other = try #require(AppStoreUUID("11111111-2222-4333-8444-555555555555"))
    let body = JSONValue.members([("appAccountToken", .string(other.text.uppercased()))])
    func target(_ id: String) -> String { Self.info + id + "/appAccountToken" }
    let first = try await api.shop.buy(SimulatedShop.month).transaction
    api.shop.time.advance(by: .hours(29 * 24 + 12))
    let second = try await api.store.subscriptions.renew(first.id)
    let theme = try await api.shop.buy(SimulatedShop.theme).transaction
    let shared = try await api.store.familySharing.share(theme.id, with: SimulatedShop.bob.account)
    for (id, body, problem) in [
      (first.id.text, JSONValue.members([("appAccountToken", "x")]), "400 4000183"),
      (first.id.text, JSONValue.members([]), "400 4000183"), ("x", body, "400 4000008"), ("99", body, "404 4040005"),
      (second.id.text, body, "400 4000187"), (shared.id.text, body, "400 4000185"),
    ] {
      #expect(await api.send("PUT", target(id), body: body).problem == problem)
    }
    let reply = await api.send("PUT", target(first.id.text), body: body)
    #expect(reply.status == 200 && reply.response.body.isEmpty)
    let tokens = await api.store.transactions().map(\.appAccountToken)
    #expect(tokens == [SimulatedShop.token, other, SimulatedShop.token, nil])
    let history = await api.send("GET", Self.history + first.id.text).json
    #expect(try await api.numbers(history["signedTransactions"]).last == second.id.text, "it was changed last")
    #expect(try await api.shop.restarted().store.state.content == api.store.state.content)
  }
}

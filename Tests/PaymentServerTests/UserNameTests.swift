import CounterfoilAPI
import HTTPMessages
import PaymentPrimitives
import ShopFixtures
import StrictJSON
import Testing

@Suite struct `The id of a user` {
  private func order(for user: String) -> JSONValue {
    .members([("productId", "coins.100"), ("store", "appStore"), ("userId", .string(user))])
  }

  @Test(arguments: ["a\u{0}b", "a\u{7}", "\u{1B}[31mred", "a\nb", "\u{7F}", "\u{85}", "\u{9B}31m", ".", ".."])
  func `that does not fit into a path, or holds control characters, may not buy`(user: String) async throws {
    let front = try await ServerFixture.open()
    let made = await front.ask("POST", CreateOrder.path, as: front.keys.secret, json: order(for: user))
    #expect(made.status == 400 && made.code == "field_invalid")
    let submitted = await front.submit(
      TestAppStoreSigner().transaction("1001"), as: front.keys.secret, [("userId", .string(user))])
    #expect(submitted.code == "field_invalid")
    let token = front.token(of: UserIdentifier(user))
    let signedIn = await front.ask(
      "POST", CreateOrder.path, as: token, json: .members([("productId", "coins.100"), ("store", "appStore")]))
    #expect(signedIn.code == "field_invalid")
    #expect(await front.ask("GET", "/v1/orders", as: front.keys.secret)["orders"]?.array == [])
    await front.submit(TestAppStoreSigner().transaction("1002"), as: front.keys.publishable)
    let claimed = await front.ask(
      "POST", "/v1/operator/payments/1002/claim", as: front.keys.operator,
      json: .members([("userId", .string(user)), ("reason", "tests")]))
    #expect(claimed.code == "field_invalid")
    #expect(try await front.violations() == [])
  }

  @Test(arguments: [
    "google/113", "/", "a/../b", "...", ".a", "a+b c", "100%", "%2F", "王小明", "a?b#c&d=e", "a;b", "~", "\\", "\"'<>",
    String(repeating: "长", count: 85),
  ])
  func `that may buy is accepted by every call`(user: String) async throws {
    let front = try await ServerFixture.open()
    let made = await front.ask("POST", CreateOrder.path, as: front.keys.secret, json: order(for: user))
    #expect(made.status == 201)
    let id = try #require(made["id"]?.string)
    let paid = await front.submit(
      TestAppStoreSigner().transaction("1001", token: id), as: front.keys.secret, [("userId", .string(user))])
    #expect(paid.payment["verdict"]?.string == "fulfilled")
    let escaped = RequestTarget.encode(user)
    var names: Set<String> = []
    for operation in try await Document.served(by: front.server).operations
    where operation.path.contains("{userId}") && operation.method == "GET" {
      let credential = operation.credentials.contains("backend") ? front.keys.secret : front.keys.operator
      let target = operation.path(with: ["userId": user, "unit": "coin"])
      let answer = await front.ask("GET", target, as: credential)
      #expect(answer.status == 200, "\(target): \(answer.code ?? "")")
      names.insert(operation.json["operationId"]?.string ?? "")
      if let orders = answer["orders"]?.array { #expect(orders.first?["userId"]?.string == user) }
      if let balances = answer["balances"]?.array { #expect(balances.first?["amount"]?.integer == 100) }
    }
    #expect(names.count >= 6)
    for path in ["/v1/orders", "/v1/balances", "/v1/entitlements"] {
      #expect(await front.ask("GET", path + "?userId=" + escaped, as: front.keys.secret).status == 200)
    }
    let debit = await front.ask(
      "POST", "/v1/users/\(escaped)/balances/coin/debits", as: front.keys.secret,
      json: .members([("amount", .integer(30)), ("id", "d-1")]))
    #expect(debit.status == 201 && debit["balance"]?.integer == 70 && debit["userId"]?.string == user)
    let consent = await front.ask(
      "PUT", "/v1/users/\(escaped)/consumption-consent", as: front.keys.secret,
      json: .members([("consented", .bool(true))]))
    #expect(consent.status == 200)
    let own = await front.ask("GET", "/v1/balances", as: front.token(of: UserIdentifier(user)))
    #expect(own["balances"]?.array?.first?["amount"]?.integer == 70)
  }

  @Test func `does not reach another call by its slashes`() async throws {
    let front = try await ServerFixture.open()
    _ = await front.order(of: "alice")
    for target in [
      "/v1/users/alice%2Forders", "/v1%2Fusers/alice/orders", "/v1/users/alice%2F..%2Falice/orders",
      "/v1/users/%2E%2E/orders", "/v1/users/../orders",
    ] {
      let answer = await front.ask("GET", target, as: front.keys.secret)
      #expect(answer.status != 200 || answer["orders"]?.array == [], "\(target)")
    }
  }
}

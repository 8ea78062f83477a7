import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import PaymentServer
import ShopFixtures
import StrictJSON
import Testing

/// Every call of the document with every kind of credential. The calls come from the document, so a new route is
/// covered automatically.
@Suite struct `Every call (A14, A18)` {
  /// Credentials by the kinds that the document names.
  private func credentials(_ front: ServerFixture) -> [(kind: String, text: String)] {
    let es256 = TokenMaker(at: front.now()).token(
      TokenMaker().claims(), kid: "shop-es", by: .es256(TokenMaker.privateKey))
    return [
      ("user", front.token()), ("user", es256), ("publishable", front.keys.publishable), ("backend", front.keys.secret),
      ("operator", front.keys.operator),
    ]
  }

  private func valid(_ operation: Document.Operation) -> JSONValue? { operation.body == nil ? nil : .object([]) }

  private func document(_ front: ServerFixture) async throws -> Document { try await Document.served(by: front.server) }

  @Test func `exists, and asks for a credential or states that it needs none`() async throws {
    let front = try await ServerFixture.open()
    let operations = try await document(front).operations
    #expect(operations.count > 20)
    for operation in operations {
      let answer = await front.ask(operation.method, operation.path(), json: valid(operation))
      let place = "\(operation.method) \(operation.path)"
      #expect(answer.code != "route_unknown" && answer.code != "method_not_allowed", "\(place)")
      if operation.credentials.isEmpty {
        #expect(answer.code != "credential_missing", "\(place)")
      } else {
        #expect(answer.code == "credential_missing", "\(place)")
        #expect(answer.status == 401, "\(place)")
      }
    }
  }

  @Test func `takes the credentials that it names and refuses all others`() async throws {
    let front = try await ServerFixture.open {
      ($0.mayCredit, $0.mayGiveEntitlements, $0.mayErase) = (true, true, true)
    }
    for operation in try await document(front).operations where !operation.credentials.isEmpty {
      for (kind, text) in credentials(front) {
        let answer = await front.ask(operation.method, operation.path(), as: text, json: valid(operation))
        let place = "\(operation.method) \(operation.path) as \(kind): \(answer.code ?? "\(answer.status)")"
        if operation.credentials.contains(kind) {
          #expect(answer.status != 401 && answer.status != 403 && answer.status != 500, "\(place)")
        } else {
          #expect(answer.code == "not_allowed", "\(place)")
        }
      }
    }
  }

  @Test func `refuses invalid credentials`() async throws {
    let front = try await ServerFixture.open { $0.settings = { $0.rates.failedCheckCost = 0 } }
    let keyId = String(front.keys.secret.prefix(16))
    let maker = TokenMaker(at: front.now())
    _ = try await front.engine.revokeKey(CredentialIdentifier(String(front.keys.publishable.prefix(16))), of: nil)
    let wrong = [
      "x", "cfs_", keyId, keyId + "_", String(front.keys.secret.dropLast()) + "!", front.keys.secret + "A",
      front.keys.secret.uppercased(), "cfo" + front.keys.secret.dropFirst(3),
      keyId + "_" + front.keys.operator.suffix(43), front.keys.publishable,
      maker.token(maker.claims(), by: .nobody), maker.token(maker.claims(), kid: "other-hs"),
      maker.token(maker.claims(app: "other")),
    ]
    for operation in try await document(front).operations where !operation.credentials.isEmpty {
      for text in wrong {
        let answer = await front.ask(operation.method, operation.path(), as: text, json: valid(operation))
        #expect(answer.code == "credential_invalid", "\(operation.method) \(operation.path) as \(text)")
      }
      let expired = TokenMaker(at: front.now() - .days(1)).token()
      #expect(await front.ask(operation.method, operation.path(), as: expired).code == "token_expired")
    }
  }

  /// What exists in the shop, by the names of the path parameters.
  private func filled(_ front: ServerFixture) async throws -> [String: String] {
    let order = await front.order()
    await front.submit(TestAppStoreSigner().transaction("1001", token: order), as: front.token())
    let unclaimed = await front.submit(TestAppStoreSigner().transaction("1002"), as: front.keys.publishable)
    #expect(unclaimed.payment["verdict"]?.string == "unclaimed")
    let delivery = try #require(await front.deliveries().first?["id"]?.string)
    return [
      "orderId": order, "deliveryId": delivery, "transactionId": "1002", "userId": "alice", "app": "shop",
      "keyId": String(front.keys.publishable.prefix(16)), "unit": "coin", "store": "appStore",
      "environment": "simulated",
    ]
  }

  /// A body that would take effect if the caller were allowed to send it.
  private func effective(_ operation: Document.Operation, _ names: [String: String], document: Document) -> JSONValue? {
    guard operation.body != nil else { return nil }
    let fields = document.fields(of: operation)
    let evidence = TestAppStoreSigner().transaction("1002")
    let all: [(String, JSONValue?)] = [
      ("productId", "coins.100"), ("store", "appStore"), ("evidence", .string(evidence)),
      ("transactionIds", .array(["1001"])), ("reason", "tests"), ("kind", "secret"), ("label", "tests"),
      ("userId", operation.path.contains("orders/{") ? nil : "alice"), ("signedPayload", "a.b.c"),
      ("orderId", names["orderId"].map { .string($0) }), ("day", "2026-03-01"),
      ("stands", .bool(true)), ("days", .integer(7)), ("cause", "other"), ("requestIdentifier", "r1"),
      ("text", "hello"), ("talk", "x"), ("destination", "merchantAccount"), ("periodEnd", "2026-04-01T12:00:00Z"),
      ("entitlement", "premium"), ("until", "2026-04-01T12:00:00Z"),
      ("amount", operation.path.hasSuffix("/debits") ? .integer(1) : nil), ("consented", .bool(true)),
    ]
    return .members(all.filter { fields.contains($0.0) })
  }

  /// Everything that the shop can see of itself.
  private func snapshot(_ front: ServerFixture, _ names: [String: String]) async -> [String] {
    var seen: [String] = []
    for path in [
      "/v1/orders", "/v1/orders/\(names["orderId"] ?? "")", "/v1/deliveries", "/v1/users/alice/balances",
      "/v1/users/alice/entitlements", "/v1/users/alice/balances/coin/entries", "/v1/users/alice/consumption-consent",
    ] {
      seen.append(await front.ask("GET", path, as: front.keys.secret).text)
    }
    for path in ["/v1/operator/queue", "/v1/operator/keys"] {
      seen.append(await front.ask("GET", path, as: front.keys.operator).text)
    }
    return seen
  }

  @Test func `shows and changes nothing of another app, whatever the request names`() async throws {
    let front = try await ServerFixture.open()
    let names = try await filled(front)
    let before = await snapshot(front, names)
    let maker = TokenMaker(at: front.now())
    let strangers = [
      front.keys.otherSecret, front.keys.otherOperator, front.keys.other[.publishable] ?? "",
      maker.token(maker.claims(app: "other"), kid: "other-hs", by: .hs256(TokenMaker.otherSecret)),
    ]
    let marks = [names["orderId"], names["deliveryId"], "\"1001\"", "\"1002\"", names["keyId"]].compactMap(\.self)
    let document = try await document(front)
    for operation in document.operations where !operation.credentials.isEmpty {
      let body = effective(operation, names, document: document)
      for stranger in strangers {
        let target = operation.path(with: names)
        let answer = await front.ask(
          operation.method, target, as: stranger, json: body, fields: ["Idempotency-Key": "k"])
        guard answer.code != "not_allowed" else { continue }
        // What the caller sent may come back; what the caller did not know may not. The evidence names its transaction,
        // too.
        let sent = target + (body.map { $0.text + "1002" } ?? "")
        for mark in marks where !sent.contains(mark.filter { $0 != "\"" }) && operation.path != "/metrics" {
          #expect(!answer.text.contains(mark), "\(operation.method) \(operation.path) shows \(mark)")
        }
        if operation.path.contains("{"), !operation.path.contains("{userId}") {
          // An item of the queue exists only while it waits: one that nobody knows and one that is done are the same.
          let unknown = operation.path.contains("{itemId}") ? 409 : 404
          #expect(answer.status == unknown, "\(operation.method) \(operation.path): \(answer.status)")
        }
      }
    }
    #expect(await snapshot(front, names) == before)
    #expect(try await front.violations() == [])
  }

  @Test func `of a user shows and changes nothing of another user (A14)`() async throws {
    let front = try await ServerFixture.open()
    let names = try await filled(front)
    let before = await snapshot(front, names)
    let bob = front.token(of: "bob")
    let reads = try await document(front).operations.filter { $0.credentials.contains("user") }
    for operation in reads where operation.path.contains("{") || operation.method == "GET" {
      let answer = await front.ask(operation.method, operation.path(with: names), as: bob)
      #expect(!answer.text.contains("alice"), "\(operation.method) \(operation.path)")
      #expect(!answer.text.contains(names["orderId"] ?? "-"), "\(operation.method) \(operation.path)")
      if operation.path.contains("{") { #expect(answer.code == "order_unknown") }
      for name in ["userId=alice", "userId=alice&userId=bob"] where operation.path != "/v1/products" {
        let named = await front.ask(operation.method, operation.path(with: names) + "?" + name, as: bob)
        #expect(named.code == "user_not_allowed" || named.code == "field_invalid", "\(operation.path)")
      }
    }
    #expect(await snapshot(front, names) == before)
  }

  @Test func `gives the same answer for an unknown order and for another user's (A14)`() async throws {
    let front = try await ServerFixture.open()
    let order = await front.order()
    let bob = front.token(of: "bob")
    func told(_ id: String) async -> String {
      let answer = await front.ask("GET", "/v1/orders/" + id, as: bob)
      return [answer.code, answer["title"]?.string, answer["detail"]?.string].map { $0 ?? "-" }.joined(separator: "|")
    }
    let foreign = await told(order)
    #expect(await told("01890a5d-ac96-774b-bcce-b302099a8057") == foreign)
    let transaction = await front.ask(
      "POST", "/v1/payments/app-store", as: bob, json: .members([("transactionId", "1001")]))
    await front.submit(TestAppStoreSigner().transaction("1001", token: order), as: front.token())
    let known = await front.ask(
      "POST", "/v1/payments/app-store", as: bob, json: .members([("transactionId", "1001")]))
    #expect(transaction.code == "transaction_unknown")
    #expect(known.code == transaction.code)
    #expect(known["detail"] == transaction["detail"])
  }
}

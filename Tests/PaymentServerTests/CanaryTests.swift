import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import PaymentServer
import ShopFixtures
import StrictJSON
import Testing

/// A19: secrets are put into every place that a caller can reach, and looked for in everything that comes out.
@Suite struct `What is secret (A19)` {
  private let signature = "c2lnbmF0dXJlIG9mIGEgY2FuYXJ5"

  /// All that must never be visible: keys, secrets, and the signatures that make tokens and evidence valid.
  private func secrets(_ front: ServerFixture) -> [String] {
    let token = front.token().split(separator: ".").last.map(String.init) ?? ""
    let evidence = TestAppStoreSigner().transaction("1001").split(separator: ".").last.map(String.init) ?? ""
    return [
      front.keys.secret, front.keys.publishable, front.keys.operator, front.keys.otherSecret, token, evidence,
      ServerFixture.webhookSecret, TokenMaker.sharedSecret, String(repeating: "5c", count: 32), signature,
    ]
  }

  /// Everything that left the server besides answers.
  private func traces(_ front: ServerFixture) async -> String {
    let log = front.recorder.events.map { event in
      event.name + event.fields.map { " \($0.name)=\($0.value)" }.joined()
    }
    return log.joined(separator: "\n") + front.engine.metrics.text()
  }

  @Test func `is in no answer, log line or metric, wherever callers put it`() async throws {
    let front = try await ServerFixture.open {
      $0.settings = {
        $0.rates.failedCheckCost = 0
        $0.rates.peer = .init(perSecond: 1_000_000, burst: 1_000_000)
      }
    }
    let secrets = secrets(front)
    let canaries = [
      front.keys.secret, front.token(), TestAppStoreSigner().transaction("1001"), "cfs_canary_" + signature,
    ]
    let credentials = [nil, front.token(), front.keys.secret, front.keys.operator, front.keys.publishable]
    for operation in try await Document.served(by: front.server).operations {
      for canary in canaries {
        let parameters = ["orderId", "deliveryId", "transactionId", "userId", "app", "keyId"]
        let path = operation.path(with: Dictionary(uniqueKeysWithValues: parameters.map { ($0, canary) }))
        let query =
          "?"
          + ["token", "environment", "limit", "wait", "state", "before"].map { "\($0)=\(canary)" }
          .joined(separator: "&")
        let names = [
          "quantity", "store", "environment", "limit", "leaseSeconds", "transactionIds", "kind", "metadata", "orderIds",
          "signedPayload", "evidence", "unknown",
        ]
        for credential in credentials {
          let bodies = [JSONValue.string(canary), .members(names.map { ($0, .string(canary)) })]
          for (target, body) in zip([path, operation.path() + query], bodies) {
            let fields: HTTPFields = [
              "Accept-Language": canary, "Content-Encoding": "identity", "X-Forwarded-For": canary, "Cookie": canary,
            ]
            let answer = await front.ask(operation.method, target, as: credential, json: body, fields: fields)
            let shown = answer.text + answer.fields.all.map(\.value).joined(separator: "\n")
            #expect(secrets.allSatisfy { !shown.contains($0) }, "\(operation.method) \(operation.path)")
          }
        }
        for credential in [canary + "x", "Basic " + canary, canary + " " + canary] {
          let answer = await front.ask(operation.method, operation.path(), as: credential)
          for secret in secrets { #expect(!answer.text.contains(secret)) }
        }
        await front.ask(canary, path)
      }
    }
    let traces = await traces(front)
    #expect(traces.contains("http.answered"))
    for secret in secrets { #expect(!traces.contains(secret)) }
  }

  @Test func `is in no trace of a whole purchase, nor is the buyer`() async throws {
    let front = try await ServerFixture.open()
    let buyer: UserIdentifier = "canary-user@example.com"
    let order = await front.order("coins.100", of: buyer)
    await front.submit(TestAppStoreSigner().transaction("1001", token: order), as: front.token(of: buyer))
    await front.submit(TestAppStoreSigner().transaction("1002"), as: front.keys.publishable)
    let made = await front.ask(
      "POST", "/v1/operator/keys", as: front.keys.operator, json: .members([("kind", "secret"), ("label", "new")]))
    let text = try #require(made["key"]?.string)
    let traces = await traces(front)
    #expect(traces.contains("payment.fulfilled"))
    for secret in secrets(front) + [text, buyer.text] { #expect(!traces.contains(secret)) }
    let page = await front.ask("GET", "/metrics", from: "127.0.0.1").text
    for secret in secrets(front) + [text, buyer.text, order] { #expect(!page.contains(secret)) }
  }
}

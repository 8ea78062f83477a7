import Foundation
import HTTPMessages
import ShopFixtures
import StrictJSON
import Testing

@Suite struct `The OpenAPI document` {
  /// The calls of this version. If one goes missing, this fails.
  private static let promised: [String] = [
    "GET /v1/products", "POST /v1/orders", "GET /v1/orders", "GET /v1/orders/{orderId}",
    "POST /v1/orders/{orderId}/close",
    "POST /v1/orders/{orderId}/approval-pending", "POST /v1/payments/app-store", "POST /v1/payments/app-store/finished",
    "GET /v1/entitlements", "GET /v1/balances", "GET /v1/users/{userId}/orders", "GET /v1/users/{userId}/entitlements",
    "GET /v1/users/{userId}/balances", "POST /v1/deliveries/claim", "POST /v1/deliveries/{deliveryId}/ack",
    "GET /v1/deliveries", "GET /v1/events", "GET /v1/reports/revenue", "POST /notifications/app-store",
    "POST /notifications/app-store/{app}", "GET /livez",
    "POST /v1/orders/{orderId}/wechat-pay", "POST /v1/payments/wechat-pay", "POST /v1/orders/{orderId}/refund",
    "GET /v1/orders/{orderId}/refunds", "POST /v1/operator/orders/{orderId}/refund",
    "POST /v1/operator/reconciliations", "POST /notifications/wechat-pay/{app}",
    "GET /readyz", "GET /metrics", "GET /openapi.json", "POST /v1/users/{userId}/balances/{unit}/debits",
    "GET /v1/users/{userId}/balances/{unit}/entries", "GET /v1/users/{userId}/refund-ratio",
    "PUT /v1/users/{userId}/consumption-consent", "POST /v1/app-store/offers",
    "POST /v1/app-store/introductory-offers", "GET /v1/operator/search", "GET /v1/operator/orders/{orderId}",
    "GET /v1/operator/payments/{store}/{environment}/{transactionId}", "GET /v1/operator/users/{userId}",
    "GET /v1/operator/deliveries", "GET /v1/operator/deliveries/{deliveryId}",
    "GET /v1/operator/notifications/{notificationId}", "POST /v1/diagnostics", "GET /v1/operator/diagnostics",
    "GET /.well-known/apple-app-site-association",
  ]

  private func document() async throws -> Document {
    try await Document.served(by: try await ServerFixture.open().server)
  }

  @Test func `is version 3.1, and has every call that is promised`() async throws {
    let document = try await document()
    #expect(document.json["openapi"]?.string == "3.1.0")
    #expect(document.json["info"]?["title"]?.string == "Counterfoil")
    #expect(document.json["info"]?["version"]?.string == "1.0-test")
    let calls = document.operations.map { "\($0.method) \($0.path)" }
    #expect(Set(Self.promised).subtracting(calls) == [])
    #expect(Set(calls).count == calls.count)
  }

  /// Routes are values in files. This test finds a route that is in a file but not in the table, and so not in the
  /// document.
  @Test func `has every path in the source files of the routes`() async throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Sources/Interfaces/PaymentServer/Routes")
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    let documented = Set(try await document().operations.map(\.path))
    var written: Set<String> = []
    for file in files where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: /"(\/[a-z][^" ]*)"/) { written.insert(String(match.1)) }
    }
    #expect(written.count > 15)
    #expect(written.subtracting(documented).sorted() == [])
  }

  @Test func `lists for each path exactly the methods that it accepts`() async throws {
    let front = try await ServerFixture.open()
    let document = try await document()
    for path in Set(document.operations.map(\.path)) {
      let methods = Set(document.operations.filter { $0.path == path }.map(\.method))
      let target = document.operations.first { $0.path == path }?.path() ?? path
      let answer = await front.ask("OPTIONS", target)
      let allowed = Set((answer.fields["Allow"] ?? "").split(separator: ",").map { $0.filter { $0 != " " } })
      #expect(allowed == methods.union(["OPTIONS"]).union(methods.contains("GET") ? ["HEAD"] : []), "\(path)")
    }
  }

  @Test func `names each operation once, with a summary, its path's parameters, answers and refusals`() async throws {
    let document = try await document()
    let names = document.operations.compactMap { $0.json["operationId"]?.string }
    #expect(Set(names).count == document.operations.count)
    for operation in document.operations {
      let place = "\(operation.method) \(operation.path)"
      #expect(operation.json["summary"]?.string?.hasSuffix(".") == true, "\(place)")
      let inPath = operation.path.split(separator: "/").filter { $0.hasPrefix("{") }.map { $0.dropFirst().dropLast() }
      let described = operation.parameters(in: "path")
      #expect(described.compactMap { $0["name"]?.string } == inPath.map(String.init), "\(place)")
      #expect(described.allSatisfy { $0["required"]?.bool == true }, "\(place)")
      let statuses = (operation.json["responses"]?.object ?? []).map(\.name)
      #expect(statuses.contains { $0.hasPrefix("2") }, "\(place)")
      #expect(operation.codes.contains("internal_error") && operation.codes.contains("body_too_large"), "\(place)")
      for response in operation.json["responses"]?.object ?? [] {
        #expect(response.value["description"]?.string?.isEmpty == false, "\(place)")
        let hasContent = response.value["content"]?.object?.isEmpty == false
        #expect(hasContent == (response.name != "204"), "\(place)")
      }
      #expect(operation.json["security"]?.array != nil, "\(place)")
    }
  }

  @Test func `refers only to schemas that it has, and has no unused schema`() async throws {
    let document = try await document()
    let schemas = Set((document.json["components"]?["schemas"]?.object ?? []).map(\.name))
    var used: Set<String> = []
    func look(_ value: JSONValue) {
      switch value {
      case .array(let items): items.forEach(look)
      case .object(let members):
        for member in members {
          if member.name == "$ref", let text = member.value.string {
            #expect(text.hasPrefix("#/components/schemas/"))
            used.insert(String(text.dropFirst("#/components/schemas/".count)))
          }
          look(member.value)
        }
      case .null, .bool, .number, .string: break
      }
    }
    look(document.json)
    #expect(used == schemas)
    let schemes = Set((document.json["components"]?["securitySchemes"]?.object ?? []).map(\.name))
    #expect(schemes.isSuperset(of: document.operations.flatMap(\.credentials).filter { $0 != "nobody" }))
  }

  @Test func `accepts a request that the server accepts, and refuses one that it refuses`() async throws {
    let document = try await document()
    let check = SchemaCheck(root: document.json)
    let create = try #require(document.operations.first { $0.path == "/v1/orders" && $0.method == "POST" }?.body)
    let good: JSONValue = .members([("productId", "coins.100"), ("store", "appStore"), ("quantity", .integer(3))])
    #expect(check.problems(of: good, by: create) == [])
    for (name, value): (String, JSONValue) in [
      ("quantity", .integer(11)), ("quantity", "3"), ("store", "paypal"), ("metadata", .array([])), ("productId", ""),
    ] {
      let others = (good.object ?? []).filter { $0.name != name }.map { ($0.name, JSONValue?.some($0.value)) }
      let bad = JSONValue.members(others + [(name, value)])
      #expect(check.problems(of: bad, by: create).count == 1, "\(name)")
    }
    #expect(check.problems(of: .object([]), by: create).count == 2)
  }
}

@Suite struct `The check by a schema` {
  private func problems(_ value: String, _ schema: String) throws -> Int {
    SchemaCheck(root: .null).problems(of: try JSONReader.read(value.utf8), by: try JSONReader.read(schema.utf8)).count
  }

  @Test func `finds what does not fit, and what it cannot judge`() throws {
    let object = #"{"type":"object","required":["a"],"properties":{"a":{"type":"integer","minimum":1,"maximum":2}}}"#
    for (value, count) in [
      (#"{"a":1}"#, 0), (#"{"a":3}"#, 1), (#"{"a":0}"#, 1), ("{}", 1), (#"{"a":1,"b":1}"#, 1), ("[]", 1),
      (#"{"a":"1"}"#, 1),
    ] {
      #expect(try problems(value, object) == count, "\(value)")
    }
    #expect(try problems("1", #"{"oneOf":[]}"#) == 1)
    #expect(try problems("1", #"{"type":"number"}"#) == 1)
    #expect(try problems("1", ##"{"$ref":"#/nowhere"}"##) == 1)
    #expect(try problems(#""x""#, #"{"type":"string","format":"uuid"}"#) == 1)
    #expect(try problems(#""2026-13-01""#, #"{"type":"string","format":"date-time"}"#) == 1)
    #expect(try problems(#""x""#, #"{"type":"string","enum":["y"]}"#) == 1)
    #expect(try problems("[1,2]", #"{"type":"array","items":{"type":"string"},"maxItems":1}"#) == 3)
  }
}

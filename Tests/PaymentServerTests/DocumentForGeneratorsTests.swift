import ShopFixtures
import StrictJSON
import Testing

/// What a client that is made from the document needs beyond the calls themselves.
@Suite struct `The OpenAPI document for generated clients` {
  private func document() async throws -> Document {
    try await Document.served(by: try await ServerFixture.open().server)
  }

  @Test func `describes every field of every schema`() async throws {
    let document = try await document()
    var described = 0
    func look(_ schema: JSONValue, at path: String) {
      for property in schema["properties"]?.object ?? [] {
        let place = path + "." + property.name
        let words = property.value["description"]?.string ?? ""
        #expect(words.hasSuffix(".") && words.utf8.count > 5, "\(place) has no description")
        described += 1
        look(property.value, at: place)
        if let items = property.value["items"] { look(items, at: place) }
      }
    }
    for schema in document.json["components"]?["schemas"]?.object ?? [] { look(schema.value, at: schema.name) }
    #expect(described > 500, "\(described)")
  }

  @Test func `gives every operation one tag that is explained, and every tag an operation`() async throws {
    let document = try await document()
    let tags = (document.json["tags"]?.array ?? []).compactMap { $0["name"]?.string }
    for tag in document.json["tags"]?.array ?? [] { #expect(tag["description"]?.string?.hasSuffix(".") == true) }
    var used: Set<String> = []
    for operation in document.operations {
      let own = (operation.json["tags"]?.array ?? []).compactMap(\.string)
      #expect(own.count == 1 && tags.contains(own.first ?? ""), "\(operation.method) \(operation.path)")
      used.formUnion(own)
    }
    #expect(used == Set(tags))
  }

  @Test func `shows examples of every operation, each of which fits its schema`() async throws {
    let document = try await document()
    let check = SchemaCheck(root: document.json)
    for operation in document.operations {
      let place = "\(operation.method) \(operation.path)"
      let request = operation.json["requestBody"]?["content"]?["application/json"]
      let asked = (request?["examples"]?.object ?? []).compactMap { $0.value["value"] }
      #expect(request == nil || !asked.isEmpty, "\(place) has no example of its body")
      for example in asked {
        #expect(check.problems(of: example, by: request?["schema"] ?? .null) == [], "\(place) \(example.text)")
      }
      var answers = 0
      for response in operation.json["responses"]?.object ?? [] where response.name.hasPrefix("2") {
        for content in response.value["content"]?.object ?? [] {
          guard let example = content.value["example"] else { continue }
          answers += 1
          let problems = check.problems(of: example, by: content.value["schema"] ?? .null)
          #expect(problems == [], "\(place) \(example.text)")
        }
      }
      #expect(answers + asked.count > 0, "\(place) has no example")
    }
  }

  @Test func `shows an order at each store, with the fields that WeChat Pay's trade types need`() async throws {
    let document = try await document()
    let create = document.operations.first { $0.path == "/v1/orders" && $0.method == "POST" }
    let examples = create?.json["requestBody"]?["content"]?["application/json"]?["examples"]?.object ?? []
    let values = examples.compactMap { $0.value["value"] }
    #expect(Set(values.compactMap { $0["store"]?.string }) == ["appStore", "weChatPay"])
    #expect(Set(values.compactMap { $0["tradeType"]?.string }) == ["JSAPI", "H5", "NATIVE"])
    #expect(values.contains { $0["openId"] != nil } && values.contains { $0["payerAddress"] != nil })
  }

  @Test func `names a server that a client can replace`() async throws {
    let server = try #require(try await document().json["servers"]?.array?.first)
    #expect(server["url"]?.string == "{origin}")
    #expect(server["variables"]?["origin"]?["default"]?.string == "http://127.0.0.1:8080")
    #expect(server["description"]?.string?.hasSuffix(".") == true)
  }
}

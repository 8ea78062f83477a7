import Cryptography
import Foundation
import PaymentEngine
import PaymentPrimitives
import ServerConfiguration
import TOMLConfiguration
import Testing

@Suite struct `What a configuration says about traces` {
  private static func read(_ otlp: String) throws -> TraceSettings? {
    // The reference's own tables go; those of the test take their place.
    let tables = ["[otlp]\n", "[otlp.headers]\n"]
    var lines: [Substring] = []
    var isLeftOut = false
    for line in try ExampleConfiguration(profile: "production").text.split(separator: "\n") {
      if line.hasPrefix("[") { isLeftOut = tables.contains(line + "\n") }
      if !isLeftOut { lines.append(line) }
    }
    return try ExampleConfiguration.read(lines.joined(separator: "\n") + "\n" + otlp).traces
  }

  @Test func `is nothing without the table: traces are off`() throws {
    #expect(try Self.read("") == nil)
  }

  @Test(arguments: [
    ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
    ("http://127.0.0.1:4318/", "http://127.0.0.1:4318/v1/traces"),
    ("https://otel.example.com/v1/traces", "https://otel.example.com/v1/traces"),
    ("https://otel.example.com/v1/traces//", "https://otel.example.com/v1/traces"),
    ("https://otel.example.com/team", "https://otel.example.com/team/v1/traces"),
    ("http://collector.internal:4318", "http://collector.internal:4318/v1/traces"),
  ])
  func `names a collector, with or without the path of traces`(endpoint: String, url: String) throws {
    #expect(try Self.read("[otlp]\nendpoint = \"\(endpoint)\"\n")?.url == url)
  }

  @Test func `gives the share, the name and the secret fields`() throws {
    let settings = try #require(
      try Self.read(
        """
        [otlp]
        endpoint = "http://127.0.0.1:4318"
        sample = 0.25
        service = "till"
        headers = { Authorization = { file = "collector.secret" }, X-Tenant = { file = "shared.secret" } }

        """))
    #expect(settings.sampling == TraceSampling(ratio: 0.25) && settings.service == "till")
    #expect(settings.headers.map(\.name) == ["Authorization", "X-Tenant"])
    let first = settings.headers.first?.value.withBytes { String(decoding: $0, as: UTF8.self) }
    #expect(first == "Basic made-for-tests")
    #expect(try Self.read("[otlp]\nendpoint = \"http://127.0.0.1:4318\"\nsample = 1\n")?.sampling == .init(ratio: 1))
  }

  @Test(arguments: [
    ("endpoint = \"ftp://127.0.0.1\"", "endpoint"), ("endpoint = \"127.0.0.1:4318\"", "endpoint"),
    ("endpoint = \"http://user:word@127.0.0.1:4318\"", "endpoint"),
    ("endpoint = \"http://127.0.0.1:4318/?key=x\"", "endpoint"), ("endpoint = \"http:///v1/traces\"", "endpoint"),
    // Traces of real purchases do not cross a network in plain text.
    ("endpoint = \"http://otel.example.com\"", "endpoint"), ("", "endpoint"),
    ("endpoint = \"http://127.0.0.1:4318\"\nsample = 1.5", "sample"),
    ("endpoint = \"http://127.0.0.1:4318\"\nsample = -0.1", "sample"),
    ("endpoint = \"http://127.0.0.1:4318\"\nsample = nan", "sample"),
    ("endpoint = \"http://127.0.0.1:4318\"\nsample = \"1\"", "sample"),
    ("endpoint = \"http://127.0.0.1:4318\"\nservice = \"\"", "service"),
    ("endpoint = \"http://127.0.0.1:4318\"\nratio = 1", "ratio"),
    ("endpoint = \"http://127.0.0.1:4318\"\nheaders = { Authorization = \"secret\" }", "headers"),
    ("endpoint = \"http://127.0.0.1:4318\"\nheaders = { Authorization = { file = \"none\" } }", "headers"),
    ("endpoint = \"http://127.0.0.1:4318\"\nheaders = { Host = { file = \"shared.secret\" } }", "headers"),
    ("endpoint = \"http://127.0.0.1:4318\"\nheaders = { content-length = { file = \"shared.secret\" } }", "headers"),
    ("endpoint = \"http://127.0.0.1:4318\"\nheaders = { \"a b\" = { file = \"shared.secret\" } }", "headers"),
    // The file has a second line: it would become a second field.
    ("endpoint = \"http://127.0.0.1:4318\"\nheaders = { Authorization = { file = \"chain.pem\" } }", "headers"),
  ])
  func `is refused if it cannot work, with its key`(lines: String, key: String) throws {
    do {
      _ = try Self.read("[otlp]\n" + lines + "\n")
      Issue.record("it was taken")
    } catch { #expect("\(error)".contains("otlp.\(key)"), "\(error)") }
  }
}

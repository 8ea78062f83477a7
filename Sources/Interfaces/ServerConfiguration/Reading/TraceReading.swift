import Cryptography
import PaymentDatabase
import PaymentEngine
import TOMLConfiguration

/// Reads the table `[otlp]`.
struct TraceReading {
  let reading: ConfigurationReading
  let profile: DatabaseProfile

  /// The path of traces in OTLP over HTTP, which a collector adds to its own address.
  private static let path = "/v1/traces"

  func read(_ table: ConfigurationTable) -> TraceSettings? {
    let endpoint = table.required("endpoint", .string(bytes: 8...2048))
    let headers = headers(table)
    let ratio = table.value("sample", .decimal(in: 0...1), default: 1)
    let service = table.value("service", .string(bytes: 1...255), default: "counterfoil")
    guard let endpoint else { return nil }
    guard endpoint.hasPrefix("http://") || endpoint.hasPrefix("https://"), !endpoint.contains("@"),
      !endpoint.contains("?"), !endpoint.contains("#")
    else {
      table.refuse(
        "endpoint", .malformed,
        details: "It must be http:// or https:// with a host, without a user, a query or a fragment.")
      return nil
    }
    // A collector usually stands in the inner network, and the configuration alone names it.
    reading.doubts.check(table, url: endpoint, at: "endpoint", mayBeInside: true, profile)
    var address = endpoint
    while address.hasSuffix("/") { address.removeLast() }
    return TraceSettings(
      url: address.hasSuffix(Self.path) ? address : address + Self.path, headers: headers,
      sampling: TraceSampling(ratio: ratio), service: service)
  }

  private static let headersMax = 16

  /// Fields that the exporter itself sets, and those of a connection.
  private static let ownNames: Set<String> = [
    "connection", "content-encoding", "content-length", "content-type", "expect", "host", "te", "trailer",
    "transfer-encoding", "upgrade", "user-agent",
  ]

  private func headers(_ table: ConfigurationTable) -> [(name: String, value: Secret)] {
    let named = table.namedValues("headers", .secret)
    guard named.count <= Self.headersMax else {
      table.refuse("headers", .outOfRange, details: "At most \(Self.headersMax) fields are sent.")
      return []
    }
    return named.compactMap { name, reference in
      guard Self.isName(name), !Self.ownNames.contains(name.lowercased()) else {
        table.refuse("headers", .malformed, details: "\(name) is no name of a header field that may be set here.")
        return nil
      }
      guard let value = reading.resolve(reference, table, key: "headers") else { return nil }
      guard value.withBytes({ $0.allSatisfy { (0x20...0x7E).contains($0) } }) else {
        table.refuse("headers", .malformed, details: "The value of \(name) is not one line of printable ASCII.")
        return nil
      }
      return (name, value)
    }
  }

  /// Letters, digits and hyphens, as in all fields that collectors ask for.
  private static func isName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D
      }
  }
}

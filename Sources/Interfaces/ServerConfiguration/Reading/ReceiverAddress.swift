/// The parts of a receiver's URL that show where it leads. Names are not looked up: the client that connects checks
/// every address of a name.
struct ReceiverAddress: Hashable, Sendable {
  /// Whether the connection is encrypted.
  let isEncrypted: Bool
  /// The host, in lower case, without brackets.
  let host: String

  /// Parses a URL as far as its host; nil if it names none.
  init?(_ url: String) {
    guard let end = url.firstRange(of: "://") else { return nil }
    isEncrypted = url[..<end.lowerBound].lowercased() == "https"
    let authority = url[end.upperBound...].prefix { !"/?#\\".contains($0) }
    let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    let name =
      place.hasPrefix("[") ? place.dropFirst().prefix { $0 != "]" } : place.prefix { $0 != ":" }
    host = String(name.hasSuffix(".") ? name.dropLast() : name).lowercased()
    guard !host.isEmpty else { return nil }
  }

  /// Whether it is this machine itself.
  var isThisMachine: Bool {
    host == "localhost" || host.hasSuffix(".localhost") || host == "::1" || numbers?.first == 127
  }

  /// Whether it can only be in the inner network: deliveries then need permission to go there.
  var isInside: Bool {
    if host.utf8.contains(0x3A) { return !Self.isGlobal6(host) }
    if let numbers { return Self.isPrivate4(numbers) }
    // Names of one label, and names that no public name server resolves.
    return !host.utf8.contains(0x2E) || Self.innerDomains.contains { host.hasSuffix($0) } || endsInNumber
  }

  private static let innerDomains = [
    ".localhost", ".local", ".internal", ".lan", ".home.arpa", ".home", ".corp", ".intranet", ".private",
  ]

  /// The four numbers of an IPv4 address in its usual form.
  private var numbers: [UInt8]? {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { UInt8($0) }
    return parts.count == 4 && numbers.count == 4 ? numbers : nil
  }

  /// Resolvers read such names as IPv4 addresses in unusual forms: `127.1`, `0x7f.0.0.1`.
  private var endsInNumber: Bool {
    host.split(separator: ".").last.map { $0.utf8.first.map { (0x30...0x39).contains($0) } ?? false } ?? false
  }

  private static func isPrivate4(_ numbers: [UInt8]) -> Bool {
    switch (numbers[0], numbers[1]) {
    case (0, _), (10, _), (127, _), (169, 254), (172, 16...31), (192, 168), (100, 64...127), (224..., _): true
    default: false
    }
  }

  /// 2000::/3 is the assigned space of IPv6. Any other address is internal, or wraps an address that may be internal.
  private static func isGlobal6(_ host: String) -> Bool {
    let first = host.split(separator: ":", omittingEmptySubsequences: false).first ?? ""
    guard let group = UInt16(first, radix: 16) else { return false }
    return group & 0xE000 == 0x2000
  }
}

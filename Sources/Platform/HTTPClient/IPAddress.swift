#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An IP address, version 4 or 6.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
  /// 4 or 16 bytes, the most significant first.
  package let bytes: [UInt8]

  /// Creates an address from its 4 or 16 bytes; nil for any other count.
  package init?(bytes: [UInt8]) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// Parses an address in its usual form, `192.0.2.1` or `2001:db8::1`; nil for anything else, including short and
  /// octal forms.
  package init?(_ text: String) {
    var address4 = in_addr()
    var address6 = in6_addr()
    if inet_pton(AF_INET, text, &address4) == 1 {
      bytes = withUnsafeBytes(of: &address4) { Array($0) }
    } else if inet_pton(AF_INET6, text, &address6) == 1 {
      bytes = withUnsafeBytes(of: &address6) { Array($0) }
    } else {
      return nil
    }
  }

  /// The address that a socket is about to connect to; nil for families other than IPv4 and IPv6.
  init?(_ address: UnsafeRawPointer, family: Int32) {
    switch family {
    case AF_INET:
      let address = address.loadUnaligned(as: sockaddr_in.self)
      bytes = withUnsafeBytes(of: address.sin_addr) { Array($0) }
    case AF_INET6:
      let address = address.loadUnaligned(as: sockaddr_in6.self)
      bytes = withUnsafeBytes(of: address.sin6_addr) { Array($0) }
    default: return nil
    }
  }

  package var description: String {
    var bytes = self.bytes
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    _ = inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, &bytes, &text, socklen_t(text.count))
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Whether it is the address of another host on the public internet.
  ///
  /// Not public: everything in the IANA registries of special-purpose addresses (RFC 6890 and its successors),
  /// multicast, and IPv6 addresses outside the space for global addresses. This includes every form that wraps an IPv4
  /// address (mapped, translated or tunnelled), because it could wrap a private one.
  package var isPublic: Bool {
    if bytes.count == 4 { return !Self.special4.contains { $0.contains(bytes) } }
    return Self.global6.contains(bytes) && !Self.special6.contains { $0.contains(bytes) }
  }

  private struct Range: Sendable {
    let start: [UInt8]
    let bits: Int

    init(_ start: [UInt8], _ bits: Int) {
      self.start = start
      self.bits = bits
    }

    /// Whether the first bits are the same.
    func contains(_ bytes: [UInt8]) -> Bool {
      for index in 0..<(bits + 7) / 8 {
        let mask = bits - index * 8 >= 8 ? 0xFF : ~(UInt8(0xFF) >> UInt8(bits - index * 8))
        if (bytes[index] ^ (index < start.count ? start[index] : 0)) & mask != 0 { return false }
      }
      return true
    }
  }

  private static let special4: [Range] = [
    Range([0], 8),  // this network
    Range([10], 8),  // private
    Range([100, 64], 10),  // shared by carriers (CGNAT)
    Range([127], 8),  // loopback
    Range([169, 254], 16),  // link-local, metadata services of clouds
    Range([172, 16], 12),  // private
    Range([192, 0, 0], 24),  // protocol assignments
    Range([192, 0, 2], 24),  // documentation
    Range([192, 31, 196], 24),  // AS112
    Range([192, 52, 193], 24),  // AMT
    Range([192, 88, 99], 24),  // 6to4 relays
    Range([192, 168], 16),  // private
    Range([192, 175, 48], 24),  // AS112
    Range([198, 18], 15),  // benchmarks
    Range([198, 51, 100], 24),  // documentation
    Range([203, 0, 113], 24),  // documentation
    Range([224], 4),  // multicast
    Range([240], 4),  // reserved, broadcast
  ]

  /// 2000::/3, the only space assigned so far. Outside are loopback, mapped (::ffff:0:0/96), NAT64 (64:ff9b::/96),
  /// discard, unique-local (fc00::/7), link-local (fe80::/10), multicast (ff00::/8).
  private static let global6 = Range([0x20], 3)

  private static let special6: [Range] = [
    Range([0x20, 0x01, 0x00], 23),  // protocol assignments: Teredo, benchmarks, ORCHID
    Range([0x20, 0x01, 0x0D, 0xB8], 32),  // documentation
    Range([0x20, 0x02], 16),  // 6to4
    Range([0x26, 0x20, 0x00, 0x4F, 0x80, 0x00], 48),  // AS112
    Range([0x3F, 0xFE], 16),  // the former 6bone
    Range([0x3F, 0xFF, 0x00], 20),  // documentation
  ]
}

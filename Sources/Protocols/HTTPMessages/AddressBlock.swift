/// All addresses that begin with the same bits: `10.0.0.0/8`, `2001:db8::/32`, or a single address.
public struct AddressBlock: Hashable, Sendable, CustomStringConvertible {
  /// The first address of the block.
  public let start: NetworkAddress
  /// How many of the 128 bits are fixed; for an IPv4 block, the first 96 are included.
  let bits: Int

  /// A block from its text; nil for any other text. A single address is a block of one. Bits after the prefix must be
  /// zero: `10.0.0.1/8` may mean one address or all.
  public init?(_ text: String) {
    let parts = text.utf8.split(separator: 0x2F, maxSplits: 1, omittingEmptySubsequences: false)
    guard let start = NetworkAddress(String(parts[0]) ?? "") else { return nil }
    self.start = start
    guard parts.count == 2 else {
      bits = 128
      return
    }
    // An IPv4 address in IPv6 notation has an IPv6 prefix length.
    let isDotted = !parts[0].contains(0x3A)
    guard (1...3).contains(parts[1].count), parts[1].allSatisfy({ (0x30...0x39).contains($0) }),
      let length = Int(String(parts[1]) ?? ""), length <= (isDotted ? 32 : 128)
    else { return nil }
    bits = isDotted ? length + 96 : length
    guard Self.masked(start, bits) == start else { return nil }
  }

  /// Whether it holds every address of a family, so that every client would belong to it.
  public var holdsEverybody: Bool { bits == 0 || bits == 96 && start.isVersion4 }

  /// Whether an address belongs to it.
  public func contains(_ address: NetworkAddress) -> Bool { Self.masked(address, bits) == start }

  public var description: String {
    if bits == 128 { return start.description }
    return "\(start)/\(start.isVersion4 && bits >= 96 ? bits - 96 : bits)"
  }

  private static func masked(_ address: NetworkAddress, _ bits: Int) -> NetworkAddress {
    // Shifts by 64 and more give zero.
    NetworkAddress(
      high: address.high & ~(UInt64.max >> UInt64(min(bits, 64))),
      low: address.low & ~(UInt64.max >> UInt64(max(bits - 64, 0))))
  }
}

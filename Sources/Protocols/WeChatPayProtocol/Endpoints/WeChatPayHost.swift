package import PaymentPrimitives

/// A host of WeChat Pay: scheme and host.
package struct WeChatPayHost: Hashable, Sendable, CustomStringConvertible {
  /// Scheme and host, with the port if it is not the default: `https://api.mch.weixin.qq.com`.
  package let origin: String

  /// The first host for mainland merchants.
  package static let primary = WeChatPayHost(known: "https://api.mch.weixin.qq.com")
  /// The second host, under the same domain.
  package static let secondary = WeChatPayHost(known: "https://api2.mch.weixin.qq.com")
  /// The third host, under another domain: trouble with one domain does not affect the other.
  package static let otherName = WeChatPayHost(known: "https://api2.wechatpay.cn")
  package static let hongKong = WeChatPayHost(known: "https://apihk.mch.weixin.qq.com")

  /// The order of the hosts for mainland merchants.
  package static let mainland = [primary, secondary, otherName]
  private static let genuine: Set<WeChatPayHost> = [primary, secondary, otherName, hongKong]

  private init(known origin: String) { self.origin = origin }

  /// Nil unless the text is exactly `https://` or `http://`, a host and an optional port.
  package init?(_ origin: String) {
    let scheme = origin.hasPrefix("https://") ? "https://" : "http://"
    guard origin.hasPrefix(scheme), origin.utf8.count <= 255 else { return nil }
    let host = origin.utf8.dropFirst(scheme.utf8.count)
    let allowed = { (byte: UInt8) in
      (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || [0x2D, 0x2E, 0x3A, 0x5B, 0x5D].contains(byte)
    }
    guard let first = host.first, first != 0x3A, host.allSatisfy(allowed) else { return nil }
    self.origin = origin
  }

  /// Whether the host belongs to WeChat Pay. Any other host is a simulator; everything from it is `simulated`.
  package var isGenuine: Bool { Self.genuine.contains(self) }

  /// The environment of payments from these hosts. One foreign host makes all of them `simulated`; so does an empty
  /// list.
  package static func environment(of hosts: [WeChatPayHost]) -> StoreEnvironment {
    !hosts.isEmpty && hosts.allSatisfy(\.isGenuine) ? .production : .simulated
  }

  package var description: String { origin }
}

/// Selects the next host. After a host failed, the next one is used for a minute; then one call tries the failed host
/// again.
package struct HostSelection: Sendable {
  /// The pause of a host after a failure.
  package static let pause = TimeSpan.seconds(60)

  /// All hosts, the preferred one first.
  package let hosts: [WeChatPayHost]

  private var pausedUntil: [WeChatPayHost: Timestamp] = [:]

  /// A selection among hosts in the given order; at least one.
  package init(_ hosts: [WeChatPayHost] = WeChatPayHost.mainland) {
    precondition(!hosts.isEmpty, "there must be a host to ask")
    self.hosts = hosts
  }

  /// The order of the hosts for one call: first those without a recent failure, then the others.
  package func order(at now: Timestamp) -> [WeChatPayHost] {
    let isPaused = { (host: WeChatPayHost) in pausedUntil[host].map { now < $0 } ?? false }
    return hosts.filter { !isPaused($0) } + hosts.filter(isPaused)
  }

  /// The first host to try. If its pause has just ended, only this caller tries it. For all other callers the pause
  /// begins again, until `succeeded` ends it.
  package mutating func take(at now: Timestamp) -> WeChatPayHost {
    let first = order(at: now)[0]
    if let end = pausedUntil[first], end <= now { pausedUntil[first] = now + Self.pause }
    return first
  }

  /// Records a failure that may not occur on another host (`WeChatPayUncertainty.asksForAnotherHost`).
  package mutating func failed(_ host: WeChatPayHost, at now: Timestamp) { pausedUntil[host] = now + Self.pause }

  package mutating func succeeded(_ host: WeChatPayHost) { pausedUntil[host] = nil }
}

package import PaymentPrimitives

/// Where WeChat Pay is asked: scheme and host.
package struct WeChatPayHost: Hashable, Sendable, CustomStringConvertible {
  /// Scheme and host, with the port where it is not the usual one: `https://api.mch.weixin.qq.com`.
  package let origin: String

  /// The first host of mainland merchants.
  package static let primary = WeChatPayHost(known: "https://api.mch.weixin.qq.com")
  /// The second, under the same name.
  package static let secondary = WeChatPayHost(known: "https://api2.mch.weixin.qq.com")
  /// The third, under another registered name: trouble with one name does not reach the other.
  package static let otherName = WeChatPayHost(known: "https://api2.wechatpay.cn")
  package static let hongKong = WeChatPayHost(known: "https://apihk.mch.weixin.qq.com")

  /// The order in which mainland merchants ask.
  package static let mainland = [primary, secondary, otherName]
  private static let genuine: Set<WeChatPayHost> = [primary, secondary, otherName, hongKong]

  private init(known origin: String) { self.origin = origin }

  /// Nil unless the text is `https://` or `http://`, a host and perhaps a port, and nothing else.
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

  /// Whether it is WeChat Pay itself. Any other host is a simulator: what it says is `simulated`, whatever it says.
  package var isGenuine: Bool { Self.genuine.contains(self) }

  /// The world that payments told by these hosts belong to. One foreign host among them makes all of them simulated.
  package static func environment(of hosts: [WeChatPayHost]) -> StoreEnvironment {
    !hosts.isEmpty && hosts.allSatisfy(\.isGenuine) ? .production : .simulated
  }

  package var description: String { origin }
}

/// Which host to ask next. After one failed, the next one is asked for a minute; then one call tries the first again.
package struct HostSelection: Sendable {
  /// How long a host that failed is passed over.
  package static let pause = TimeSpan.seconds(60)

  /// All hosts, the preferred one first.
  package let hosts: [WeChatPayHost]

  private var pausedUntil: [WeChatPayHost: Timestamp] = [:]

  /// A selection among hosts in their order; at least one.
  package init(_ hosts: [WeChatPayHost] = WeChatPayHost.mainland) {
    precondition(!hosts.isEmpty, "there must be a host to ask")
    self.hosts = hosts
  }

  /// The hosts in the order in which one call tries them: those that did not fail lately, then the others.
  package func order(at now: Timestamp) -> [WeChatPayHost] {
    let isPaused = { (host: WeChatPayHost) in pausedUntil[host].map { now < $0 } ?? false }
    return hosts.filter { !isPaused($0) } + hosts.filter(isPaused)
  }

  /// The host to ask first. Where it is one whose pause has just ended, only this caller tries it: for all others the
  /// pause begins anew, until `succeeded` ends it.
  package mutating func take(at now: Timestamp) -> WeChatPayHost {
    let first = order(at: now)[0]
    if let end = pausedUntil[first], end <= now { pausedUntil[first] = now + Self.pause }
    return first
  }

  /// A host failed in a way that another may not (`WeChatPayUncertainty.asksForAnotherHost`).
  package mutating func failed(_ host: WeChatPayHost, at now: Timestamp) { pausedUntil[host] = now + Self.pause }

  package mutating func succeeded(_ host: WeChatPayHost) { pausedUntil[host] = nil }
}

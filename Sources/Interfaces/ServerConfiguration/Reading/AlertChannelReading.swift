import Cryptography
import PaymentDatabase
import PaymentEngine
import PaymentPrimitives
import TOMLConfiguration

/// Reads the `[[alerts]]`: the channels to which the server sends alerts.
struct AlertChannelReading {
  private static let urlBytesMax = 2048

  let reading: ConfigurationReading
  let profile: DatabaseProfile

  init(_ reading: ConfigurationReading, profile: DatabaseProfile) {
    self.reading = reading
    self.profile = profile
  }

  func channels(_ root: ConfigurationTable) -> [AlertChannel] {
    let channels = root.tables("alerts").compactMap { channel($0) }
    var seen: Set<String> = []
    if let name = channels.map(\.name).first(where: { !seen.insert($0).inserted }) {
      root.refuse("alerts", .contradiction, details: "Two channels have the name \(name).")
    }
    return channels
  }

  /// The languages, by the tags that people write.
  private enum LanguageWord: String, CaseIterable {
    case english = "en"
    case chinese = "zh-CN"
  }

  private func channel(_ table: ConfigurationTable) -> AlertChannel? {
    let name = table.required("name", .string(bytes: 1...64))
    let kind: AlertChannel.Kind? = table.required("kind", .word)
    let url = reading.secret(table, "url")
    let reference = table.optional("secret", .secret)
    let secret = reference.flatMap { reading.resolve($0, table, key: "secret") }
    let language = table.value("language", .word, default: LanguageWord.english)
    let severity = table.value("severity", .word, default: AlertRule.Severity.ticket)
    let remindEvery = table.value("remind_every", .duration(in: .minutes(15) ... .days(7)), default: .hours(4))
    let after = table.optional("after", .duration(in: .seconds(1) ... .days(1)))
    let runbooks = table.optional(
      "runbooks", .string(bytes: 8...1024).mapped("an https or http URL") { Self.isWebAddress($0) ? $0 : nil })
    let mayBeInside = table.value("may_be_inside", .bool, default: false)
    guard let name, let kind, let url, reference == nil || secret != nil else { return nil }
    guard check(url, of: kind, mayBeInside: mayBeInside, table),
      let signing = signingSecret(secret, of: kind, table)
    else { return nil }
    var channel = AlertChannel(name: name, kind: kind, url: url)
    channel.secret = signing.secret
    channel.language = language == .chinese ? .chinese : .english
    channel.severity = severity
    channel.remindEvery = remindEvery
    channel.after = after
    channel.runbooks = runbooks
    channel.mayBeInside = mayBeInside
    return channel
  }

  private static func isWebAddress(_ text: String) -> Bool {
    text.hasPrefix("https://") || text.hasPrefix("http://")
  }

  /// Checks the address. No message shows it: with it, anybody can write to the group.
  private func check(
    _ secret: Secret, of kind: AlertChannel.Kind, mayBeInside: Bool, _ table: ConfigurationTable
  ) -> Bool {
    let url = secret.withBytes { String(decoding: $0, as: UTF8.self) }
    guard Self.isWebAddress(url), url.utf8.count <= Self.urlBytesMax,
      url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), let address = ReceiverAddress(url)
    else {
      table.refuse(
        "url", .malformed,
        details: "The place holds no address of one line that begins with https:// and has a host.")
      return false
    }
    reading.doubts.check(table, url: url, mayBeInside: mayBeInside, profile)
    if let host = kind.hosts.first, !kind.hosts.contains(address.host), !mayBeInside {
      reading.doubts.note(
        table, "url", code: .cannotWork,
        details: "Its host is \(address.host); robots of \(kind.rawValue) are at \(host). Copy the robot's address.")
    }
    return true
  }

  /// A secret that is not there is nil within; nil itself means that a problem was noted.
  private func signingSecret(
    _ secret: Secret?, of kind: AlertChannel.Kind, _ table: ConfigurationTable
  ) -> (secret: Secret?, Void)? {
    switch kind {
    case .feishu, .dingtalk: return (secret, ())
    case .wecom:
      guard secret != nil else { return (nil, ()) }
      table.refuse("secret", .contradiction, details: "A robot of WeCom signs nothing: leave it out.")
      return nil
    case .webhook:
      guard let secret else {
        table.refuse(
          "secret", .missingKey, details: "A webhook is signed: make a secret with `counterfoil init`.")
        return nil
      }
      return AppReading.webhookSecret(secret, table, key: "secret").map { ($0, ()) }
    }
  }
}

extension AlertChannel.Kind {
  /// The hosts at which a vendor has its robots.
  fileprivate var hosts: [String] {
    switch self {
    case .webhook: []
    case .feishu: ["open.feishu.cn", "open.larksuite.com"]
    case .dingtalk: ["oapi.dingtalk.com", "api.dingtalk.com"]
    case .wecom: ["qyapi.weixin.qq.com"]
    }
  }
}

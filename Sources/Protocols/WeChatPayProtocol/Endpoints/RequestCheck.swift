package import PaymentPrimitives

/// Checks a request against WeChat Pay's rules, so that a wrong configuration gets a precise error instead of a
/// `PARAM_ERROR`. It keeps the first problem.
struct RequestCheck {
  private(set) var problem: CodedError<WeChatPayRequestErrorCode>?

  private mutating func refuse(_ code: WeChatPayRequestErrorCode, _ details: String) {
    if problem == nil { problem = CodedError(code, details) }
  }

  /// Checks the number of characters of a text; none may take more than three bytes in UTF-8.
  mutating func text(_ field: String, _ text: String?, range: ClosedRange<Int>, bytesMax: Int = .max) {
    guard let text else { return }
    // WeChat Pay counts Unicode scalars, not user-visible characters.
    guard range.contains(text.unicodeScalars.count) else {
      return refuse(.fieldLength, "\(field) must have \(range.lowerBound) to \(range.upperBound) characters.")
    }
    guard text.utf8.count <= bytesMax else {
      return refuse(.fieldLength, "\(field) must have at most \(bytesMax) bytes in UTF-8.")
    }
    guard text.unicodeScalars.allSatisfy({ (0x20...0xFFFF).contains($0.value) && $0.value != 0x7F }) else {
      return refuse(.fieldCharacters, "\(field) has a control character, or one of four bytes such as an emoji.")
    }
  }

  /// Checks one of our numbers: letters, digits and `_-|*`.
  mutating func orderNumber(_ field: String, _ number: String, range: ClosedRange<Int>) {
    let allowed = { (byte: UInt8) in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || [0x5F, 0x2D, 0x7C, 0x2A].contains(byte)
    }
    guard range.contains(number.utf8.count) else {
      return refuse(.fieldLength, "\(field) must have \(range.lowerBound) to \(range.upperBound) characters.")
    }
    guard number.utf8.allSatisfy(allowed) else {
      return refuse(.fieldCharacters, "\(field) may have letters, digits and _-|* only.")
    }
  }

  /// Checks a URL that WeChat Pay calls.
  mutating func notifyURL(_ url: String, bytesMax: Int) {
    let host = url.utf8.dropFirst("https://".utf8.count).prefix { $0 != 0x2F }
    guard url.hasPrefix("https://"), !host.isEmpty, url.utf8.count <= bytesMax,
      url.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x3F && $0 != 0x23 })
    else {
      return refuse(.notifyURL, "It must begin with https://, have no query and at most \(bytesMax) characters.")
    }
  }

  mutating func amount(_ field: String, _ fen: Int64, atMost bound: Int64) {
    guard (1...max(1, bound)).contains(fen), fen <= bound else {
      return refuse(.amount, "\(field) must be 1 to \(bound) fen.")
    }
  }

  /// Checks that the payer's address is public.
  mutating func payerAddress(_ address: String) {
    guard (2...45).contains(address.utf8.count), PublicAddress.isPublic(address) else {
      return refuse(.payerAddress, "It must be a public IPv4 or IPv6 address.")
    }
  }
}

/// Whether a textual address is public, as far as WeChat Pay's ban on loopback and intranet requires.
enum PublicAddress {
  static func isPublic(_ address: String) -> Bool {
    address.utf8.contains(0x3A) ? isPublicVersion6(address) : isPublicVersion4(address)
  }

  private static func isPublicVersion4(_ address: String) -> Bool {
    let parts = address.split(separator: ".", omittingEmptySubsequences: false)
    let bytes = parts.compactMap { part in
      part.utf8.count <= 3 && part.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt8(part) : nil
    }
    guard parts.count == 4, bytes.count == 4 else { return false }
    switch (bytes[0], bytes[1]) {
    case (0, _), (10, _), (127, _), (169, 254), (192, 168), (172, 16...31), (100, 64...127), (224..., _): return false
    default: return true
    }
  }

  /// Global unicast is 2000::/3. All other addresses belong to a link, a site or a machine, or wrap an IPv4 address.
  private static func isPublicVersion6(_ address: String) -> Bool {
    let groups = address.split(separator: ":", omittingEmptySubsequences: false)
    guard (3...8).contains(groups.count), groups.filter(\.isEmpty).count <= 2,
      let first = groups.first.flatMap({ UInt16($0, radix: 16) }),
      groups.allSatisfy({ $0.utf8.count <= 4 && $0.utf8.allSatisfy(isHexadecimal) })
    else { return false }
    return first >> 13 == 1
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
  }
}

/// The errors of a request that is not sent, because WeChat Pay would reject it.
package enum WeChatPayRequestErrorCode: String, ErrorCode {
  /// A field is too long or too short.
  case fieldLength = "wechat_pay_field_length"
  /// A field contains a character that WeChat Pay does not accept.
  case fieldCharacters = "wechat_pay_field_characters"
  /// WeChat Pay does not accept this notification URL.
  case notifyURL = "wechat_pay_notify_url"
  /// WeChat Pay does not accept this amount.
  case amount = "wechat_pay_amount"
  /// The payer's address is not a public address.
  case payerAddress = "wechat_pay_payer_address"
  case billDate = "wechat_pay_bill_date"

  package var meaning: BilingualText {
    switch self {
    case .fieldLength: BilingualText("A field is too long or too short for WeChat Pay.", "字段长度不符合微信支付的要求。")
    case .fieldCharacters:
      BilingualText("A field has a character that WeChat Pay does not accept.", "字段含有微信支付不支持的字符。")
    case .notifyURL: BilingualText("WeChat Pay does not accept such a notification address.", "该通知地址不符合微信支付的要求。")
    case .amount: BilingualText("WeChat Pay does not accept such an amount.", "该金额不符合微信支付的要求。")
    case .payerAddress:
      BilingualText("The payer's address is not a public address.", "付款人的 IP 不是公网地址。")
    case .billDate: BilingualText("That is not a valid day.", "日期格式不正确。")
    }
  }

  package var remedy: BilingualText {
    switch self {
    case .fieldLength:
      BilingualText("Shorten the product's name or the named field.", "请缩短商品名称或所指明的字段。")
    case .fieldCharacters:
      BilingualText(
        "Remove emoji and control characters from the product's name or the named field.",
        "请去除商品名称或所指明字段中的表情与控制字符。")
    case .notifyURL:
      BilingualText(
        "Configure a public https:// address without a query.", "请配置公网可访问、以 https:// 开头且不带参数的地址。")
    case .amount:
      BilingualText("Set a price of at least one fen.", "请设置至少 1 分的价格。")
    case .payerAddress:
      BilingualText(
        "List the trusted proxies in the configuration, so that the server gets the payer's own address.",
        "请在配置中指明受信任的代理，以便取得付款人的真实 IP。")
    case .billDate: BilingualText("Write the day as 2026-11-20.", "请按 2026-11-20 的格式填写日期。")
    }
  }

  package var retry: RetryAdvice { .never }
}

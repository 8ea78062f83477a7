import Markup
import PaymentPrimitives

/// What the engine adds to an error code, for readers of either language.
///
/// The engine writes details in English alone, for the log and for programs. The sentences that an operator meets have
/// Chinese ones here. Others, such as words of a store, are shown as they are, and marked as English.
package enum RefusalDetails {
  static func markup(_ details: String, in language: Language) -> Markup {
    guard !details.isEmpty else { return Markup() }
    guard language == .chinese else { return .element(.p, .foreign(details)) }
    if let words = chinese(details) { return .element(.p, .foreign(words)) }
    return .element(.p, .text("技术细节（英文）："), .element(.span, [.of(.lang, "en")], .foreign(details)))
  }

  /// The details in Chinese; nil if no sentence here is theirs.
  package static func chinese(_ details: String) -> String? {
    if let words = sentences[details] { return words }
    for pattern in patterns {
      guard let found = values(of: details, in: pattern.english) else { continue }
      let parts = pattern.chinese.split(separator: "%", omittingEmptySubsequences: false)
      return parts.dropFirst().reduce(into: String(parts[0])) { text, part in
        guard let number = part.first?.wholeNumberValue, found.indices.contains(number - 1) else { return }
        text += pattern.state == number ? name(ofState: found[number - 1]) : found[number - 1]
        text.append(contentsOf: part.dropFirst())
      }
    }
    return nil
  }

  /// The Chinese name of a state, with its reason if there is one: `held (productUnknown)`.
  private static func name(ofState value: String) -> String {
    let parts = value.split(separator: " ", maxSplits: 1).map(String.init)
    guard parts.count == 2, parts[1].hasPrefix("("), parts[1].hasSuffix(")") else {
      return Words.stateName(value, in: .chinese)
    }
    return Words.stateName(parts[0], because: String(parts[1].dropFirst().dropLast()), in: .chinese)
  }

  /// What stands at the stars of a pattern; nil if the text is not of that form.
  private static func values(of text: String, in pattern: String) -> [String]? {
    let literals = pattern.split(separator: "*", omittingEmptySubsequences: false).map(String.init)
    guard let first = literals.first, text.hasPrefix(first) else { return nil }
    var rest = text.dropFirst(first.count)
    var values: [String] = []
    for (index, literal) in literals.enumerated().dropFirst() {
      if index == literals.count - 1 {
        guard rest.hasSuffix(literal), rest.count > literal.count else { return nil }
        values.append(String(rest.dropLast(literal.count)))
      } else {
        guard let found = rest.firstRange(of: literal), found.lowerBound > rest.startIndex else { return nil }
        values.append(String(rest[..<found.lowerBound]))
        rest = rest[found.upperBound...]
      }
    }
    return values
  }

  /// With a star for each value; `state` is the number of the value that names a state.
  package static let patterns: [(english: String, chinese: String, state: Int?)] = [
    ("* works on it since *.", "自 %2 起由 %1 处理。", nil),
    ("The refund * is *: the customer has no money yet.", "退款 %1 的状态为“%2”：用户尚未收到款项。", 2),
    ("* of * are left, asked *.", "剩余 %1（共 %2），申请 %3，单位为分。", nil),
    ("* of * * are left for this user until the end of the day (UTC).", "该用户今日（UTC）还可获得 %1，上限 %2，单位 %3。", nil),
    ("* was merged into *.", "%1 已并入 %2。", nil),
    ("They have more than * orders or payments.", "该用户的订单或支付超过 %1 笔。", nil),
    ("They have more than * promotional entitlements.", "该用户的赠送权益超过 %1 项。", nil),
    ("No product gives *; configured: *.", "没有商品提供 %1；已配置：%2。", nil),
    ("* may not be credited; configured: *.", "%1 不可赠送；已配置：%2。", nil),
    ("It must end after now and not after *.", "结束时间须晚于现在，且不晚于 %1。", nil),
    ("* that end later were given to this user.", "该用户已有 %1 项尚未结束的赠送权益。", nil),
    ("The balance of * is *.", "%1 的余额为 %2。", nil), ("Open: *.", "尚未了结：%1。", nil), ("It is *.", "目前为“%1”。", 1),
  ]

  package static let sentences: [String: String] = [
    "There is no such approval.": "没有该复核，或其内容与您所见不同。",
    "Nobody approves what they asked for.": "任何人都不能复核自己的申请。",
    "It was decided, or has ended.": "已有决定，或已过期。",
    "That store knows payments alone, and no orders.": "该商店只有支付记录，没有订单。",
    "There is no such endpoint.": "没有该接收地址。",
    "Nothing of that name waits.": "没有该待处理事项。",
    "Nobody works on it any more.": "现已无人处理。",
    "No account of that name has a role in this app.": "该名称的账号在此应用中没有角色。",
    "The account is disabled.": "该账号已停用。",
    "The link was used, or is too old.": "该链接已使用或已过期。",
    "The sign-in has ended, or its account changed.": "本次登录已结束，或账号已变更。",
    "The passkey or its sign-in counts no more.": "该通行密钥或本次登录已失效。",
    "The passkey is known.": "该通行密钥已登记。",
    "The sign-in has ended, or has too many passkeys.": "本次登录已结束，或通行密钥过多。",
    "The account has a second factor, which was not shown.": "该账号已有第二重验证，但未出示。",
    "There is no such passkey.": "没有该通行密钥。",
    "It is the last second factor of the account.": "这是该账号最后的第二重验证。",
    "The app only observes: nothing is granted yet.": "该应用目前仅观察，不入账。",
    "It is another id of a payment that is here already.": "这是已有支付的另一个交易号。",
    "Family sharing gives no units.": "家人共享不发放数量。",
    "Its transaction ids do not disagree on a refund.": "其各交易号对退款的说法没有分歧。",
    "A balance is out of range.": "余额超出范围。",
    "It is over.": "投诉已结束。",
    "Nothing was refunded: refund the payment first.": "尚未退款：请先退款。",
    "Somebody wrote since you read the talk, or an answer is on its way. Read it again.":
      "在您阅读之后又有新留言，或有回复正在发送。请重新阅读。",
    "The payment that is refunded is not known yet.": "所退的支付尚未记录。",
    "The order is not paid at WeChat Pay.": "该订单未通过微信支付付款。",
    "Only WeChat Pay is refunded from here.": "此处只能退微信支付的款项。",
    "Another merchant was paid.": "收款方是另一个商户。",
    "The charge states no price in CNY.": "该笔扣款没有人民币金额。",
    "The refund's state could not be read.": "无法读取退款状态。",
    "There is no valid key of WeChat Pay.": "没有有效的微信支付公钥。",
    "The app has no key for Apple's production.": "该应用没有 Apple 生产环境的密钥。",
    "The app has no key for the App Store Server API.": "该应用没有 App Store Server API 的密钥。",
    "Another extension of this subscription has not ended. Ask again with the same end.":
      "该订阅线的另一次延长尚未结束。请以相同的结束时间再次申请。",
    "Apple's answers took too long. Nothing was sent.": "Apple 应答过慢，未发送任何请求。",
    "The signed transaction does not verify.": "已签名的交易未通过验证。",
    "No subscription has that original transaction id.": "没有该原始交易号的订阅线。",
  ]
}

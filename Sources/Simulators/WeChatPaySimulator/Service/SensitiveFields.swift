import HTTPMessages
import StrictJSON
import WeChatPayProtocol

/// The encrypted fields of requests.
struct SensitiveFields {
  let call: MerchantCall
  let snapshot: WeChatPaySnapshot

  /// Decrypts a field with the key that `Wechatpay-Serial` names.
  func plain(_ field: String, at pointer: String) throws(APIProblem) -> String {
    guard let serial = call.request.fields["Wechatpay-Serial"].flatMap({ PlatformKeyIdentifier($0) }),
      let name = snapshot.identifiers[serial]
    else { throw .parameter("Wechatpay-Serial", "含敏感字段的请求必须携带 Wechatpay-Serial", location: "header") }
    let key = snapshot.keys.key(name, in: snapshot.state.keys)
    guard let plain = SensitiveField.decrypt(field, with: key.privateKey) else {
      throw .parameter(pointer, "敏感字段解密失败")
    }
    return plain
  }

  /// The card number of a call about an abnormal refund; nil when the refund goes to the merchant's own account.
  func cardNumber(_ body: JSONValue) throws(APIProblem) -> String? {
    guard body["type"]?.string == "USER_BANK_CARD" else { return nil }
    var texts: [String] = []
    for name in ["bank_account", "real_name"] {
      guard let field = body[name]?.string else { throw .parameter("/\(name)", "退款至用户时必填") }
      let text = try plain(field, at: "/\(name)")
      guard !text.isEmpty else { throw .parameter("/\(name)", "敏感字段为空") }
      texts.append(text)
    }
    guard body["bank_type"] != nil else { throw .parameter("/bank_type", "退款至用户时必填") }
    guard Forms.number(texts[0], 4...32, others: "") else { throw .parameter("/bank_account", "不是银行卡号") }
    return texts[0]
  }
}

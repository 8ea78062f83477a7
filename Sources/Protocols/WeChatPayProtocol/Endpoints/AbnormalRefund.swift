import Cryptography
import HTTPMessages
import StrictJSON

/// Where the money of an abnormal refund goes.
package enum RefundDestination: Hashable, Sendable {
  /// A debit card of the payer.
  case payerCard(PayerCard)
  /// The bank account of the merchant, who then pays the payer in another way.
  case merchantAccount
}

/// A payer's debit card, with personal data: do not log or store it.
package struct PayerCard: Hashable, Sendable {
  let bank: String
  let account: String
  let holder: String

  /// A card that WeChat Pay's form can carry; nil for any other text.
  ///
  /// - Parameters:
  ///   - bank: WeChat Pay's word for a debit card of that bank, such as `CMB_DEBIT`.
  ///   - account: 8 to 32 digits.
  ///   - holder: the name on the card, at most 160 bytes, which fit into one encrypted field.
  package init?(bank: String, account: String, holder: String) {
    let isWord = (1...16).contains(bank.utf8.count) && bank.utf8.allSatisfy { (0x41...0x5A).contains($0) || $0 == 0x5F }
    let isNumber = (8...32).contains(account.utf8.count) && account.utf8.allSatisfy { (0x30...0x39).contains($0) }
    guard isWord, isNumber, (1...160).contains(holder.utf8.count) else { return nil }
    (self.bank, self.account, self.holder) = (bank, account, holder)
  }
}

extension WeChatPayCall where Answer == RefundFacts {
  /// Sends a refund that could not reach the payer on its way again, to a bank account.
  ///
  /// WeChat Pay takes this for the state `ABNORMAL` alone. The answer has the refund's state, usually `PROCESSING`.
  /// - Parameter key: the key that the fields of a card are encrypted to; the request names it.
  /// - Returns: nil if the key is too small for the fields.
  package static func abnormalRefund(
    refundId: String, outRefundNo: String, to destination: RefundDestination, key: PlatformKeyRing.Entry
  ) -> WeChatPayCall? {
    var members: [(String, JSONValue?)] = [("out_refund_no", .string(outRefundNo))]
    switch destination {
    case .merchantAccount: members.append(("type", "MERCHANT_BANK_CARD"))
    case .payerCard(let card):
      guard let account = SensitiveField.encrypt(card.account, to: key.key),
        let holder = SensitiveField.encrypt(card.holder, to: key.key)
      else { return nil }
      members += [
        ("type", "USER_BANK_CARD"), ("bank_type", .string(card.bank)), ("bank_account", .string(account)),
        ("real_name", .string(holder)),
      ]
    }
    let target = "/v3/refund/domestic/refunds/\(RequestTarget.encode(refundId))/apply-abnormal-refund"
    var call = WeChatPayCall("POST", target, body: JSONValue.members(members).bytes) { value throws(JSONFieldError) in
      try facts(value, outRefundNo)
    }
    call.encryptedTo = key.identifier
    return call
  }
}

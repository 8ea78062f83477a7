/// A word from one of WeChat Pay's lists: a known case, or the raw word.
///
/// WeChat Pay adds words without notice. An unknown word is kept and means neither success nor failure.
package enum WeChatPayValue<Known>: Hashable, Sendable
where Known: RawRepresentable<String> & Hashable & Sendable {
  /// A case that this version knows.
  case known(Known)
  case other(String)

  package init(_ text: String) { self = Known(rawValue: text).map { .known($0) } ?? .other(text) }

  package var text: String {
    switch self {
    case .known(let known): known.rawValue
    case .other(let text): text
    }
  }
}

/// The kind of payment: the cashier that the prepay call opens.
package enum TradeType: String, Hashable, CaseIterable, Sendable {
  /// In an app, through WeChat's SDK.
  case app = "APP"
  /// In WeChat: an official account's page or a mini program.
  case jsapi = "JSAPI"
  /// In a browser outside WeChat; WeChat Pay's word for H5.
  case h5 = "MWEB"
  /// By a QR code that the payer scans.
  case native = "NATIVE"

  /// The last path component of the prepay call.
  var pathName: String {
    switch self {
    case .app: "app"
    case .jsapi: "jsapi"
    case .h5: "h5"
    case .native: "native"
    }
  }
}

/// The state of an order at WeChat Pay: `trade_state`.
package enum TradeState: String, Hashable, CaseIterable, Sendable {
  /// Not paid; this may be outdated by some seconds.
  case notPaid = "NOTPAY"
  case success = "SUCCESS"
  /// Paid, with at least one refund request, whatever its result.
  case refund = "REFUND"
  case closed = "CLOSED"
  /// Revoked by the merchant; code payments only.
  case revoked = "REVOKED"
  /// The payer is typing the password; code payments only.
  case userPaying = "USERPAYING"
  /// This payment attempt failed; code payments only.
  case payError = "PAYERROR"
}

/// Where the money of a refund goes.
package enum RefundChannel: String, Hashable, CaseIterable, Sendable {
  /// To where it was paid from.
  case original = "ORIGINAL"
  /// To the payer's balance.
  case balance = "BALANCE"
  /// To another balance, because the account is no longer there.
  case otherBalance = "OTHER_BALANCE"
  /// To another bank card, because the card is no longer there.
  case otherBankCard = "OTHER_BANKCARD"
}

/// The state of a refund: `status`, in notifications `refund_status`.
package enum RefundStatus: String, Hashable, CaseIterable, Sendable {
  case success = "SUCCESS"
  case closed = "CLOSED"
  case processing = "PROCESSING"
  /// The payer's account could not be credited.
  case abnormal = "ABNORMAL"
}

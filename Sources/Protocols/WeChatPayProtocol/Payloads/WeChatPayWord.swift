/// A word from one of WeChat Pay's lists: one that this version knows, or the word as it came.
///
/// WeChat Pay adds words without notice. An unknown one is kept, and is neither success nor failure.
package enum WeChatPayWord<Known>: Hashable, Sendable
where Known: RawRepresentable<String> & Hashable & Sendable {
  /// A word that this version knows.
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

/// How an order is paid: which cashier its prepay call opens.
package enum TradeType: String, Hashable, CaseIterable, Sendable {
  /// Within an app, through WeChat's SDK.
  case app = "APP"
  /// Within WeChat: an official account's page or a mini program.
  case jsapi = "JSAPI"
  /// In a browser outside of WeChat; WeChat Pay's word for H5.
  case h5 = "MWEB"
  /// By a QR code that the payer scans.
  case native = "NATIVE"

  /// The last part of the path of its prepay call.
  var pathName: String {
    switch self {
    case .app: "app"
    case .jsapi: "jsapi"
    case .h5: "h5"
    case .native: "native"
    }
  }
}

/// What has become of an order at WeChat Pay: `trade_state`.
package enum TradeState: String, Hashable, CaseIterable, Sendable {
  /// Not paid; that may be out of date by some seconds.
  case notPaid = "NOTPAY"
  case success = "SUCCESS"
  /// Paid, and at least one refund was asked for, however it ended.
  case refund = "REFUND"
  case closed = "CLOSED"
  /// Taken back at the till; code payments only.
  case revoked = "REVOKED"
  /// The payer is typing the password; code payments only.
  case userPaying = "USERPAYING"
  /// This attempt failed; code payments only.
  case payError = "PAYERROR"
}

/// How far a refund is: `status`, in notifications `refund_status`.
package enum RefundStatus: String, Hashable, CaseIterable, Sendable {
  case success = "SUCCESS"
  case closed = "CLOSED"
  case processing = "PROCESSING"
  /// The payer's account could not be credited.
  case abnormal = "ABNORMAL"
}

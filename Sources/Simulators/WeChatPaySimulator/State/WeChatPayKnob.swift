/// Ways to behave that can be turned while the simulator runs. The names are permanent. A knob at 0 does nothing.
/// What strikes a number of times or by chance is a fault instead (`WeChatPayFault`).
package enum WeChatPayKnob: String, CaseIterable, Hashable, Sendable {
  // MARK: what WeChat Pay itself does at times
  /// Seconds for which a query still says NOTPAY after the payment.
  case queryLagSeconds
  /// Milliseconds for which a query does not find a new order.
  case visibilityLagMilliseconds
  /// Seconds from `time_expire` until an order is closed.
  case expiryLagSeconds
  /// Seconds that a refund takes; 0: five.
  case refundSeconds
  /// 1: a repeated number with other parameters is answered 403 `OUT_TRADE_NO_USED` instead of 400 `INVALID_REQUEST`.
  case outTradeNoUsed
  /// 1: error codes in their other spelling (`ORDER_PAID`, `SYSTEMERROR`, …).
  case otherSpellings
  /// 1: closing an unknown order is answered 404 `ORDER_NOT_EXIST` instead of 204.
  case closeUnknownNotFound
  /// 1: errors come without a signature.
  case errorsUnsigned
  /// 1: members in any order, empty ones instead of absent ones, and one that nobody knows.
  case variedForm
  /// 1: bills are made for any day up to this moment, without waiting for the next day.
  case billsAtOnce
  /// 1: counts in bills are printed as `3.0`, lines end in LF alone, and there is a column that nobody knows.
  case variedBills
  /// Requests per second and call of one merchant; 0: WeChat Pay's own limits.
  case requestsPerSecond
  /// 1 refuses a nonce that a merchant used within five minutes.
  case refuseRepeatedNonces
  /// 1 lets two refunds of one order follow each other at once; otherwise there must be a minute between them.
  case refundsWithoutPause
  /// Seconds by which WeChat Pay's clock is ahead of the world's; negative ones behind.
  case clockSkewSeconds
  /// Seconds for which the fault `slow` holds an answer back; 0: twenty.
  case slowSeconds

  // MARK: notifications
  /// Milliseconds between an event and the first attempt to tell of it.
  case notificationDelayMilliseconds
  /// Up to so many milliseconds more, by chance: two events are told of in any order.
  case notificationJitterMilliseconds
  /// How often a notification is sent once more at once, also after it was accepted.
  case duplicateNotifications
  /// Of 100 attempts, how many are probes: a signature that must be refused.
  case probePercent
  /// 1: no notification is sent.
  case notifyNever
  /// 1: `associated_data` is left out and nothing is authenticated beside the content.
  case noAssociatedData

  /// The values that it may have.
  package var range: ClosedRange<Int64> {
    switch self {
    case .queryLagSeconds, .expiryLagSeconds, .refundSeconds: 0...864_000
    case .visibilityLagMilliseconds, .notificationDelayMilliseconds, .notificationJitterMilliseconds: 0...864_000_000
    case .requestsPerSecond: 0...1_000_000
    case .clockSkewSeconds: -864_000...864_000
    case .slowSeconds: 0...600
    case .duplicateNotifications: 0...15
    case .probePercent: 0...100
    case .outTradeNoUsed, .otherSpellings, .closeUnknownNotFound, .errorsUnsigned, .variedForm, .billsAtOnce,
      .variedBills, .refuseRepeatedNonces, .refundsWithoutPause, .notifyNever, .noAssociatedData:
      0...1
    }
  }
}

package struct WeChatPayKnobs: Hashable, Sendable {
  private var values: [WeChatPayKnob: Int64] = [:]

  /// All at 0.
  package init() {}

  /// How a knob stands; a knob set to 0 is as if it never was touched.
  package internal(set) subscript(_ knob: WeChatPayKnob) -> Int64 {
    get { values[knob] ?? 0 }
    set { values[knob] = newValue == 0 ? nil : newValue }
  }

  func isOn(_ knob: WeChatPayKnob) -> Bool { self[knob] > 0 }
}

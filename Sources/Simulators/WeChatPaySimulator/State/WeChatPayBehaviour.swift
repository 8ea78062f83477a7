import SimulatorCore

/// Behaviour settings that can change while the simulator runs. The names are permanent. A setting at 0 has no effect.
/// Behaviour with a count or a probability is a fault instead (`WeChatPayFault`).
package enum WeChatPayBehaviour: String, BehaviourSetting {
  // MARK: behaviour of WeChat Pay itself
  /// Seconds for which a query still reports NOTPAY after the payment.
  case queryLagSeconds
  /// Milliseconds for which a query does not find a new order.
  case visibilityLagMilliseconds
  /// Seconds from `time_expire` until an order is closed.
  case expiryLagSeconds
  /// Duration of a refund in seconds; 0: five.
  case refundSeconds
  /// 1: a repeated number with other parameters is answered 403 `OUT_TRADE_NO_USED` instead of 400 `INVALID_REQUEST`.
  case outTradeNoUsed
  /// 1: error codes in their other spelling (`ORDER_PAID`, `SYSTEMERROR`, …).
  case otherSpellings
  /// 1: closing an unknown order is answered 404 `ORDER_NOT_EXIST` instead of 204.
  case closeUnknownNotFound
  /// 1: error answers have no signature.
  case errorsUnsigned
  /// 1: members in random order, empty members instead of absent ones, and an unknown member.
  case variedForm
  /// 1: bills are ready for any day up to now, without waiting for the next day.
  case billsAtOnce
  /// 1: counts in bills have the form `3.0`, rows end with LF only, and there is an unknown column.
  case variedBills
  /// Requests per second for each call of one merchant; 0: WeChat Pay's own limits.
  case requestsPerSecond
  /// 1: a nonce that a merchant used within five minutes is an error.
  case refuseRepeatedNonces
  /// 1: two refunds of one order need no pause; otherwise there must be a minute between them.
  case refundsWithoutPause
  /// Seconds by which WeChat Pay's clock is ahead of the real time; negative: behind.
  case clockSkewSeconds
  /// Seconds by which the fault `slow` delays an answer; 0: twenty.
  case slowSeconds

  // MARK: notifications
  /// Milliseconds between an event and the first attempt to send its notification.
  case notificationDelayMilliseconds
  /// The maximum random extra delay in milliseconds: notifications of two events may come in any order.
  case notificationJitterMilliseconds
  /// How many extra copies of a notification are sent at once, also after it was accepted.
  case duplicateNotifications
  /// How many of 100 attempts are probes: a signature that the server must reject.
  case probePercent
  /// 1: no notification is sent.
  case notifyNever
  /// 1: `associated_data` is absent, so only the content is authenticated.
  case noAssociatedData

  /// The allowed values.
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

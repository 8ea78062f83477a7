package import PaymentPrimitives
import SimulatorCore

/// Everything that can be set while the simulator runs: counters of faults, and ways to behave. The names are
/// permanent. A setting at 0 has no effect.
package enum SimulatorBehaviour: String, BehaviourSetting {
  // MARK: faults, counted down each time that they occur
  /// Purchases that fail before a charge (rule AS-FAULT-1).
  case failPurchases
  /// Purchases that are charged but lose their answer (rule AS-FAULT-2).
  case losePurchaseAnswers
  /// Purchases that lose their `appAccountToken` (rule AS-FAULT-3).
  case loseTokens
  /// Finishes that are answered but have no effect (rule AS-FAULT-4).
  case loseFinishes
  /// Finishes that take effect but are not answered (rule AS-FAULT-5).
  case loseFinishAnswers
  /// Notifications that lose every attempt (rule AS-FAULT-6).
  case loseNotifications
  /// Attempts that are lost in the network (rule AS-FAULT-7).
  case loseAttempts

  // MARK: behaviour
  /// Milliseconds between an event and the first attempt to send its notification (rule AS-NOTE-6).
  case notificationDelayMilliseconds
  /// How many extra copies of a notification are sent at once (rule AS-NOTE-7).
  case duplicateNotifications
  /// 1: a purchase is answered only after its notification was sent (rule AS-NOTE-8).
  case notifyBeforeAnswer
  /// 1: no notification is sent (rule AS-NOTE-9).
  case notifyNever
  /// 1: the sandbox retries notifications like production (rule AS-NOTE-3).
  case retryInSandbox
  /// 1: a notification that was answered 400 is retried (rule AS-NOTE-4).
  case retryAfter400
  /// 1: a second purchase of an owned product gives a duplicate id (rule AS-BUY-4).
  case newIdWhenOwned
  /// 1: that duplicate carries the token of the new purchase (rule AS-BUY-4).
  case newTokenWhenOwned
  /// 1: a restore gives duplicate ids (rule AS-BUY-7).
  case newIdWhenRestored
  /// 1: a new purchase after a refund keeps the first original id (rule AS-BUY-8).
  case oldOriginalWhenBoughtAgain
  /// 1: notifications of refunds and reversals name the latest duplicate id (rule AS-REF-6).
  case refundsUnderFurtherIds
  /// 1: all parts of a refund have the date of the first (rule AS-REF-4).
  case oneRefundDate
  /// Extra delay of REFUND notifications in milliseconds (rule AS-NOTE-13).
  case refundDelayMilliseconds
  /// 1: subscription periods of the sandbox last as long as in production (rule AS-SUB-2).
  case calendarPeriodsInSandbox
  /// 1: new subscription periods in production last minutes, as in the sandbox (rule AS-SUB-11).
  case minutePeriodsInProduction
  /// 1: the calendar stops, and subscriptions change only by command (rule AS-CAL-2).
  case renewByHand

  /// Calls of each kind that the App Store Server API allows an app in an hour; 0: Apple's numbers (rule AS-API-3).
  case apiCallsPerHour
  /// 1: the API answers 401 in production, as for an app that was never released (rule AS-API-4).
  case unreleasedInProduction

  package var meaning: BilingualText {
    switch self {
    case .failPurchases:
      BilingualText("The next purchases fail before money moves.", "接下来的若干次购买在扣款前失败。")
    case .losePurchaseAnswers:
      BilingualText("The next purchases are charged and their answer is lost.", "接下来的若干次购买已扣款，但应答丢失。")
    case .loseTokens:
      BilingualText("The next purchases lose their appAccountToken.", "接下来的若干次购买丢失 appAccountToken。")
    case .loseFinishes:
      BilingualText("The next finishes are confirmed but not done.", "接下来的若干次结束交易有应答但未生效。")
    case .loseFinishAnswers:
      BilingualText("The next finishes are done but not confirmed.", "接下来的若干次结束交易已生效但应答丢失。")
    case .loseNotifications:
      BilingualText("Every attempt of the next notifications is lost.", "接下来的若干个通知的每次发送都丢失。")
    case .loseAttempts:
      BilingualText("The next attempts to send a notification are lost.", "接下来的若干次通知发送丢失。")
    case .notificationDelayMilliseconds:
      BilingualText("Milliseconds from an event to its notification.", "从事件到首次发送通知的毫秒数。")
    case .duplicateNotifications:
      BilingualText("How many times a notification is repeated at once.", "每个通知立即重复发送的次数。")
    case .notifyBeforeAnswer:
      BilingualText("1: purchases are answered after their notification was sent.", "1：先发送通知，再应答购买。")
    case .notifyNever: BilingualText("1: no notification is sent.", "1：不发送任何通知。")
    case .retryInSandbox:
      BilingualText("1: the sandbox repeats notifications, too.", "1：沙盒环境也会重发通知。")
    case .retryAfter400:
      BilingualText("1: notifications answered 400 are repeated.", "1：收到 400 应答的通知也会重发。")
    case .newIdWhenOwned:
      BilingualText("1: buying an owned product again gives another transaction id.", "1：再次购买已拥有的商品会得到新的交易号。")
    case .newTokenWhenOwned:
      BilingualText("1: that other id carries the token of the new purchase.", "1：该新交易号带有新购买的 appAccountToken。")
    case .newIdWhenRestored:
      BilingualText("1: restored purchases get other transaction ids.", "1：恢复购买得到新的交易号。")
    case .oldOriginalWhenBoughtAgain:
      BilingualText(
        "1: a purchase repeated after a refund keeps its first original id.", "1：退款后再次购买沿用最初的原始交易号。")
    case .refundsUnderFurtherIds:
      BilingualText("1: refund notifications name the latest of these ids.", "1：退款通知使用最新的重复交易号。")
    case .oneRefundDate:
      BilingualText("1: all parts of a refund have the date of the first.", "1：分次退款都使用第一次的日期。")
    case .refundDelayMilliseconds:
      BilingualText("Extra delay of the REFUND notification in milliseconds.", "REFUND 通知额外推迟的毫秒数。")
    case .apiCallsPerHour:
      BilingualText("Calls of each kind that the API allows in an hour.", "API 每小时允许的每类调用次数。")
    case .unreleasedInProduction:
      BilingualText("1: the API answers 401 in production.", "1：生产环境的 API 一律回复 401。")
    case .renewByHand:
      BilingualText("1: subscriptions renew and end only by command.", "1：订阅仅按命令续订和结束。")
    case .calendarPeriodsInSandbox:
      BilingualText("1: sandbox subscriptions last real weeks, months and years.", "1：沙盒订阅按真实的周、月、年计时。")
    case .minutePeriodsInProduction:
      BilingualText("1: production subscriptions last minutes, as in the sandbox.", "1：生产环境的订阅周期与沙盒一样只有几分钟。")
    }
  }

  /// The allowed values.
  package var range: ClosedRange<Int64> {
    switch self {
    case .failPurchases, .losePurchaseAnswers, .loseTokens, .loseFinishes, .loseFinishAnswers,
      .loseNotifications, .loseAttempts:
      0...1_000_000
    // Ten days: longer than Apple's whole retry period.
    case .notificationDelayMilliseconds, .refundDelayMilliseconds: 0...864_000_000
    case .duplicateNotifications: 0...10
    case .apiCallsPerHour: 0...1_000_000
    case .notifyBeforeAnswer, .notifyNever, .retryInSandbox, .retryAfter400, .newIdWhenOwned,
      .newTokenWhenOwned, .newIdWhenRestored, .oldOriginalWhenBoughtAgain, .refundsUnderFurtherIds, .oneRefundDate,
      .calendarPeriodsInSandbox, .minutePeriodsInProduction, .unreleasedInProduction, .renewByHand:
      0...1
    }
  }
}

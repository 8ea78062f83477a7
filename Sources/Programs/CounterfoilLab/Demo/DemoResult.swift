import AppStoreSimulator
import CounterfoilCLI
import PaymentEngine
import PaymentPrimitives
import StrictJSON

/// The records of all sides, compared: the store's charges, the server's grants, the backend's bookings.
struct DemoResult: Sendable {
  /// The transactions that the simulators charged.
  var charged: Set<String> = []
  /// How many of them by WeChat Pay.
  var chargedByWeChatPay = 0
  /// Payments that the server first learned of by querying WeChat Pay.
  var firstByQuestion = 0
  /// The number of grants, according to the audit.
  var granted = 0
  /// Transactions that the backend has booked.
  var delivered: Set<String> = []
  /// Transactions that the backend has booked more than once.
  var doubled = 0
  /// Money rules that the audit found violated.
  var violations: [String] = []
  var kills = 0
  /// Purchases that completed on a later run of the app.
  var recoveredByRelaunch = 0
  /// Payments that the server first saw in a notification.
  var firstByNotification = 0
  /// Payments that the server first saw from a phone.
  var firstByClient = 0
  /// Deliveries that the backend received more than once.
  var repeatedDeliveries = 0
  var forged = 0

  /// Charged and never booked.
  var lost: Set<String> { charged.subtracting(delivered) }
  /// Booked and never charged.
  var unpaid: Set<String> { delivered.subtracting(charged) }

  var isRight: Bool {
    lost.isEmpty && unpaid.isEmpty && doubled == 0 && violations.isEmpty && forged == 0
      && granted == charged.count
  }

  var json: JSONValue {
    .members([
      ("charged", .integer(charged.count)), ("granted", .integer(granted)),
      ("delivered", .integer(delivered.count)), ("lost", .integer(lost.count)),
      ("unpaid", .integer(unpaid.count)), ("doubled", .integer(doubled)),
      ("serverKills", .integer(kills)), ("firstByClient", .integer(firstByClient)),
      ("firstByNotification", .integer(firstByNotification)), ("firstByQuestion", .integer(firstByQuestion)),
      ("chargedByWeChatPay", .integer(chargedByWeChatPay)),
      ("recoveredByRelaunch", .integer(recoveredByRelaunch)),
      ("repeatedDeliveries", .integer(repeatedDeliveries)),
      ("violations", .array(violations.map(JSONValue.string))),
    ])
  }

  func table(_ language: Language) -> String {
    let rows: [(BilingualText, String)] = [
      (BilingualText("charged by the stores", "商店已扣款"), "\(charged.count)"),
      (BilingualText("  of these by WeChat Pay", "  其中微信支付"), "\(chargedByWeChatPay)"),
      (BilingualText("granted by the server", "服务器已入账"), "\(granted)"),
      (BilingualText("booked by the backend", "后端已登记"), "\(delivered.count)"),
      (BilingualText("  first reported by the phone", "  先由手机上报"), "\(firstByClient)"),
      (BilingualText("  first reported by a notification", "  先由通知得知"), "\(firstByNotification)"),
      (BilingualText("  first reported by WeChat Pay's answer", "  先由向微信支付查单得知"), "\(firstByQuestion)"),
      (BilingualText("  completed on a later start of the app", "  再次启动应用后完成"), "\(recoveredByRelaunch)"),
      (BilingualText("server killed (kill -9)", "服务器被强制终止（kill -9）"), "\(kills)"),
      (BilingualText("deliveries repeated under one id", "以同一编号重复的发货通知"), "\(repeatedDeliveries)"),
      (BilingualText("lost", "丢失"), "\(lost.count)"),
      (BilingualText("doubled", "重复"), "\(doubled)"),
      (BilingualText("delivered unpaid", "未付款却发货"), "\(unpaid.count)"),
    ]
    var text = "\n"
    for (name, value) in rows {
      text += "  " + name[language] + ": " + value + "\n"
    }
    for violation in violations { text += "  BROKEN " + violation + "\n" }
    let verdict =
      isRight
      ? BilingualText("Whatever was paid was delivered exactly once.", "已付款的，全部恰好发货一次。")
      : BilingualText("The promise was broken: keep the folder and report it.", "承诺被违反：请保留数据目录并报告。")
    return text + "\n" + verdict[language] + "\n"
  }
}

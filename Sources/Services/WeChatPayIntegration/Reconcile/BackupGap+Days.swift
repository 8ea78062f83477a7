import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import WeChatPayProtocol

extension BackupGap {
  /// WeChat Pay keeps its bills for three months.
  private static let billsKept = TimeSpan.days(92)

  /// The Beijing days of the gap without a complete comparison. A comparison of one of these days was made after the
  /// restoration: a bill appears on the day after.
  func uncomparedDays(in appEnvironment: AppEnvironment, _ reader: any DatabaseReader) throws -> [UncomparedDay] {
    var days: [UncomparedDay] = []
    var moment = max(from, until - Self.billsKept)
    repeat {
      days.append(UncomparedDay(appEnvironment: appEnvironment, store: .weChatPay, day: BeijingTime.day(moment)))
      moment = moment + .days(1)
    } while BeijingTime.day(moment) <= BeijingTime.day(until)
    return try days.filter { day in
      try reader.reconciliation(of: day.day, at: .weChatPay, in: appEnvironment)?.doneAt == nil
    }
  }
}

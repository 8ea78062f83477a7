import Markup
import PaymentPrimitives

/// What became of the action that led to this page.
enum Notice: String {
  case done
  case repeated
  case asked
  /// The store was asked first, and has it in another state.
  case notSent = "not-sent"
  /// Apple named no payment under an order number that this server accepts, or others beside those that it accepts.
  case noneAccepted = "none-accepted"
  case someAccepted = "some-accepted"
  /// Apple knows no such order number.
  case unknownToApple = "unknown-to-apple"
  /// Nobody asked Apple: the app has no key for that.
  case noAppleKey = "no-apple-key"

  static let name = "notice"

  private var words: BilingualText {
    switch self {
    case .done: BilingualText("Done. It stands in the audit log.", "已完成，并已写入操作记录。")
    case .asked:
      BilingualText("Another operator has to approve it now.", "已提交，等待另一位操作员复核。")
    case .notSent:
      BilingualText(
        "Nothing was sent: the store has it in another state by now, as this page shows.",
        "未发送：商店中的状态已变化，见本页。")
    case .noneAccepted:
      BilingualText(
        "Apple knows this order number, but named no payment that is accepted here: it may be of another app.",
        "Apple 有此订单号，但未给出本服务器可接受的支付，可能属于其他应用。")
    case .someAccepted:
      BilingualText(
        "Apple answered. Not every payment that it named is accepted here: some may be of another app.",
        "Apple 已答复，但其中部分支付未被本服务器接受，可能属于其他应用。")
    case .unknownToApple:
      BilingualText(
        "Apple knows no order of this app with that number. Check it in the mail, and which app the mail is about.",
        "Apple 没有该应用的此订单号。请核对邮件中的订单号，以及邮件所指的应用。")
    case .noAppleKey:
      BilingualText(
        "Apple was not asked: this app has no API key for the App Store's production, which alone knows order numbers.",
        "未向 Apple 查询：该应用未配置 App Store 生产环境的 API 密钥，只有生产环境提供订单号查询。")
    case .repeated:
      BilingualText(
        "This had been sent before: nothing was done a second time.", "该操作此前已提交，没有重复执行。")
    }
  }

  /// The notice of a page; nothing without one.
  static func markup(_ visit: AppVisit) -> Markup {
    guard let notice = visit.visit.query(name).flatMap(Notice.init(rawValue:)) else { return Markup() }
    return .element(
      .section, [.style(notice == .done ? "panel notice" : "panel notice warn"), .of(.role, "status")],
      .element(.p, .text(notice.words[visit.language])))
  }
}

import Markup
import PaymentPrimitives

/// What became of the action that led to this page.
enum Notice: String {
  case done
  case repeated
  case asked
  /// The store was asked first, and has it in another state.
  case notSent = "not-sent"

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

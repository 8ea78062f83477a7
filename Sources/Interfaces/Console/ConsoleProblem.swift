import HTTPMessages
import Markup
import PaymentEngine
import PaymentPrimitives

/// What ends a request otherwise than with its page.
enum ConsoleProblem: Error, Hashable {
  /// There is no such page, or nothing of that name.
  case notFound
  case methodNotAllowed
  /// The operator's role does not allow it.
  case notAllowed(needed: String)
  /// The form did not come from a page of this session.
  case foreignForm
  /// The form could not be read, or lacks a field.
  case formInvalid(BilingualText)
  case tooManyTries

  var status: Int {
    switch self {
    case .notFound: 404
    case .methodNotAllowed: 405
    case .notAllowed, .foreignForm: 403
    case .formInvalid: 422
    case .tooManyTries: 429
    }
  }

  var title: BilingualText {
    switch self {
    case .notFound: BilingualText("There is no such page here.", "这里没有这个页面。")
    case .methodNotAllowed: BilingualText("This page cannot be called that way.", "不能以这种方式访问该页面。")
    case .notAllowed: BilingualText("Your role does not allow that.", "您的角色无权执行此操作。")
    case .foreignForm: BilingualText("The form was not sent from this session.", "该表单不是从当前会话发出的。")
    case .formInvalid: BilingualText("The form is not complete.", "表单填写不完整。")
    case .tooManyTries: BilingualText("Too many tries.", "尝试次数过多。")
    }
  }

  var remedy: BilingualText {
    switch self {
    case .notFound:
      BilingualText("Check the address, or search for the number that you have.", "请检查地址，或用手头的单号搜索。")
    case .methodNotAllowed: BilingualText("Go back and use the buttons of the page.", "请返回并使用页面上的按钮。")
    case .notAllowed(let needed):
      BilingualText("Ask somebody with this role: \(needed).", "请联系具有以下角色的同事：\(needed)。")
    case .foreignForm:
      BilingualText(
        "Nothing was changed. Open the page again and repeat it; sign in again if that does not help.",
        "没有任何更改。请重新打开页面再试；如仍不行，请重新登录。")
    case .formInvalid(let what): what
    case .tooManyTries: BilingualText("Wait a minute, then try again.", "请等待一分钟后再试。")
    }
  }
}

/// The page for an error.
struct ErrorPage {
  private let status: Int
  private let title: BilingualText
  private let remedy: BilingualText
  private let details: String

  init(_ error: any Error) {
    switch error {
    case let problem as ConsoleProblem:
      (status, title, remedy, details) = (problem.status, problem.title, problem.remedy, "")
    case let error as CodedError<EngineErrorCode>:
      status = Self.status(of: error.code)
      (title, remedy, details) = (error.code.meaning, error.code.remedy, error.details)
    default:
      status = 500
      title = BilingualText("Something went wrong here.", "服务器内部出错。")
      remedy = BilingualText(
        "The log has the reason under the id of this request, which stands below.", "日志中有原因，请按下方的请求编号查找。")
      details = ""
    }
  }

  private static func status(of code: EngineErrorCode) -> Int {
    switch code {
    case .orderUnknown, .paymentUnknown, .deliveryUnknown, .notificationUnknown, .productUnknown, .dayNotCompared,
      .refundUnknown, .extensionUnknown, .complaintUnknown, .promotionalUnknown:
      404
    default: code.retry == .later ? 503 : 409
    }
  }

  func response(_ visit: ConsoleVisit, _ settings: ConsoleSettings) -> HTTPResponse {
    let language = visit.language
    let content = Markup.element(
      .section, [.style("panel")],
      .element(.h1, .text(title[language])), .element(.p, .text(remedy[language])),
      RefusalDetails.markup(details, in: language),
      .element(
        .p,
        .element(.a, [.link(LinkTarget(["console"]))], .text(Words.backToStart[language]))))
    return PageFrame.bare(title[language], content, for: visit, in: settings).response(status: status)
  }
}

import AppStoreProtocol
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import WeChatPayIntegration
import WeChatPayProtocol

/// What the form of an extension of renewal dates states.
struct ExtensionWish {
  let days: Int64
  let cause: ExtendReasonCode
  /// Where the period of one subscription ends, as the page showed it.
  let periodEnd: Timestamp?
  /// The identifier and the storefronts of an extension for all subscribers.
  let identifier: String?
  let storefronts: [String]?

  /// - Throws: `formInvalid`.
  init(_ arguments: [String: String], of action: ConsoleAction) throws {
    let days = arguments[ActionField.days.rawValue].flatMap { Int64($0) }
    guard let days, (1...RenewalExtensionRequest.daysMax).contains(days) else {
      throw ConsoleProblem.formInvalid(BilingualText("State 1 to 90 days.", "请填写 1 到 90 天。"))
    }
    guard let cause = arguments[ActionField.cause.rawValue].flatMap(ExtendReasonCode.init(name:)) else {
      throw ConsoleProblem.formInvalid(BilingualText("Choose the cause.", "请选择原因。"))
    }
    (self.days, self.cause) = (days, cause)
    periodEnd = arguments[ActionField.periodEnd.rawValue].flatMap(Timestamp.init(iso8601:))
    identifier = arguments[ActionField.identifier.rawValue]
    storefronts = arguments[ActionField.storefronts.rawValue].map { text in
      text.split { $0 == " " || $0 == "," || $0 == "，" }.map(String.init)
    }
    let isThere = action == .extend ? periodEnd != nil : identifier != nil
    guard isThere else {
      throw ConsoleProblem.formInvalid(BilingualText("Open the page again.", "请重新打开页面。"))
    }
    let letters: ClosedRange<UInt8> = 0x41...0x5A
    guard (storefronts ?? []).allSatisfy({ $0.utf8.count == 3 && $0.utf8.allSatisfy { letters.contains($0) } }) else {
      throw ConsoleProblem.formInvalid(
        BilingualText("State storefronts like CHN USA.", "请按 CHN USA 的格式填写国家或地区代码。"))
    }
  }

  /// - Throws: `formInvalid` for an identifier that Apple would not take.
  func massRequest() throws -> RenewalExtensionRequest {
    do { return try RenewalExtensionRequest(days: days, reason: cause, identifier: identifier ?? "") } catch {
      throw ConsoleProblem.formInvalid(error.code.meaning)
    }
  }
}

/// Checks and reads the fields of an action's form.
enum ActionFields {
  /// Checks the fields of an action, so that neither the audit log nor an approval has one that nobody can do.
  ///
  /// - Throws: `formInvalid`.
  static func check(_ action: ConsoleAction, _ arguments: [String: String]) throws {
    switch action {
    case .claim:
      guard arguments[ActionField.user.rawValue] != nil else {
        throw ConsoleProblem.formInvalid(BilingualText("Name the user who gets it.", "请填写获得该支付的用户。"))
      }
    case .mergeUser:
      guard arguments[ActionField.user.rawValue] != nil else {
        throw ConsoleProblem.formInvalid(BilingualText("Name the user who is merged.", "请填写要并入的用户。"))
      }
    case .answerComplaint, .refuseComplaintRefund:
      guard ComplaintAct.isText(arguments[ActionField.text.rawValue] ?? "") else {
        throw ConsoleProblem.formInvalid(
          BilingualText(
            "Write 1 to 200 characters, without line breaks and emoji.", "请填写 1 到 200 个字符，不含换行与表情符号。"))
      }
    case .reconcile:
      let day = arguments[ActionField.day.rawValue]
      guard let store = arguments[ActionField.store.rawValue].flatMap(Store.init(rawValue:)),
        store == .appStore || day?.utf8.count == 10
      else {
        throw ConsoleProblem.formInvalid(BilingualText("State the day like 2026-03-01.", "请按 2026-03-01 的格式填写日期。"))
      }
    case .decideRefund:
      guard ["yes", "no"].contains(arguments[ActionField.stands.rawValue]) else {
        throw ConsoleProblem.formInvalid(BilingualText("Choose what holds.", "请选择裁定结果。"))
      }
    case .eraseUser:
      // Typed: one press too many must not erase a user with a debt.
      guard [nil, AskedAction.forceWord].contains(arguments[ActionField.force.rawValue]) else {
        throw ConsoleProblem.formInvalid(
          BilingualText("Type FORCE, or leave that field empty.", "请输入 FORCE，或将该项留空。"))
      }
    case .creditBalance, .giveEntitlement, .setLimit, .liftLimit: try checkForUser(action, arguments)
    case .extend: _ = try ExtensionWish(arguments, of: action)
    case .extendAll: _ = try ExtensionWish(arguments, of: action).massRequest()
    case .redirect: _ = try destination(arguments)
    default: break
    }
  }

  /// Where a stuck refund goes.
  ///
  /// - Throws: `formInvalid`.
  static func destination(_ arguments: [String: String]) throws -> RefundDestination {
    switch arguments[ActionField.destination.rawValue] {
    case "merchantAccount": return .merchantAccount
    case "payerCard":
      guard
        let card = PayerCard(
          bank: arguments[ActionField.bank.rawValue] ?? "", account: arguments[ActionField.account.rawValue] ?? "",
          holder: arguments[ActionField.holder.rawValue] ?? "")
      else {
        throw ConsoleProblem.formInvalid(
          BilingualText(
            "State the bank like CMB_DEBIT, the card's 8 to 32 digits, and the name on it.",
            "请填写银行代码（如 CMB_DEBIT）、8 到 32 位卡号和持卡人姓名。"))
      }
      return .payerCard(card)
    default: throw ConsoleProblem.formInvalid(BilingualText("Choose where it goes.", "请选择退款去向。"))
    }
  }
}

extension AskedAction {
  fileprivate static let forceWord = "FORCE"

  /// Whether an erasure passes over a debt and a subscription that renews.
  var isForced: Bool { arguments[ActionField.force.rawValue] == Self.forceWord }
}

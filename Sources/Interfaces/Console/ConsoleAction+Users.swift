import PaymentModel
import PaymentPrimitives

// What an operator gives a user without a payment, and what a user may spend (record 305).
extension ConsoleAction {
  /// Days of access that support may give. Longer ones need the role of an operator.
  static let supportDays: Int64 = 7
  /// Days of access that anybody may give.
  static let entitlementDays: ClosedRange<Int64> = 1...366

  var userExplanation: BilingualText {
    switch self {
    case .creditBalance:
      BilingualText(
        "Gives the user units without a payment. No refund takes them back. The ceiling of the day holds here, too.",
        "在没有付款的情况下赠送数量；退款不会收回。当日上限同样适用。")
    case .giveEntitlement:
      BilingualText(
        "Gives the user access from now on without a payment. What they paid for stays as it is.",
        "从现在起赠送权益，无需付款；已付费的内容保持不变。")
    case .revokeEntitlement:
      BilingualText(
        "Ends what was given now, for ever. What the user paid for stays.", "立即终止该赠送，且不可恢复；已付费的内容保持不变。")
    case .setLimit:
      BilingualText(
        "An order that would pass it is refused. Renewals of the store go on.", "超过限额的订单会被拒绝；商店的自动续订不受影响。")
    default:
      BilingualText("The user may spend without a limit in this currency again.", "该用户在此货币下不再受限额约束。")
    }
  }

  /// What it needs beside its own permission, for these arguments.
  func furtherPermission(_ arguments: [String: String]) -> OperatorPermission? {
    guard self == .giveEntitlement, let days = Self.days(arguments), days > Self.supportDays else { return nil }
    return .operate
  }

  static func days(_ arguments: [String: String]) -> Int64? {
    arguments[ActionField.duration.rawValue].flatMap { Int64($0) }.flatMap {
      entitlementDays.contains($0) ? $0 : nil
    }
  }
}

import PaymentPrimitives
package import ServerConfiguration

/// Checks whether one operator alone can do what two should.
package enum ConsoleDoctor {
  package static func finding(_ configuration: ServerConfiguration) -> DoctorFinding {
    guard let console = configuration.console else {
      return .notApplicable("console", BilingualText("There is no [console].", "未配置 [console]。"))
    }
    guard console.needsApprovals else {
      return .warned(
        "console",
        BilingualText(
          "One operator alone may refund any amount, write debts off and set payments aside.",
          "单个操作员即可退还任意金额、核销欠款并搁置支付。"),
        remedy: BilingualText(
          "Remove approvals = \"off\" from [console].", "请从 [console] 中删除 approvals = \"off\"。"))
    }
    return .passed(
      "console",
      BilingualText(
        "A second operator approves refunds above \(console.refundMinorUnits) fen, write-offs and what is set aside.",
        "退款超过 \(console.refundMinorUnits) 分、核销欠款与搁置支付均需第二位操作员复核。"))
  }
}

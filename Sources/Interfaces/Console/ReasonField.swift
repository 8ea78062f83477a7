import Markup
import PaymentEngine
import PaymentPrimitives

/// Why an operator does something: a field of each form that changes something, and a part of its audit log entry.
enum ReasonField {
  /// The field, its label and what it is for.
  ///
  /// - Parameter id: unique in its page.
  static func markup(_ id: String, in language: Language) -> Markup {
    let length = ActionDescription.reasonLength
    return .element(
      .div, [.style("field")], .element(.label, [.of(.for, id + "-reason")], .text(Words.reason[language])),
      .element(
        .textarea,
        [
          .of(.id, id + "-reason"), .of(.name, "reason"), .of(.required), .of(.minlength, "\(length.lowerBound)"),
          .of(.maxlength, "\(length.upperBound)"), .of(.ariaDescribedBy, id + "-hint"),
        ]), .element(.small, [.of(.id, id + "-hint")], .text(hint[language])))
  }

  /// - Throws: `formInvalid` if the form has none.
  static func text(of form: WebForm) throws -> String {
    guard let reason = form["reason"], ActionDescription.reasonLength.contains(reason.count) else {
      throw ConsoleProblem.formInvalid(
        BilingualText("State the reason, in 3 to 1,000 characters.", "请填写原因（3 到 1,000 个字符）。"))
    }
    return reason
  }

  private static let hint = BilingualText(
    "It stays in the audit log: a ticket's number, or what the customer said.", "会保留在操作记录中：填写工单号或客户的说明。")
}

package import PaymentPrimitives
package import StrictJSON

/// The result of one check of `counterfoil doctor`.
package struct DoctorFinding: Sendable {
  /// The four results of a check.
  package enum Outcome: String, Sendable {
    case passed
    /// It works in part, or Apple or WeChat Pay gave no clear answer: cause and remedy say more.
    case warned
    /// Not as it should be: cause and remedy say more.
    case failed
    /// There is nothing to check, or another check must pass first.
    case notApplicable
  }

  /// The name of the check; names are permanent.
  package let check: String
  /// The checked item if there are several, such as a host.
  package var subject: String?
  package let outcome: Outcome
  package let cause: BilingualText
  /// The action to take, if one is needed.
  package var remedy: BilingualText?

  package static func passed(_ check: String, _ cause: BilingualText, subject: String? = nil) -> DoctorFinding {
    DoctorFinding(check: check, subject: subject, outcome: .passed, cause: cause)
  }

  package static func failed(
    _ check: String, _ cause: BilingualText, remedy: BilingualText, subject: String? = nil
  ) -> DoctorFinding {
    DoctorFinding(check: check, subject: subject, outcome: .failed, cause: cause, remedy: remedy)
  }

  package static func warned(
    _ check: String, _ cause: BilingualText, remedy: BilingualText, subject: String? = nil
  ) -> DoctorFinding {
    DoctorFinding(check: check, subject: subject, outcome: .warned, cause: cause, remedy: remedy)
  }

  package static func notApplicable(_ check: String, _ cause: BilingualText, subject: String? = nil) -> DoctorFinding {
    DoctorFinding(check: check, subject: subject, outcome: .notApplicable, cause: cause)
  }

  /// The text of an error, with its details.
  package static func failed<Code>(_ check: String, _ error: CodedError<Code>, subject: String? = nil)
    -> DoctorFinding
  {
    .failed(check, error.code.meaning.followed(by: error.details), remedy: error.code.remedy, subject: subject)
  }

  /// The form for `--json`; without an app if the check is about the whole server.
  package func json(app: String?, _ language: Language) -> JSONValue {
    .members([
      ("app", app.map(JSONValue.string)), ("check", .string(check)), ("subject", subject.map(JSONValue.string)),
      ("outcome", .string(outcome.rawValue)), ("cause", .string(cause[language])),
      ("remedy", remedy.map { .string($0[language]) }),
    ])
  }
}

extension BilingualText {
  /// The sentence followed by details, which exist in one language only.
  func followed(by details: String) -> BilingualText {
    guard !details.isEmpty else { return self }
    return BilingualText(english + " " + details, chinese + details)
  }
}

package import PaymentPrimitives

/// All problems of a configuration, not only the first one.
package struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problems in the order of the file, then those of flags and environment variables; at least one.
  package let problems: [ConfigurationProblem]

  init(_ problems: [ConfigurationProblem]) {
    precondition(!problems.isEmpty, "an error without a problem")
    self.problems = problems
  }

  package var description: String { report(.english) }

  /// The problems for the author of the configuration: two or three lines each, at most 50 of them.
  ///
  /// - Parameter link: where a setting is explained, by its path: `app[0].bundle_id`; nil if nowhere.
  package func report(_ language: Language, linking link: (String) -> String? = { _ in nil }) -> String {
    let shown = problems.prefix(Self.reportedMax).map { $0.report(language, linking: link) }
    let left = problems.count - shown.count
    guard left > 0 else { return shown.joined(separator: "\n") }
    let more = BilingualText("… and \(left) more.", "……另有 \(left) 处。")
    return (shown + [more[language]]).joined(separator: "\n")
  }

  /// More do not help: they often disappear when the first ones are corrected.
  private static let reportedMax = 50
}

/// One problem of a configuration, with its place.
package struct ConfigurationProblem: Hashable, Sendable {
  package let error: CodedError<ConfigurationErrorCode>
  package let place: SettingPlace
  /// The setting, by its path: `app[0].bundleId`; nil for the text as a whole.
  package let setting: String?

  init(_ error: CodedError<ConfigurationErrorCode>, at place: SettingPlace, setting: String?) {
    self.error = error
    self.place = place
    self.setting = setting
  }

  /// The problem in two or three lines: place, setting, code and details; then the remedy; then where the setting is
  /// explained.
  package func report(_ language: Language, linking link: (String) -> String? = { _ in nil }) -> String {
    let head = [place.description, setting, error.code.rawValue].compactMap { $0 }
    let facts = [error.code.meaning[language], error.details].filter { !$0.isEmpty }
    let explained = setting.flatMap(link).map { BilingualText("\n  See \($0)", "\n  参见 \($0)")[language] }
    return head.joined(separator: ": ") + ": " + facts.joined(separator: " ") + "\n  "
      + error.code.remedy[language] + (explained ?? "")
  }
}

package enum SettingPlace: Hashable, Sendable, CustomStringConvertible {
  /// In a file; without a position, the file as a whole.
  case file(String, TOMLPosition?)
  /// In a command line flag, named without its dashes.
  case flag(String)
  case environment(String)

  package var description: String {
    switch self {
    case .file(let name, nil): name
    case .file(let name, .some(let position)): "\(name):\(position.line):\(position.column)"
    case .flag(let name): "--\(name)"
    case .environment(let name): name
    }
  }
}

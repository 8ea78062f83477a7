/// A configuration file that has been taken apart, not yet understood.
package struct ConfigurationFile: Sendable {
  /// What it is called in errors: its path.
  package let name: String
  private let root: TOMLValue

  /// Takes a file apart.
  ///
  /// - Throws: a `ConfigurationError` with one problem: too large, too deep, or not TOML.
  package init(
    parsing bytes: [UInt8], named name: String, limits: TOMLLimits = .configuration
  ) throws(ConfigurationError) {
    self.name = name
    self.root = try TOMLReader.read(bytes, named: name, limits: limits)
  }

  /// A file with nothing in it, for a program that was started without one.
  package static let none = ConfigurationFile(
    name: "(no configuration)", root: TOMLValue(.table([]), at: TOMLPosition(line: 1, column: 1)))

  private init(name: String, root: TOMLValue) {
    self.name = name
    self.root = root
  }

  /// Reads the file by asking its root table, and each table in it, for its keys.
  ///
  /// `body` takes nil for a value that is missing or wrong, and goes on, so that all problems are found in one go.
  /// Where it cannot make a value it gives nil. What it did not ask for is an unknown key.
  ///
  /// - Throws: a `ConfigurationError` with every problem.
  package func read<Value>(
    layers: SettingLayers = SettingLayers(), _ body: (ConfigurationTable) -> Value?
  ) throws(ConfigurationError) -> Value {
    let problems = ConfigurationProblems()
    let table = ConfigurationTable(root, path: "", file: name, layers: layers, problems: problems)
    let value = body(table)
    table.refuseUnknownKeys()
    let all = problems.sorted
    guard all.isEmpty else { throw ConfigurationError(all) }
    guard let value else { preconditionFailure("no configuration was made, and no problem found") }
    return value
  }
}

/// The problems found so far, while a configuration is read on one task.
final class ConfigurationProblems {
  private var all: [ConfigurationProblem] = []

  func add(_ problem: ConfigurationProblem) { all.append(problem) }

  /// In the order of the file, then of flags and environment variables; as found where that does not decide.
  var sorted: [ConfigurationProblem] {
    all.enumerated().sorted { a, b in
      (rank(a.element.place), a.offset) < (rank(b.element.place), b.offset)
    }.map(\.element)
  }

  private func rank(_ place: SettingPlace) -> TOMLPosition {
    switch place {
    case .file(_, let position): position ?? TOMLPosition(line: 0, column: 0)
    case .flag: TOMLPosition(line: .max, column: 0)
    case .environment: TOMLPosition(line: .max, column: 1)
    }
  }
}

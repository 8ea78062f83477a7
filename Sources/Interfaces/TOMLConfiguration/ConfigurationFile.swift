/// A configuration file that is parsed, but not interpreted yet.
package struct ConfigurationFile: Sendable {
  /// Its name in errors: its path.
  package let name: String
  let root: TOMLValue

  /// Parses a file.
  ///
  /// - Throws: a `ConfigurationError` with one problem: too large, too deep, or not TOML.
  package init(
    parsing bytes: [UInt8], named name: String, limits: TOMLLimits = .configuration
  ) throws(ConfigurationError) {
    self.name = name
    self.root = try TOMLReader.read(bytes, named: name, limits: limits)
  }

  /// An empty file, for a program that was started without one.
  package static let none = ConfigurationFile(
    name: "(no configuration)", root: TOMLValue(.table([]), at: TOMLPosition(line: 1, column: 1)))

  private init(name: String, root: TOMLValue) {
    self.name = name
    self.root = root
  }

  /// Interprets the file by reading the keys of its root table, and of each table in it.
  ///
  /// For a missing or wrong value `body` gets nil, and continues, so that one run finds all problems. It returns nil
  /// if it cannot make its value. A key that it did not read is an unknown key.
  ///
  /// - Parameter noting: takes each key that `body` asks for.
  /// - Throws: a `ConfigurationError` with every problem.
  package func read<Value>(
    layers: SettingLayers = SettingLayers(), noting: ((AskedSetting) -> Void)? = nil,
    _ body: (ConfigurationTable) -> Value?
  ) throws(ConfigurationError) -> Value {
    let problems = ConfigurationProblems(noting: noting)
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
  private let noting: ((AskedSetting) -> Void)?

  init(noting: ((AskedSetting) -> Void)?) { self.noting = noting }

  func note(_ asked: @autoclosure () -> AskedSetting) { noting?(asked()) }

  /// Adds a problem once: a key that two readers ask for has one problem.
  func add(_ problem: ConfigurationProblem) {
    if !all.contains(problem) { all.append(problem) }
  }

  /// Ordered by the file, then flags and environment variables; otherwise in the order of discovery.
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

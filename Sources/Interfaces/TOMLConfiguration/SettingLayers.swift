/// The sources of a server setting besides the file: a flag overrides an environment variable, that overrides the
/// file, the file overrides the default.
package struct SettingLayers: Sendable {
  /// Values of command line flags, by name without dashes: `["listen-address": "127.0.0.1:8080"]`.
  package var flags: [String: String]
  /// Environment variables; only names that begin with `COUNTERFOIL_` are read.
  package var environment: [String: String]

  /// Layers from flags and environment; both are empty by default.
  package init(flags: [String: String] = [:], environment: [String: String] = [:]) {
    self.flags = flags
    self.environment = environment
  }

  /// The flag of a setting: `listenAddress` is `listen-address`.
  package static func flagName(of key: String) -> String { words(of: key).joined(separator: "-") }

  /// The environment variable of a setting: `listenAddress` is `COUNTERFOIL_LISTEN_ADDRESS`.
  package static func variableName(of key: String) -> String {
    "COUNTERFOIL_" + words(of: key).joined(separator: "_").uppercased()
  }

  /// The rule: the first present value of flag, variable, file and default.
  package static func first<Value>(
    flag: Value?, environment: Value?, file: Value?, default standard: Value
  ) -> LayeredSetting<Value> {
    if let flag { return LayeredSetting(value: flag, origin: .flag) }
    if let environment { return LayeredSetting(value: environment, origin: .environment) }
    if let file { return LayeredSetting(value: file, origin: .file) }
    return LayeredSetting(value: standard, origin: .default)
  }

  /// The words of a key in camel case, in lower case.
  private static func words(of key: String) -> [String] {
    var words: [String] = []
    for character in key {
      if character.isUppercase || words.isEmpty { words.append("") }
      words[words.count - 1] += character.lowercased()
    }
    return words
  }
}

/// A setting's value, and the layer that it came from.
package struct LayeredSetting<Value> {
  package let value: Value
  package let origin: SettingOrigin
}

extension LayeredSetting: Sendable where Value: Sendable {}
extension LayeredSetting: Equatable where Value: Equatable {}

/// The layers of a setting, the strongest first.
package enum SettingOrigin: String, Hashable, CaseIterable, Sendable {
  case flag
  case environment
  case file
  /// The value if no layer sets one.
  case `default`
}

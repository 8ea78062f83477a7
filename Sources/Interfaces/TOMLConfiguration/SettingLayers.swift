/// The places that a server setting may come from besides the file: a flag beats an environment variable, that beats
/// the file, the file beats the default.
package struct SettingLayers: Sendable {
  /// Values of command line flags, by name without dashes: `["listen-address": "127.0.0.1:8080"]`.
  package var flags: [String: String]
  /// Environment variables; only those whose names begin with `COUNTERFOIL_` are looked at.
  package var environment: [String: String]

  /// Layers from flags and environment; none of either by default.
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

  /// The rule: the first of flag, variable, file and default that is there.
  package static func first<Value>(
    flag: Value?, environment: Value?, file: Value?, default standard: Value
  ) -> LayeredSetting<Value> {
    if let flag { return LayeredSetting(value: flag, origin: .flag) }
    if let environment { return LayeredSetting(value: environment, origin: .environment) }
    if let file { return LayeredSetting(value: file, origin: .file) }
    return LayeredSetting(value: standard, origin: .default)
  }

  /// The words of a key in camel case, in small letters.
  private static func words(of key: String) -> [String] {
    var words: [String] = []
    for character in key {
      if character.isUppercase || words.isEmpty { words.append("") }
      words[words.count - 1] += character.lowercased()
    }
    return words
  }
}

/// A setting's value, and which layer it came from.
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
  /// What holds when nobody says anything.
  case `default`
}

/// A key that a reading of a configuration asked for, whether the file has it or not. A test compares these with the
/// reference of all keys.
package struct AskedSetting: Hashable, Sendable {
  /// The key with the tables above it, without their numbers: `app[].product[].id`.
  package let path: String
  package let shape: SettingShape
  /// Whether its absence is an error.
  package let isRequired: Bool
  /// Whether the reader states a default for it.
  package let hasDefault: Bool
}

/// Paths of settings: `app[0].endpoint[1].url`.
package enum SettingPath {
  /// The path without what stands in its brackets: `app[].endpoint[].url`.
  package static func pattern(of path: String) -> String {
    var pattern = ""
    var isInside = false
    for character in path {
      if character == "]" { isInside = false }
      if !isInside { pattern.append(character) }
      if character == "[" { isInside = true }
    }
    return pattern
  }
}

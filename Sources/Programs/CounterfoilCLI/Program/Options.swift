/// The parsed arguments of a command: `--name value`, `--name=value`, `--flag`, and words without an option.
package struct Options: Sendable {
  /// Values of options, in order.
  private var values: [String: [String]] = [:]
  private var flags: Set<String> = []
  /// Words without an option, in order; everything after `--`.
  package private(set) var words: [String] = []

  /// Parses arguments.
  ///
  /// - Parameters:
  ///   - valued: the options that take a value, without their dashes.
  ///   - flags: the options without a value; `help` and `json` are always included.
  /// - Throws: `UsageError` with an unknown option and the nearest known one, or an option without its value.
  package init(
    _ arguments: [String], valued: [String] = [], flags known: [String] = []
  ) throws(UsageError) {
    let known = known + ["help", "json"]
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        words += rest
        return
      }
      guard argument.hasPrefix("--") else {
        words.append(argument)
        continue
      }
      let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      if valued.contains(name) {
        guard let value = parts.count > 1 ? String(parts[1]) : rest.popFirst() else {
          throw UsageError("--\(name) needs a value.")
        }
        values[name, default: []].append(value)
      } else if known.contains(name), parts.count == 1 {
        flags.insert(name)
      } else {
        throw Self.unknown(name, among: valued + known)
      }
    }
  }

  private static func unknown(_ name: String, among known: [String]) -> UsageError {
    let nearest = known.min { EditDistance.between($0, name) < EditDistance.between($1, name) }
    guard let nearest, EditDistance.between(nearest, name) <= 3 else {
      return UsageError("--\(name) is no option of this command.")
    }
    return UsageError("--\(name) is no option of this command. Is --\(nearest) meant?")
  }

  package func has(_ flag: String) -> Bool { flags.contains(flag) }

  /// The values of an option, in order.
  package func all(_ name: String) -> [String] { values[name] ?? [] }

  /// The only value of an option.
  ///
  /// - Throws: `UsageError` if the option was given twice.
  package func one(_ name: String) throws(UsageError) -> String? {
    guard let given = values[name] else { return nil }
    guard given.count == 1 else { throw UsageError("--\(name) was given twice.") }
    return given[0]
  }

  /// The only value of an option as a whole number within a range.
  package func number(_ name: String, in range: ClosedRange<Int64>) throws(UsageError) -> Int64? {
    guard let text = try one(name) else { return nil }
    guard let number = Int64(text), range.contains(number) else {
      throw UsageError(
        "--\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }
}

/// The number of letters that must change to turn one word into another.
package enum EditDistance {
  package static func between(_ a: String, _ b: String) -> Int {
    let a = Array(a), b = Array(b)
    var row = Array(0...b.count)
    for (i, letter) in a.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for j in b.indices {
        let replaced = diagonal + (letter == b[j] ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(replaced, row[j] + 1, row[j + 1] + 1)
      }
    }
    return row[b.count]
  }
}

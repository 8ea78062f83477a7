/// The client runs on systems as old as the manifest says. Some features of the language need newer ones: they stand in
/// a list here. `AvailabilityRule` knows the symbols.
package enum OldestSystemRule {
  /// A feature that came with an iOS; the other systems of that autumn brought it as well.
  struct Newer: Sendable {
    let pattern: String
    let since: Int

    init(_ pattern: String, since: Int) {
      self.pattern = pattern
      self.since = since
    }
  }

  static let list = [
    // Parameter packs of types, and an actor's own deinitializer.
    Newer("each", since: 17), Newer("isolated deinit", since: 18),
  ]

  /// What a client module uses that its oldest system does not have, without asking for a newer one.
  ///
  /// - Parameter floor: the oldest iOS.
  package static func findings(in file: SourceFile, floor: Int) -> [Finding] {
    let allowed = availability(in: file).max() ?? floor
    return patterns.matches(in: file.code).compactMap { match in
      let newer = list[match.pattern]
      guard newer.since > max(floor, allowed) else { return nil }
      return Finding(
        file, file.code[match.token].line,
        "\(newer.pattern) came with iOS \(newer.since), the package runs from iOS \(floor) on, and nothing here asks")
    }
  }

  private static let patterns = TokenPatterns(list.map { TokenPattern($0.pattern) })

  /// The versions of iOS that stand in the file's `@available` and `#available`.
  private static func availability(in file: SourceFile) -> [Int] {
    file.code.indices.compactMap { index in
      guard file.code[index].is("iOS"), index + 1 < file.code.count else { return nil }
      return Int(file.code[index + 1].text.prefix { $0 != "." })
    }
  }

  /// What is wrong with the oldest versions in the manifest: StoreKit 2 needs these, and StoreKit 1 runs on each.
  package static func problems(_ platforms: [String: Int]) -> [String] {
    let oldest = ["ios": 15, "tvos": 15, "watchos": 8, "visionos": 1]
    return oldest.filter { platforms[$0.key] != $0.value }.map { "the oldest \($0.key) is not \($0.value)" }.sorted()
  }
}

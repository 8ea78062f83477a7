/// The client runs on systems as old as the manifest says. The compiler on Linux knows of no availability, so what came
/// later stands in a list here, and may be used behind `@available` or `#available` of its system alone.
package enum OldestSystemRule {
  /// Something that came with an iOS; the other systems of that autumn brought it as well.
  struct Newer: Sendable {
    let pattern: String
    let since: Int

    init(_ pattern: String, since: Int) {
      self.pattern = pattern
      self.since = since
    }
  }

  static let list = [
    Newer("String ( unsafeUninitializedCapacity", since: 14), Newer("isFamilyShareable", since: 14),
    Newer("Product . PurchaseResult", since: 15), Newer("Transaction . updates", since: 15),
    Newer("AppStore . deviceVerificationID", since: 15), Newer("UIWindowScene . keyWindow", since: 15),
    Newer("Duration", since: 16), Newer("ContinuousClock", since: 16), Newer("SuspendingClock", since: 16),
    Newer("InstantProtocol", since: 16), Newer("Clock", since: 16), Newer("Regex*", since: 16),
    Newer(". wholeMatch", since: 16), Newer(". firstMatch", since: 16), Newer(". prefixMatch", since: 16),
    Newer(". replacing (", since: 16), Newer(". ranges ( of", since: 16), Newer(". firstRange ( of", since: 16),
    Newer(". trimmingPrefix", since: 16), Newer("URL ( filePath", since: 16), Newer(". appending ( path", since: 16),
    Newer("PurchaseIntent", since: 16), Newer("NavigationStack", since: 16),
    Newer("presentOfferCodeRedeemSheet", since: 16),
    Newer("withDiscardingTaskGroup", since: 17), Newer("withThrowingDiscardingTaskGroup", since: 17),
    Newer("DiscardingTaskGroup", since: 17), Newer("Observable", since: 17), Newer("Observation", since: 17),
    Newer("confirmIn", since: 17), Newer("unownedExecutor", since: 17), Newer("each", since: 17),
    Newer("Synchronization", since: 18), Newer("Mutex", since: 18), Newer("Atomic", since: 18),
    Newer("TaskExecutor", since: 18), Newer("executorPreference", since: 18),
    Newer("withTaskExecutorPreference", since: 18), Newer("Int128", since: 18), Newer("UInt128", since: 18),
    Newer("winBackOffer*", since: 18), Newer("String ( validating", since: 18), Newer("isolated deinit", since: 18),
    Newer("InlineArray", since: 26), Newer(". utf8Span", since: 26), Newer("Task . immediate", since: 26),
    Newer("Observations", since: 26),
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

/// The client runs on systems as old as the manifest says. The compiler on Linux knows of no availability, so what came
/// later stands in a list here, and may be used behind `@available` or `#available` of its system alone.
enum OldestSystemRule {
  /// Something that came with an iOS, as tokens. A word that ends in `*` stands for all that begin so.
  struct Newer: Sendable {
    let pattern: String
    /// The iOS that brought it; the other systems of that autumn brought it as well.
    let since: Int
    let words: [String]

    init(_ pattern: String, since: Int) {
      self.pattern = pattern
      self.since = since
      words = pattern.split(separator: " ").map(String.init)
    }

    func stands(at index: Int, in code: [Token]) -> Bool {
      guard index + words.count <= code.count else { return false }
      return words.enumerated().allSatisfy { offset, word in
        let token = code[index + offset]
        guard token.kind == .word || token.kind == .punctuation else { return false }
        return word.hasSuffix("*") && word.count > 1 ? token.text.hasPrefix(word.dropLast()) : token.text == word
      }
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
  static func findings(in file: SourceFile, floor: Int, _ list: [Newer] = list) -> [Finding] {
    let allowed = availability(in: file).max() ?? floor
    return file.code.indices.flatMap { index in
      list.filter { $0.since > max(floor, allowed) && $0.stands(at: index, in: file.code) }.map { newer in
        Finding(
          file, file.code[index].line,
          "\(newer.pattern) came with iOS \(newer.since), the package runs from iOS \(floor) on, and nothing here asks")
      }
    }
  }

  /// The versions of iOS that stand in the file's `@available` and `#available`.
  private static func availability(in file: SourceFile) -> [Int] {
    file.code.indices.compactMap { index in
      guard file.code[index].is("iOS"), index + 1 < file.code.count else { return nil }
      return Int(file.code[index + 1].text.prefix { $0 != "." })
    }
  }

  private static let systems: Set<String> = ["iOS", "tvOS", "watchOS", "visionOS"]

  /// The oldest systems as a manifest names them: `iOS: 15`.
  static func floors(in manifest: SourceFile) -> [String: Int] {
    var floors: [String: Int] = [:]
    for index in manifest.code.indices.dropFirst() where manifest.code[index - 1].is(".") {
      let code = manifest.code[index...]
      guard code.count > 3, systems.contains(code[index].text), code[index + 1].is("("), code[index + 2].is("."),
        code[index + 3].text.hasPrefix("v"), let version = Int(code[index + 3].text.dropFirst())
      else { continue }
      floors[code[index].text] = version
    }
    return floors
  }
}

/// Time, randomness, waiting, threads, files, environment and output come from `Dependencies`. What can crash on
/// foreign input is banned everywhere (CONVENTIONS 6).
package enum BannedCallRule {
  struct Ban: Sendable {
    let pattern: String
    let instead: String
    /// Folders that may use it: the platform, and the tests of platform and programs.
    let home: [String]
    /// Whether a member of that name, or a declaration of it, is something else.
    let isFree: Bool
    let tokens: TokenPattern

    init(_ pattern: String, instead: String, home: [String] = [], isFree: Bool = false) {
      self.pattern = pattern
      self.instead = instead
      self.home = home
      self.isFree = isFree
      tokens = TokenPattern(pattern)
    }

    func stands(at index: Int, in code: [Token]) -> Bool {
      guard tokens.matches(code, at: index) else { return false }
      if isFree, index > 0, code[index - 1].is(".") || code[index - 1].is("func") { return false }
      // `try!` and `as!` are one word; `try !done` is something else.
      return tokens.words.last != "!" || code[index + tokens.words.count - 1].touchesPrevious
    }
  }

  static let platform = [
    "Sources/Platform/SystemPlatform", "Sources/Platform/HTTPServer", "Sources/Platform/HTTPClient",
    "Sources/Client/CounterfoilURLSession",
  ]
  static let program = ["Sources/Programs/CounterfoilProgram", "Fuzzers"]
  static let platformTests = ["Tests/PlatformTests", "Tests/ProgramTests", "Tests/TestSubprocess"]
  static let tools = ["Tools", "Tests/CatalogProgram"]
  /// A program without the package has no `Dependencies`; what can crash stays banned.
  static let withoutPackage = "Examples/Backends"

  static let bans: [Ban] =
    [
      Ban("Date ( )", instead: "Dependencies.now"),
      Ban("Date . now", instead: "Dependencies.now"),
      Ban("ContinuousClock", instead: "Dependencies.now", home: platform + platformTests + tools),
      Ban("SuspendingClock", instead: "Dependencies.now", home: platform + platformTests),
      Ban("clock_gettime", instead: "Dependencies.now", home: platform + platformTests),
      Ban("gettimeofday", instead: "Dependencies.now"),
      Ban("CFAbsoluteTimeGetCurrent", instead: "Dependencies.now"),
      // Tests name their folders on a shared disk by it.
      Ban("UUID ( )", instead: "Dependencies.makeOrderIdentifier", home: ["Tests", "Tools"]),
      Ban(". random (", instead: "Dependencies.randomNumber(below:)"),
      Ban(". randomElement (", instead: "Dependencies.randomNumber(below:)"),
      Ban(". shuffle (", instead: "Dependencies.randomNumber(below:)"),
      Ban(". shuffled (", instead: "Dependencies.randomNumber(below:)"),
      Ban("arc4random*", instead: "Dependencies.randomBytes"),
      Ban("SystemRandomNumberGenerator", instead: "Dependencies.randomBytes", home: platform),
      Ban("Task . sleep", instead: "Dependencies.sleep", home: platform + platformTests),
      Ban("usleep", instead: "Dependencies.sleep", home: platform + platformTests),
      Ban("nanosleep", instead: "Dependencies.sleep", home: platform + platformTests),
      Ban("Thread . sleep", instead: "Dependencies.sleep", home: platformTests),
      Ban("Task . detached", instead: "a task group, or a service with one run()"),
      Ban("Dispatch*", instead: "structured tasks; threads belong to the platform", home: platformTests),
      Ban("pthread_*", instead: "structured tasks; threads belong to the platform", home: platform),
      Ban("NSLock", instead: "an actor, or Synchronization.Mutex for a short synchronous section"),
      Ban("NSRecursiveLock", instead: "an actor, or Synchronization.Mutex for a short synchronous section"),
      Ban("getenv", instead: "the environment that the program hands in", home: platform, isFree: true),
      Ban("setenv", instead: "the environment that the program hands in", home: ["Tests/PlatformTests"], isFree: true),
      Ban("ProcessInfo", instead: "the environment that the program hands in", home: ["Tests", "Tools"]),
      Ban(
        "FileManager", instead: "the files that the program hands in", home: platform + program + ["Tests", "Tools"]),
      Ban(
        "URLSession*", instead: "HTTPExchange: URLSession hangs for good when cancelled early",
        home: ["Sources/Client/CounterfoilURLSession", "Examples"]),
      Ban(
        "print (", instead: "the output that the program hands in, or a LogEvent", home: program + tools, isFree: true),
      Ban("debugPrint (", instead: "a LogEvent", isFree: true),
      Ban("NSLog", instead: "a LogEvent"),
      Ban("dump (", instead: "a LogEvent", isFree: true),
    ] + crashes

  /// What ends the process, or takes apart what the compiler checks.
  private static let crashes: [Ban] = [
    Ban("exit (", instead: "an exit code that main returns", home: platform + program + tools, isFree: true),
    Ban("fatalError (", instead: "a thrown CodedError, or precondition for a bug of our own", isFree: true),
    Ban("try !", instead: "do and catch, or #require in a test"),
    Ban("as !", instead: "as?, or a type that needs no cast"),
    Ban("unsafeBitCast", instead: "a conversion that the compiler checks"),
    Ban("@ testable", instead: "the public or package face"),
    Ban("@ _exported", instead: "an import in each file that needs it"),
    Ban("@ _spi", instead: "package access"),
  ]

  private static let crashPatterns = Set(crashes.map(\.pattern))

  /// Files that need what belongs to a door, each with its reason. The list may only shrink: an entry that is no longer
  /// needed fails, too.
  static let exceptions: [(pattern: String, path: String, reason: String)] = [
    (
      "pthread_*", "Sources/Services/SQLiteDatabase/ThreadExecutor.swift",
      "SQLite blocks, so each connection waits on a thread of its own; the program hands the executor in"
    ),
    (
      "unsafeBitCast", "Sources/Services/SQLiteDatabase/Connection/Binding.swift",
      "SQLite's word for a copy is the pointer value -1, which no conversion makes"
    ),
    (
      "@ _exported", "Sources/Client/Counterfoil/ExportedVocabulary.swift",
      "new projects in Xcode hide what a file does not import, and every call speaks this module's words"
    ),
    (
      "@ _exported", "Sources/Client/CounterfoilTesting/ExportedContract.swift",
      "the tests of apps read the orders of the scripted server"
    ),
    (
      "@ _exported", "Sources/Client/CounterfoilApp/ExportedModules.swift",
      "an app takes all of it by one import"
    ),
    ("print (", "Tests/CryptographyTests/SecretTests.swift", "it shows that a secret cannot be printed"),
    ("debugPrint (", "Tests/CryptographyTests/SecretTests.swift", "it shows that a secret cannot be printed"),
    ("dump (", "Tests/CryptographyTests/SecretTests.swift", "it shows that a secret cannot be dumped"),
  ]

  package static func findings(
    in file: SourceFile, exceptions: [(pattern: String, path: String, reason: String)] = Self.exceptions
  ) -> [Finding] {
    guard file.language == .swift, file.path != "Package.swift" else { return [] }
    var findings = comments(in: file) + disabledTests(in: file)
    let own = ownNames(in: file)
    for match in patterns.matches(in: file.code) {
      let ban = bans[match.pattern]
      guard ban.stands(at: match.token, in: file.code), !ban.isFree || !own.contains(ban.tokens.words[0]),
        !ban.home.contains(where: file.isIn),
        crashPatterns.contains(ban.pattern) || !file.isIn(withoutPackage),
        !exceptions.contains(where: { $0.pattern == ban.pattern && $0.path == file.path })
      else { continue }
      let line = file.code[match.token].line
      findings.append(Finding(file, line, "\(ban.pattern) is banned here; instead: \(ban.instead)"))
    }
    return findings
  }

  private static let patterns = TokenPatterns(bans.map(\.tokens))

  /// Names that a file declares as values of its own: `let print: (String) -> Void` is an output that was handed in.
  private static func ownNames(in file: SourceFile) -> Set<String> {
    Set(zip(file.code, file.code.dropFirst()).filter { $0.kind == .word && $1.is(":") }.map(\.0.text))
  }

  /// Exceptions that nothing needs.
  package static func idleExceptions(
    _ exceptions: [(pattern: String, path: String, reason: String)], among files: [SourceFile]
  ) -> [String] {
    exceptions.filter { exception in
      guard !exception.reason.isEmpty, let ban = bans.first(where: { $0.pattern == exception.pattern }),
        let file = files.first(where: { $0.path == exception.path })
      else { return true }
      return !file.code.indices.contains { ban.stands(at: $0, in: file.code) }
    }.map { "\($0.pattern) in \($0.path)" }
  }

  private static let unfinished: Set<String> = ["TODO", "FIXME", "XXX", "HACK"]

  private static func comments(in file: SourceFile) -> [Finding] {
    file.facts.comments.compactMap { comment in
      let words = comment.name.split { !$0.isLetter && !$0.isNumber }
      guard let word = words.first(where: { unfinished.contains(String($0)) }) else { return nil }
      return Finding(
        file, comment.line, "\(word) is banned; instead: finish it, or open an issue and leave no trace here")
    }
  }

  /// `.disabled` must be followed by a parenthesis in which a text says why.
  private static func disabledTests(in file: SourceFile) -> [Finding] {
    // There it is a button.
    guard !file.isIn("Sources/Client/CounterfoilSwiftUI") else { return [] }
    return file.code.indices.compactMap { index in
      guard file.code[index].is("."), index + 1 < file.code.count, file.code[index + 1].is("disabled") else {
        return nil
      }
      var depth = 0
      for token in file.code[(index + 2)...] {
        if token.kind == .text { return nil }
        if token.is("(") { depth += 1 }
        if token.is(")") { depth -= 1 }
        if depth <= 0 { break }
      }
      return Finding(file, file.code[index].line, "a disabled test says why, in a text; better: repair or remove it")
    }
  }
}

import Foundation

/// What the client products declare about privacy is what their sources do.
package enum PrivacyRule {
  /// Each module with a manifest of its own. What the other modules use counts as the first one's.
  static let modules = ["Counterfoil", "CounterfoilStoreKit"]

  static func path(of module: String) -> String { "Sources/Client/\(module)/PrivacyInfo.xcprivacy" }

  /// What one of these manifests is compared with.
  static func files(of module: String, among files: [SourceFile]) -> [SourceFile] {
    files.filter { file in
      let own = file.target.map { modules.contains($0) ? $0 : modules[0] }
      return own == module
    }
  }

  /// Apple's categories of required-reason calls, with the names by which sources would use them.
  private static let categories: [String: Set<String>] = [
    "NSPrivacyAccessedAPICategoryUserDefaults": ["UserDefaults", "NSUserDefaults", "CFPreferencesCopyAppValue"],
    "NSPrivacyAccessedAPICategoryFileTimestamp": [
      "creationDate", "modificationDate", "fileModificationDate", "contentModificationDateKey", "creationDateKey",
      "attributesOfItem", "getattrlist", "fgetattrlist", "getattrlistbulk", "stat", "fstat", "lstat", "fstatat",
    ],
    "NSPrivacyAccessedAPICategorySystemBootTime": ["systemUptime", "mach_absolute_time"],
    "NSPrivacyAccessedAPICategoryDiskSpace": [
      "volumeAvailableCapacityKey", "volumeAvailableCapacityForImportantUsageKey", "systemFreeSize", "systemSize",
      "volumeTotalCapacityKey", "statfs", "statvfs", "fstatfs", "fstatvfs",
    ],
    "NSPrivacyAccessedAPICategoryActiveKeyboards": ["activeInputModes"],
  ]

  /// What is sent, each with a word that only the sources have that send it.
  private static let dataTypes: [(name: String, word: String, isLinked: Bool)] = [
    ("PurchaseHistory", "TransactionSubmission", true), ("UserID", "UserSession", true),
    ("DeviceID", "deviceVerificationID", true), ("OtherDiagnosticData", "DiagnosticsSender", false),
  ]

  /// - Parameter files: the sources of everything that an app can link of ours, except for test doubles.
  package static func problems(in manifest: String, _ files: [SourceFile]) -> [String] {
    let list = try? PropertyListSerialization.propertyList(from: Data(manifest.utf8), format: nil)
    guard let manifest = list as? [String: Any], !files.isEmpty else { return ["it is no property list"] }
    let words = Set(files.flatMap { $0.code.filter { $0.kind == .word }.map(\.text) })
    let used = categories.filter { !$0.value.isDisjoint(with: words) }.keys.sorted()
    let reasons = manifest["NSPrivacyAccessedAPITypes"] as? [[String: Any]] ?? []
    let declared = reasons.compactMap { $0["NSPrivacyAccessedAPIType"] as? String }.sorted()
    var problems: [String] = []
    if used != declared { problems.append("it declares the calls \(declared); the sources use \(used)") }
    if !reasons.allSatisfy({ ($0["NSPrivacyAccessedAPITypeReasons"] as? [String])?.isEmpty == false }) {
      problems.append("a call has no reason")
    }
    if manifest["NSPrivacyTracking"] as? Bool != false || manifest["NSPrivacyTrackingDomains"] as? [String] != [] {
      problems.append("it does not say that no user is tracked")
    }
    let sent = dataTypes.filter { words.contains($0.word) }
    let collected = manifest["NSPrivacyCollectedDataTypes"] as? [[String: Any]] ?? []
    let names = collected.compactMap { $0["NSPrivacyCollectedDataType"] as? String }
    if names != sent.map({ "NSPrivacyCollectedDataType" + $0.name }) {
      problems.append("it declares the data \(names); the sources send \(sent.map(\.name))")
    }
    let isForTheAppAlone = zip(collected, sent).allSatisfy { type, sent in
      type["NSPrivacyCollectedDataTypeTracking"] as? Bool == false
        && type["NSPrivacyCollectedDataTypeLinked"] as? Bool == sent.isLinked
        && type["NSPrivacyCollectedDataTypePurposes"] as? [String] == [
          "NSPrivacyCollectedDataTypePurposeAppFunctionality"
        ]
    }
    if !isForTheAppAlone {
      problems.append("it links data of nobody, or collects it for more than the app's own function")
    }
    return problems
  }
}

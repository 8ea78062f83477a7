import Foundation

/// What the client products declare about privacy is what their sources do.
package enum PrivacyRule {
  static let path = "Sources/Client/Counterfoil/PrivacyInfo.xcprivacy"

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

  private static let dataTypes = ["PurchaseHistory", "UserID", "DeviceID"]

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
    let collected = manifest["NSPrivacyCollectedDataTypes"] as? [[String: Any]] ?? []
    let names = collected.compactMap { $0["NSPrivacyCollectedDataType"] as? String }
    if names != dataTypes.map({ "NSPrivacyCollectedDataType" + $0 }) {
      problems.append("it collects \(names), not \(dataTypes)")
    }
    let isForTheAppAlone = collected.allSatisfy { type in
      type["NSPrivacyCollectedDataTypeTracking"] as? Bool == false
        && type["NSPrivacyCollectedDataTypeLinked"] as? Bool == true
        && type["NSPrivacyCollectedDataTypePurposes"] as? [String] == [
          "NSPrivacyCollectedDataTypePurposeAppFunctionality"
        ]
    }
    if !isForTheAppAlone { problems.append("it collects data for more than the app's own function") }
    return problems
  }
}

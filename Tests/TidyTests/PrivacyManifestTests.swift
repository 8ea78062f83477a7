import Foundation
import Testing

/// What the client products say about privacy, held against what their sources do.
@Suite struct `The privacy manifest` {
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
  /// Everything that an app can link of ours.
  private static let clientModules = [
    "PaymentPrimitives", "StrictJSON", "CounterfoilAPI", "HTTPMessages", "Counterfoil", "CounterfoilStoreKit",
    "CounterfoilWeChat", "CounterfoilURLSession", "CounterfoilSwiftUI", "CounterfoilSwiftUI",
  ]

  private static func used(in files: [SourceFile]) -> Set<String> {
    let words = Set(files.flatMap { $0.code.filter { $0.kind == .word }.map(\.text) })
    return Set(categories.filter { !$0.value.isDisjoint(with: words) }.keys)
  }

  private func manifest() throws -> [String: Any] {
    let url = Repository.root.appending(path: "Sources/Client/Counterfoil/PrivacyInfo.xcprivacy")
    let list = try PropertyListSerialization.propertyList(from: Data(contentsOf: url), format: nil)
    return try #require(list as? [String: Any])
  }

  @Test func `is held against sources: a planted call is noticed`() {
    let planted = SourceFile(
      "Sources/Client/Counterfoil/X.swift", "let kept = UserDefaults.standard.bool(forKey: \"x\")")
    #expect(Self.used(in: [planted]) == ["NSPrivacyAccessedAPICategoryUserDefaults"])
  }

  @Test func `names each kind of required-reason call that the client makes, and no other`() throws {
    let files = Repository.swift.filter { file in file.target.map { Self.clientModules.contains($0) } == true }
    #expect(Set(files.compactMap(\.target)) == Set(Self.clientModules), "each module has sources")
    let declared = try #require(try manifest()["NSPrivacyAccessedAPITypes"] as? [[String: Any]])
    #expect(Set(declared.compactMap { $0["NSPrivacyAccessedAPIType"] as? String }) == Self.used(in: files))
    #expect(declared.allSatisfy { ($0["NSPrivacyAccessedAPITypeReasons"] as? [String])?.isEmpty == false })
  }

  @Test func `says that nobody is tracked`() throws {
    let manifest = try manifest()
    #expect(manifest["NSPrivacyTracking"] as? Bool == false)
    #expect((manifest["NSPrivacyTrackingDomains"] as? [String]) == [])
  }

  @Test func `names purchases, user and device, for the app's own function alone`() throws {
    let types = try #require(try manifest()["NSPrivacyCollectedDataTypes"] as? [[String: Any]])
    let names = types.compactMap { $0["NSPrivacyCollectedDataType"] as? String }
    #expect(names == ["PurchaseHistory", "UserID", "DeviceID"].map { "NSPrivacyCollectedDataType" + $0 })
    for type in types {
      #expect(type["NSPrivacyCollectedDataTypeTracking"] as? Bool == false)
      #expect(type["NSPrivacyCollectedDataTypeLinked"] as? Bool == true)
      let purposes = type["NSPrivacyCollectedDataTypePurposes"] as? [String]
      #expect(purposes == ["NSPrivacyCollectedDataTypePurposeAppFunctionality"])
    }
  }
}

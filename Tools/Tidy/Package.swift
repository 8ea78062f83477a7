// swift-tools-version: 6.2
// Checks the conventions and writes the generated pages. A package of its own, because it is built on the SwiftSyntax
// of the toolchain: `scripts/tidy` builds it with the flags that find that library.
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
  name: "tidy",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "tidy", targets: ["TidyProgram"])],
  targets: [
    .target(name: "TidyRules", swiftSettings: strict),
    .executableTarget(name: "TidyProgram", dependencies: ["TidyRules"], swiftSettings: strict),
    .testTarget(name: "TidyRulesTests", dependencies: ["TidyRules"], swiftSettings: strict),
  ]
)

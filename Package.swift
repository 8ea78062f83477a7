// swift-tools-version: 6.2
// Targets stand grouped by floor, in the order of the picture in README.md, from the ground up.
// A module may import only what it names here, and names only modules of lower floors: TidyTests hold the table.
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

func module(
  _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [], path: String? = nil,
  resources: [Resource] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: path, exclude: exclude, resources: resources,
    swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

// A manifest has one floor per system. The client needs macOS 12, the server macOS 15 (`Mutex`); in an app's project,
// where this package is a checkout of SwiftPM's or Xcode's, only the client is built.
let isInAnApp = Context.packageDirectory.split(separator: "/").dropLast().last == "checkouts"
let oldestMac: SupportedPlatform.MacOSVersion = isInAnApp ? .v12 : .v15

// MARK: C and C++ libraries, each behind exactly one Swift module

let libraries: [Target] = [
  .systemLibrary(
    name: "COpenSSL", pkgConfig: "openssl",
    providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
  .systemLibrary(
    name: "CSQLite", pkgConfig: "sqlite3",
    providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
  .systemLibrary(
    name: "CCurl", pkgConfig: "libcurl",
    providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
  .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
  // toml++, Beast and Asio are used as headers only. Boost ships no pkg-config file, and the flags in that of toml++
  // are of a kind that SwiftPM drops with a warning: scripts/bootstrap sets CPATH where headers lie off the usual path.
  .systemLibrary(
    name: "CTOMLPlusPlus", providers: [.apt(["libtomlplusplus-dev"]), .brew(["tomlplusplus"])]),
  .systemLibrary(name: "CBoost", providers: [.apt(["libboost1.81-dev"]), .brew(["boost"])]),
  // The two shims that C++ forces: a C interface over Boost.Beast and over toml++.
  // Beast 1.81 asserts more than holds: a last chunk that comes as `0 CR LF`, `CR`, `LF` would abort a debug build.
  .target(
    name: "CHTTPServer", dependencies: ["COpenSSL", "CBoost"],
    cxxSettings: [.define("BOOST_DISABLE_ASSERTS")]),
  .target(name: "CTOML", dependencies: ["CTOMLPlusPlus"]),
  // The Swift runtime's hook for jobs that leave a simulated world.
  .target(name: "CTaskHook"),
]

// MARK: stand-ins for Apple's frameworks

// Where Apple's own are missing, targets of their names stand in for them, so that the adapters compile and run in
// tests as they are shipped. No product carries them.
#if os(Linux)
  // A resource would make the core import Foundation, for a file that only Apple's systems read.
  let privacyResources: [Resource] = []
  let privacyExcluded = ["PrivacyInfo.xcprivacy"]
  let standInTargets: [Target] = [
    .target(
      name: "StoreKit",
      dependencies: ["PaymentVocabulary", "AppStoreProtocol", "AppStoreSimulator", "DeviceModel", "UIKit"],
      path: "StandIns/StoreKit", swiftSettings: strict),
    .target(name: "UIKit", dependencies: ["DeviceModel"], path: "StandIns/UIKit", swiftSettings: strict),
    .target(name: "SwiftUI", path: "StandIns/SwiftUI", swiftSettings: strict),
    .target(name: "Security", dependencies: ["DeviceModel"], path: "StandIns/Security", swiftSettings: strict),
  ]
  let standIns = ["StoreKit", "UIKit", "SwiftUI", "Security"].map {
    Target.Dependency.target(name: $0, condition: .when(platforms: [.linux]))
  }
  let appleProducts: [Product] = []
#else
  let privacyResources: [Resource] = [.copy("PrivacyInfo.xcprivacy")]
  let privacyExcluded: [String] = []
  let standInTargets: [Target] = []
  let standIns: [Target.Dependency] = []
  let appleProducts: [Product] = [
    .library(name: "CounterfoilStoreKit", targets: ["CounterfoilStoreKit"]),
    .library(name: "CounterfoilSwiftUI", targets: ["CounterfoilSwiftUI"]),
  ]
#endif

let floors: [Target] = [
  // MARK: 0 ground
  module("PaymentVocabulary"),
  module("StrictJSON"),

  // MARK: 1 tools
  module("PaymentModel", ["PaymentVocabulary"]),
  module("ServerContract", ["PaymentVocabulary", "StrictJSON"]),
  module("HTTPMessages", ["PaymentVocabulary", "StrictJSON"]),
  module("Cryptography", ["PaymentVocabulary", "COpenSSL"]),
  module("Gzip", ["PaymentVocabulary", "CZlib"]),
  module("Configuration", ["PaymentVocabulary", "CTOML"]),

  // MARK: 2 tongues
  module(
    "AppStoreProtocol", ["PaymentVocabulary", "StrictJSON", "HTTPMessages", "Cryptography"]),
  module(
    "WeChatPayProtocol", ["PaymentVocabulary", "StrictJSON", "HTTPMessages", "Cryptography", "Gzip"]),
  module("PaymentStore", ["PaymentVocabulary", "PaymentModel"]),

  // MARK: 3 machines
  module(
    "PaymentEngine",
    [
      "PaymentVocabulary", "StrictJSON", "PaymentModel", "ServerContract", "HTTPMessages",
      "Cryptography", "AppStoreProtocol", "WeChatPayProtocol", "PaymentStore",
    ]),
  module("SQLiteStore", ["PaymentVocabulary", "PaymentModel", "PaymentStore", "CSQLite"]),
  module(
    "Counterfoil", ["PaymentVocabulary", "StrictJSON", "ServerContract", "HTTPMessages"], exclude: privacyExcluded,
    resources: privacyResources),
  module(
    "AppStoreSimulator",
    ["PaymentVocabulary", "StrictJSON", "HTTPMessages", "Cryptography", "AppStoreProtocol"],
    exclude: ["Limits.md"]),
  module(
    "WeChatPaySimulator",
    ["PaymentVocabulary", "StrictJSON", "HTTPMessages", "Cryptography", "Gzip", "WeChatPayProtocol"],
    exclude: ["Limits.md"]),

  // MARK: 4 faces
  module(
    "PaymentServer",
    [
      "PaymentVocabulary", "StrictJSON", "PaymentModel", "ServerContract", "HTTPMessages",
      "Cryptography", "PaymentStore", "PaymentEngine",
    ]),
  module("CounterfoilStoreKit", ["PaymentVocabulary", "Counterfoil"] + standIns),
  // The OpenSDK itself is a binary of WeChat's, which the app brings along.
  module("CounterfoilWeChat", ["Counterfoil"]),
  module("CounterfoilShopModel", ["PaymentVocabulary", "Counterfoil"]),
  module("DeviceModel", ["PaymentVocabulary", "HTTPMessages", "AppStoreProtocol", "AppStoreSimulator"]),
  // For the tests of apps: scriptable stores, wallet, vault and server, and a clock that a test winds.
  module(
    "CounterfoilTesting",
    ["PaymentVocabulary", "StrictJSON", "ServerContract", "HTTPMessages", "Counterfoil"]),

  // MARK: doors (programs only)
  module("SystemSurroundings", ["PaymentVocabulary"]),
  module(
    "HTTPServer", ["PaymentVocabulary", "StrictJSON", "HTTPMessages", "CHTTPServer"]),
  module("HTTPClient", ["PaymentVocabulary", "HTTPMessages", "CCurl"]),
  // The door of apps: network, time and chance of a device, without a C library.
  module("CounterfoilURLSession", ["PaymentVocabulary", "HTTPMessages"]),

  // MARK: 5 world
  module("CounterfoilSwiftUI", ["PaymentVocabulary", "Counterfoil", "CounterfoilShopModel"] + standIns),
  // An app to begin from. No product carries it.
  module(
    "ShopExample",
    [
      "PaymentVocabulary", "Counterfoil", "CounterfoilStoreKit", "CounterfoilShopModel", "CounterfoilSwiftUI",
      "CounterfoilURLSession",
    ] + standIns, exclude: ["README.md"], path: "Examples/Shop"),
  module(
    "SimulationKit",
    [
      "CTaskHook", "PaymentVocabulary", "StrictJSON", "PaymentModel", "ServerContract",
      "HTTPMessages", "Cryptography", "AppStoreProtocol", "WeChatPayProtocol", "PaymentStore", "PaymentEngine",
      "SQLiteStore", "Counterfoil", "AppStoreSimulator", "WeChatPaySimulator", "PaymentServer",
    ]),
  module(
    "CounterfoilCommands",
    [
      "PaymentVocabulary", "StrictJSON", "PaymentModel", "ServerContract", "HTTPMessages",
      "Cryptography", "Configuration", "AppStoreProtocol", "WeChatPayProtocol", "PaymentStore", "PaymentEngine",
      "SQLiteStore", "Counterfoil", "AppStoreSimulator", "WeChatPaySimulator", "PaymentServer", "SimulationKit",
    ]),
  // MARK: 6 program
  // Not named like the product: on a file system without upper and lower case it would be `Counterfoil`.
  .executableTarget(
    name: "CounterfoilProgram",
    dependencies: [
      "PaymentVocabulary", "HTTPMessages", "CounterfoilCommands", "SystemSurroundings",
      "HTTPServer", "HTTPClient",
    ],
    swiftSettings: strict),
]

// Fuzzers/ is a package of its own, built with flags that no other may have; it needs modules that no other may import.
let fuzzed: [Product] =
  Context.environment["COUNTERFOIL_FUZZERS"] == nil
  ? []
  : [
    .library(
      name: "CounterfoilParsers",
      targets: [
        "PaymentVocabulary", "StrictJSON", "HTTPMessages", "Cryptography", "Configuration", "AppStoreProtocol",
        "Gzip", "WeChatPayProtocol", "CHTTPServer", "HTTPServer",
      ])
  ]

let package = Package(
  name: "counterfoil",
  platforms: [.macOS(oldestMac), .iOS(.v15), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
  products: [
    .library(name: "Counterfoil", targets: ["Counterfoil"]),
    .library(name: "CounterfoilTesting", targets: ["CounterfoilTesting"]),
    .library(name: "CounterfoilWeChat", targets: ["CounterfoilWeChat"]),
    .library(name: "CounterfoilURLSession", targets: ["CounterfoilURLSession"]),
    .library(name: "CounterfoilShopModel", targets: ["CounterfoilShopModel"]),
    .executable(name: "counterfoil", targets: ["CounterfoilProgram"]),
  ] + appleProducts + fuzzed,
  targets: libraries + standInTargets + floors + [
    // Runs other programs beside tests.
    .target(name: "OtherPrograms", path: "Tests/OtherPrograms", swiftSettings: strict),
    // How much of what is drawn and sampled a run of the tests tries.
    .target(name: "TestTier", path: "Tests/TestTier", swiftSettings: strict),
    tests(
      "GroundTests", ["PaymentVocabulary", "StrictJSON", "PaymentModel", "Cryptography", "Gzip", "Configuration"]),
    tests(
      "ProtocolTests",
      [
        "OtherPrograms", "PaymentVocabulary", "StrictJSON", "HTTPMessages", "Cryptography", "Gzip",
        "AppStoreProtocol", "WeChatPayProtocol",
      ]),
    // A SQLite file system that fails on demand.
    .target(name: "CFaultyDisk", dependencies: ["CSQLite"], path: "Tests/CFaultyDisk"),
    tests(
      "MachineTests",
      [
        "OtherPrograms", "TestTier", "PaymentVocabulary", "StrictJSON", "HTTPMessages", "ServerContract",
        "PaymentModel", "Cryptography", "AppStoreProtocol", "PaymentStore", "SQLiteStore", "PaymentEngine",
        "Counterfoil", "CounterfoilTesting", "CounterfoilWeChat", "AppStoreSimulator", "SimulationKit", "CFaultyDisk",
        "Gzip", "WeChatPayProtocol", "WeChatPaySimulator",
      ]),
    tests(
      "FaceTests",
      [
        "PaymentVocabulary", "StrictJSON", "PaymentModel", "ServerContract", "HTTPMessages", "Cryptography",
        "AppStoreProtocol", "PaymentStore", "PaymentEngine", "SQLiteStore", "PaymentServer", "SimulationKit",
        "WeChatPayProtocol", "WeChatPaySimulator",
      ]),
    tests(
      "AdapterTests",
      [
        "TestTier", "PaymentVocabulary", "StrictJSON", "HTTPMessages", "ServerContract", "PaymentModel", "Cryptography",
        "AppStoreProtocol", "PaymentStore", "PaymentEngine", "Counterfoil", "AppStoreSimulator", "PaymentServer",
        "CounterfoilStoreKit", "CounterfoilShopModel", "DeviceModel", "SimulationKit",
      ] + standIns),
    // A world on whose phones the shipped adapters run, over the stand-ins; its program is no product.
    .target(
      name: "DeviceWorld",
      dependencies: [
        "PaymentVocabulary", "AppStoreProtocol", "Counterfoil", "AppStoreSimulator", "CounterfoilStoreKit",
        "DeviceModel", "SimulationKit",
      ], path: "Tests/DeviceWorld", swiftSettings: strict),
    .executableTarget(
      name: "DeviceWorldProgram",
      dependencies: [
        "PaymentVocabulary", "SimulationKit", "CounterfoilCommands", "SystemSurroundings", "DeviceWorld",
      ], path: "Tests/DeviceWorldProgram", swiftSettings: strict),
    tests(
      "ShopTests", ["PaymentVocabulary", "ServerContract", "Counterfoil", "CounterfoilShopModel", "ShopExample"]),
    tests(
      "WorldTests",
      [
        "TestTier", "PaymentVocabulary", "StrictJSON", "PaymentModel", "HTTPMessages", "Cryptography",
        "AppStoreProtocol", "AppStoreSimulator", "PaymentStore", "SQLiteStore", "Counterfoil", "SimulationKit",
        "CounterfoilCommands", "DeviceWorld", "WeChatPayProtocol", "WeChatPaySimulator",
      ]),
    tests(
      "DoorTests",
      [
        "OtherPrograms", "PaymentVocabulary", "StrictJSON", "ServerContract", "HTTPMessages", "SystemSurroundings",
        "HTTPServer", "HTTPClient", "CounterfoilURLSession",
      ]),
    // The Swift code of the pages, compiled as new projects of Xcode are; TidyTests hold the pages to it.
    .testTarget(
      name: "SnippetTests",
      dependencies: [
        "Counterfoil", "CounterfoilTesting", "CounterfoilStoreKit", "CounterfoilWeChat", "CounterfoilURLSession",
      ], swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("MemberImportVisibility")]),
    tests("LanguageTests", ["OtherPrograms", "TestTier", "StrictJSON"]),
    tests(
      "ProgramTests",
      [
        "OtherPrograms", "TestTier", "PaymentVocabulary", "StrictJSON", "HTTPMessages", "Cryptography",
        "AppStoreProtocol", "AppStoreSimulator", "SystemSurroundings", "HTTPClient",
      ]),
    tests(
      "TidyTests",
      [
        "OtherPrograms", "PaymentVocabulary", "Cryptography", "Gzip", "Configuration", "AppStoreProtocol",
        "WeChatPayProtocol", "PaymentStore", "PaymentEngine", "Counterfoil", "AppStoreSimulator", "WeChatPaySimulator",
        "PaymentServer", "SimulationKit", "SystemSurroundings", "HTTPServer", "HTTPClient",
      ]),
  ],
  cxxLanguageStandard: .cxx20
)

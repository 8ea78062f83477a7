// swift-tools-version: 6.2
// Targets stand grouped by layer, as the folders of Sources/ do; ARCHITECTURE.md draws them. Tools/Tidy checks layers.
import PackageDescription

let strict: [SwiftSetting] =
  [.swiftLanguageMode(.v6)]
  + ["ExistentialAny", "MemberImportVisibility", "InternalImportsByDefault"].map { .enableUpcomingFeature($0) }

func module(
  _ name: String, in layer: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [],
  privacy: [String] = []
) -> Target {
  #if os(Linux)  // A resource would make the core import Foundation, for a file that only Apple's systems read.
    let (excluded, resources): ([String], [Resource]) = (exclude + privacy, [])
  #else
    let (excluded, resources): ([String], [Resource]) = (exclude, privacy.map { .copy($0) })
  #endif
  return .target(
    name: name, dependencies: dependencies, path: "Sources/\(layer)/\(name)", exclude: excluded,
    resources: resources, swiftSettings: strict)
}

func systemLibrary(_ name: String, pkgConfig: String? = nil, apt: String, brew: String) -> Target {
  .systemLibrary(
    name: name, path: "Sources/C/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt]), .brew([brew])])
}

func program(_ name: String, in folder: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, path: "\(folder)/\(name)", swiftSettings: strict)
}

func support(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: strict)
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
  systemLibrary("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev", brew: "openssl@3"),
  systemLibrary("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev", brew: "sqlite"),
  systemLibrary("CPostgreSQL", pkgConfig: "libpq", apt: "libpq-dev", brew: "libpq"),
  systemLibrary("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev", brew: "curl"),
  systemLibrary("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev", brew: "zlib"),
  systemLibrary("CMimalloc", apt: "libmimalloc-dev", brew: "mimalloc"),
  // C++ libraries have no module: a C interface stands over Boost.Beast and one over toml++, both used as headers only.
  // SwiftPM cannot use their pkg-config files: scripts/bootstrap sets CPATH where headers lie off the usual path.
  // Beast 1.81 asserts more than holds: a last chunk that comes as `0 CR LF`, `CR`, `LF` would abort a debug build.
  .target(
    name: "CHTTPServer", dependencies: ["COpenSSL"], path: "Sources/C/CHTTPServer",
    cxxSettings: [.define("BOOST_DISABLE_ASSERTS")]),
  .target(name: "CTOML", path: "Sources/C/CTOML"),
  // What only `scripts/package` knows: the commit, its time and the compiler.
  .target(
    name: "CBuildInformation", path: "Sources/C/CBuildInformation",
    cSettings: Context.environment["COUNTERFOIL_BUILD"].map { [.define("COUNTERFOIL_BUILD", to: "\"\($0)\"")] }),
  .target(name: "CTaskHook", path: "Sources/C/CTaskHook"),
  .target(name: "CJoinedWrites", dependencies: ["CSQLite"], path: "Sources/C/CJoinedWrites"),
]

// MARK: shims of Apple's frameworks
// Where Apple's own are missing, targets of their names take their place. No product carries them.
#if os(Linux)
  let shims = "Simulators/AppleFrameworkShims"
  let frameworkShimTargets: [Target] = [
    module(
      "StoreKit", in: shims,
      ["PaymentPrimitives", "AppStoreProtocol", "AppStoreSimulator", "SimulatedDevice", "UIKit"]),
    module("UIKit", in: shims, ["SimulatedDevice"]),
    module("SwiftUI", in: shims),
    module("Security", in: shims, ["SimulatedDevice"]),
    module("Flutter", in: shims, ["UIKit"]),
  ]
  let frameworkShims = ["StoreKit", "UIKit", "SwiftUI", "Security", "Flutter"].map {
    Target.Dependency.target(name: $0, condition: .when(platforms: [.linux]))
  }
  let appleLibraries: [String] = []
#else
  let frameworkShimTargets: [Target] = []
  let frameworkShims: [Target.Dependency] = []
  let appleLibraries = ["CounterfoilStoreKit", "CounterfoilSwiftUI", "CounterfoilApp"]
#endif

// MARK: Core: values, and the rules of money; pure
let privacy = ["PrivacyInfo.xcprivacy"]
let primitives: [Target.Dependency] = ["PaymentPrimitives", "StrictJSON"]
let wire = primitives + ["HTTPMessages", "Cryptography"]
let stores: [Target.Dependency] = ["AppStoreProtocol", "WeChatPayProtocol"]
let database: [Target.Dependency] = ["PaymentModel", "PaymentDatabase"]
let stored: [Target.Dependency] = ["SQLiteDatabase", "PostgreSQLDatabase"]
let tables = database + ["PaymentPrimitives", "SQLRows"]
let payments = wire + database + ["CounterfoilAPI"]
let integration = payments + ["PaymentEngine"]
let engine = integration + stores + ["AppStoreIntegration", "WeChatPayIntegration"]
let configured = engine + ["ServerConfiguration"]
let authorities: [Target.Dependency] = ["SimulatorCore", "SigningAuthorities"]
let simulator = wire + authorities
let simulatedStores = authorities + ["AppStoreSimulator", "WeChatPaySimulator"]
let phone: [Target.Dependency] = ["PaymentPrimitives", "AppStoreProtocol"]
let simulated = simulatedStores + ["SimulationKit"]
let sqliteTests: [Target.Dependency] = ["SQLiteDatabase", "TestDatabases", "CFaultyDisk", "TestDoubles", "TestTier"]
let clients: [Target.Dependency] = ["CounterfoilAPI", "Counterfoil", "CounterfoilTesting", "CounterfoilWeChat"]
let machine: [Target.Dependency] = ["SystemPlatform", "HTTPServer", "HTTPClient"]
let machineTests = machine + ["TestPlatform", "TestSubprocess"]
let wireTests = wire + ["TestDoubles", "TestFixtures", "SigningAuthorities"]
let shopTests = configured + simulated + ["PaymentServer", "ShopFixtures", "TestDoubles"]
let parsers = wire + stores + ["TOMLConfiguration", "SigningAuthorities", "CHTTPServer", "HTTPServer", "Passkeys"]
let examples: [Target.Dependency] = ["ShopExample", "ShopPageExample", "CounterfoilApp"]
let adapters: [Target.Dependency] = ["CounterfoilStoreKit", "CounterfoilSwiftUI", "CounterfoilURLSession"]
let programTests: [Target.Dependency] = ["TestDoubles", "TestSubprocess", "TestTier"]
let commandTests: [Target.Dependency] = ["TestTier", "CounterfoilCLI", "CounterfoilLab"]

let core: [Target] = [
  module("PaymentPrimitives", in: "Core"),
  module("StrictJSON", in: "Core"),
  module("PaymentModel", in: "Core", ["PaymentPrimitives"]),
]

// MARK: Protocols: what the stores, the server's callers and the database say, and how it is verified
let protocols: [Target] = [
  module("HTTPMessages", in: "Protocols", primitives),
  module("Markup", in: "Protocols"),
  module("CounterfoilAPI", in: "Protocols", primitives),
  module("Cryptography", in: "Protocols", ["PaymentPrimitives", "COpenSSL"]),
  module("Passkeys", in: "Protocols", primitives + ["Cryptography"]),
  module("AppStoreProtocol", in: "Protocols", wire),
  module("WeChatPayProtocol", in: "Protocols", wire + ["CZlib"]),
  module("PaymentDatabase", in: "Protocols", ["PaymentPrimitives", "PaymentModel"]),
]

// MARK: Services: orders, match, fulfilment, deliveries; the database
let services: [Target] = [
  module("PaymentEngine", in: "Services", payments + ["Passkeys"]),
  module("AppStoreIntegration", in: "Services", integration + ["AppStoreProtocol"]),
  module("WeChatPayIntegration", in: "Services", integration + ["WeChatPayProtocol"]),
  module("SQLRows", in: "Services", database + ["PaymentPrimitives", "Cryptography"]),
  module("SQLiteDatabase", in: "Services", tables + ["CSQLite", "CJoinedWrites"]),
  module("PostgreSQLDatabase", in: "Services", tables + ["CPostgreSQL"]),
]

// MARK: Interfaces: the HTTP API, the configuration, the checks of `doctor`
let interfaces: [Target] = [
  module("PaymentServer", in: "Interfaces", engine),
  module("TOMLConfiguration", in: "Interfaces", ["PaymentPrimitives", "CTOML"]),
  module(
    "ServerConfiguration", in: "Interfaces", engine + ["PaymentServer", "TOMLConfiguration", "PostgreSQLDatabase"]),
  module("Diagnostics", in: "Interfaces", configured),
  module("Console", in: "Interfaces", engine + ["PaymentServer", "Markup", "Passkeys"]),
]

// MARK: Client: what apps link
let client: [Target] = [
  module("Counterfoil", in: "Client", primitives + ["CounterfoilAPI", "HTTPMessages"], privacy: privacy),
  module(
    "CounterfoilStoreKit", in: "Client",
    ["PaymentPrimitives", "Counterfoil", "CounterfoilURLSession", "CounterfoilWeChat"] + frameworkShims,
    privacy: privacy),
  module("CounterfoilWeChat", in: "Client", ["Counterfoil"]),
  module("CounterfoilURLSession", in: "Client", ["PaymentPrimitives", "HTTPMessages"]),
  module("CounterfoilSwiftUI", in: "Client", ["PaymentPrimitives", "Counterfoil"] + frameworkShims),
  // For the tests of apps: scriptable stores, wallet, vault and server, and a clock that a test winds.
  module("CounterfoilTesting", in: "Client", primitives + ["CounterfoilAPI", "HTTPMessages", "Counterfoil"]),
  module("CounterfoilApp", in: "Client", adapters + primitives + ["Counterfoil", "HTTPMessages"] + frameworkShims),
  // Apps to begin from, and the iOS half of the plug-in for Flutter. No product carries them.
  .target(
    name: "ShopExample", dependencies: adapters + ["PaymentPrimitives", "Counterfoil"] + frameworkShims,
    path: "Examples/Shop", exclude: ["README.md", "Shop.storekit", "Info.plist"],
    swiftSettings: strict),
  .target(
    name: "ShopPageExample", dependencies: ["CounterfoilApp"] + frameworkShims, path: "Examples/ShopPage",
    swiftSettings: strict),
  .target(
    name: "CounterfoilFlutter", dependencies: ["CounterfoilApp", "CounterfoilWeChat"] + frameworkShims,
    path: "Clients/flutter/ios/counterfoil_flutter/Sources/counterfoil_flutter", swiftSettings: strict),
]

// MARK: Simulators: the stores, devices and whole worlds
let simulators: [Target] = [
  // The keys and certificates that sign what only Apple and WeChat Pay may sign.
  module("SigningAuthorities", in: "Simulators", wire + ["WeChatPayProtocol"]),
  module("SimulatorCore", in: "Simulators", wire),
  module("AppStoreSimulator", in: "Simulators", simulator + ["AppStoreProtocol"], exclude: ["Limits.md"]),
  module("WeChatPaySimulator", in: "Simulators", simulator + ["WeChatPayProtocol"], exclude: ["Limits.md"]),
  module("SimulatedDevice", in: "Simulators", phone + ["HTTPMessages", "AppStoreSimulator"]),
  module(
    "SimulationKit", in: "Simulators",
    configured + simulatedStores + ["CTaskHook", "SQLiteDatabase", "Counterfoil", "PaymentServer", "Console"]),
]

// MARK: Platform: sockets, clocks, files; for programs alone
let platform: [Target] = [
  module("SystemPlatform", in: "Platform", ["PaymentPrimitives"]),
  module("HTTPServer", in: "Platform", primitives + ["HTTPMessages", "CHTTPServer"]),
  module("HTTPClient", in: "Platform", ["PaymentPrimitives", "HTTPMessages", "CCurl"]),
]

// MARK: Programs
let isSanitized = Context.environment["COUNTERFOIL_SANITIZERS"] != nil  // A sanitizer must see each `malloc`.
let allocator: [Target.Dependency] =
  isSanitized ? [] : [.target(name: "CMimalloc", condition: .when(platforms: [.linux]))]
let launched: [Target.Dependency] = ["CounterfoilCLI", "ProgramPlatform", "SystemPlatform"]
let programs: [Target] = [
  module(
    "CounterfoilCLI", in: "Programs",
    configured + stored + ["TOMLConfiguration", "Diagnostics", "PaymentServer", "Console", "CBuildInformation"]),
  // For trying and proving. The server's program must not reach it, nor anything under Simulators.
  module(
    "CounterfoilLab", in: "Programs",
    configured + simulated + ["SQLiteDatabase", "PostgreSQLDatabase", "Counterfoil", "PaymentServer"]
      + ["CounterfoilCLI", "Console", "Markup"]),
  module(
    "ProgramPlatform", in: "Programs",
    machine + allocator + ["PaymentPrimitives", "HTTPMessages", "ServerConfiguration", "CounterfoilCLI"]),
  // Not named like the products: on a file system without upper and lower case one would be `Counterfoil`.
  program("CounterfoilProgram", in: "Sources/Programs", launched),
  program("CounterfoilLabProgram", in: "Sources/Programs", launched + ["CounterfoilLab"]),
]

let layers = core + protocols + services + interfaces + client + simulators + platform + programs
// Feeds FuzzedParsers with libFuzzer; scripts/fuzz builds it, with flags that nothing else may have.
let fuzzers: [Target] = [
  .target(name: "CLibFuzzer", path: "Fuzzers/CLibFuzzer"),
  program("Fuzz", in: "Fuzzers", ["CLibFuzzer", "FuzzedParsers"]),
]
let fuzzed = Context.environment["COUNTERFOIL_FUZZERS"] == nil ? [] : fuzzers
let appLibraries = ["Counterfoil", "CounterfoilTesting", "CounterfoilWeChat", "CounterfoilURLSession"] + appleLibraries

let package = Package(
  name: "counterfoil",
  platforms: [.macOS(oldestMac), .iOS(.v15), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
  products: appLibraries.map { .library(name: $0, targets: [$0]) } + [
    .executable(name: "counterfoil", targets: ["CounterfoilProgram"]),
    .executable(name: "counterfoil-lab", targets: ["CounterfoilLabProgram"]),
  ],
  targets: libraries + frameworkShimTargets + layers + fuzzed + [
    support("TestSubprocess"), support("TestTier"),
    tests("PaymentPrimitivesTests", primitives + ["PaymentModel", "Cryptography"]),
    tests("StrictJSONTests", primitives),
    tests("MarkupTests", ["Markup"]), tests("PasskeysTests", wire + ["Passkeys", "TestPasskeys"]),
    tests("ConsoleTests", shopTests + ["Console", "Markup", "Passkeys", "SQLiteDatabase", "TestPasskeys"]),
    tests("PaymentModelTests", primitives + ["PaymentModel", "Cryptography", "TestTier"]),
    tests("CryptographyTests", primitives + ["Cryptography", "SigningAuthorities", "TestDoubles"]),
    tests("TOMLConfigurationTests", primitives + ["TOMLConfiguration"]),
    support("TestFixtures", ["StrictJSON", "TestSubprocess"]),
    tests("WeChatPayProtocolTests", wireTests + ["WeChatPayProtocol"]),
    tests("AppStoreProtocolTests", wireTests + ["AppStoreProtocol"]),
    .target(name: "CFaultyDisk", dependencies: ["CSQLite"], path: "Tests/CFaultyDisk"),
    support("TestDatabases", database + primitives + stored + ["CFaultyDisk", "SystemPlatform", "TestSubprocess"]),
    support("TestDoubles", wire),
    support("TestPlatform", ["PaymentPrimitives", "SystemPlatform"]), support("TestPasskeys", wire),
    support("ShopFixtures", configured + simulated + ["PaymentServer", "TestDoubles"]),
    tests("SQLiteDatabaseTests", primitives + database + sqliteTests + ["PaymentEngine", "PostgreSQLDatabase"]),
    tests("PostgreSQLDatabaseTests", shopTests + machineTests + ["TestDatabases", "TestTier"] + stored),
    tests("PaymentEngineTests", configured + simulated + sqliteTests + ["ShopFixtures", "PostgreSQLDatabase"]),
    tests("AppStoreSimulatorTests", simulator + ["AppStoreProtocol", "AppStoreSimulator"] + programTests),
    tests("WeChatPaySimulatorTests", simulator + ["WeChatPayProtocol", "WeChatPaySimulator", "TestDoubles"]),
    tests("CounterfoilTests", wire + clients + ["TestDoubles", "TestTier"]),
    tests("PaymentServerTests", shopTests + ["SQLiteDatabase"]),
    tests(
      "CounterfoilStoreKitTests",
      shopTests + adapters + frameworkShims + [
        "TestTier", "SimulatedDevice", "CounterfoilApp", "Counterfoil", "CounterfoilFlutter", "CounterfoilWeChat",
      ]),
    // A world on whose phones the shipped adapters run, over Apple's shims; its program is no product.
    support(
      "DeviceWorld",
      phone + ["SimulationKit", "Counterfoil", "AppStoreSimulator", "CounterfoilStoreKit", "SimulatedDevice"]),
    program(
      "DeviceWorldProgram", in: "Tests",
      ["PaymentPrimitives", "SimulationKit", "CounterfoilCLI", "CounterfoilLab", "SystemPlatform", "DeviceWorld"]),
    tests("ShopExampleTests", wire + clients + adapters + frameworkShims + examples),
    tests("SimulationKitTests", wire + database + simulated + commandTests + ["Counterfoil", "DeviceWorld"]),
    tests(
      "CounterfoilCLITests",
      configured + simulated + commandTests + ["TOMLConfiguration", "SQLiteDatabase", "ShopFixtures"]
        + ["TestSubprocess"]),
    tests(
      "PlatformTests", primitives + machineTests + ["CounterfoilAPI", "HTTPMessages", "CounterfoilURLSession"]),
    // The Swift code of the pages, compiled as new projects of Xcode are; Tools/Tidy holds the pages to it.
    .testTarget(
      name: "SnippetTests", dependencies: clients + ["CounterfoilStoreKit", "CounterfoilURLSession", "CounterfoilApp"],
      swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("MemberImportVisibility")]),
    tests("InteropTests", ["TestSubprocess", "TestTier", "StrictJSON"]),
    tests("ProgramTests", simulator + machineTests + sqliteTests + stores + ["AppStoreSimulator", "PaymentEngine"]),
    tests("ScriptTests", ["TestSubprocess"]),
    support("FuzzedParsers", parsers),
    tests("FuzzedParsersTests", ["FuzzedParsers"]),
    program(  // Prints what pages are made from; Tools/Tidy runs it.
      "CatalogProgram", in: "Tests",
      configured + simulated + machine + ["TOMLConfiguration", "Counterfoil", "PaymentServer"]),
  ],
  cxxLanguageStandard: .cxx20
)

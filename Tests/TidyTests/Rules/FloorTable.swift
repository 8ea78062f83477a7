/// The floors of ARCHITECTURE.md as a table: which modules each target may import. `ImportRule` holds `Package.swift`
/// and every `import` line against it, because the compiler lets transitive imports and test targets pass.
enum FloorTable {
  struct Row: Sendable {
    /// Modules of this package.
    let modules: Set<String>
    /// Modules of the toolchain and the system.
    let system: Set<String>

    init(_ modules: Set<String>, system: Set<String> = []) {
      self.modules = modules
      self.system = system
    }
  }

  /// The modules of each floor, from the ground up. A module imports from lower floors only.
  static let floors: [[String]] = [
    ["PaymentVocabulary", "StrictJSON"],
    ["PaymentModel", "ServerContract", "HTTPMessages", "Cryptography", "Gzip", "Configuration"],
    ["AppStoreProtocol", "WeChatPayProtocol", "PaymentStore"],
    ["PaymentEngine", "SQLiteStore", "Counterfoil", "AppStoreSimulator", "WeChatPaySimulator"],
    [
      "PaymentServer", "CounterfoilStoreKit", "CounterfoilWeChat", "CounterfoilShopModel", "CounterfoilTesting",
      "DeviceModel",
    ],
    // The commands stand beside the world in the picture, and a step above it: `counterfoil world` runs it.
    ["SimulationKit", "CounterfoilSwiftUI"],
    ["CounterfoilCommands", "ShopExample"],
    ["CounterfoilProgram"],
  ]

  /// The doors to the real world: the program alone imports them, and apps the one of a device.
  static let doors: Set<String> = ["SystemSurroundings", "HTTPServer", "HTTPClient", "CounterfoilURLSession"]

  /// Apps beside the program, with the doors that they hand in.
  static let appDoors: [String: Set<String>] = ["ShopExample": ["CounterfoilURLSession"]]

  /// C and C++, each behind exactly one Swift module; a shim stands between where C++ or variadic functions force one.
  static let libraries: [String: String] = [
    "COpenSSL": "Cryptography", "CSQLite": "SQLiteStore", "CCurl": "HTTPClient", "CHTTPServer": "HTTPServer",
    "CTOML": "Configuration", "CZlib": "Gzip", "CTaskHook": "SimulationKit", "CFaultyDisk": "MachineTests",
  ]
  /// Libraries of shims, which no Swift module sees.
  static let shims: [String: Set<String>] = [
    "CHTTPServer": ["COpenSSL", "CBoost"], "CTOML": ["CTOMLPlusPlus"], "CFaultyDisk": ["CSQLite"],
  ]
  static let systemLibraries: Set<String> = ["COpenSSL", "CSQLite", "CCurl", "CZlib", "CTOMLPlusPlus", "CBoost"]

  private static let libC: Set<String> = ["Glibc", "Musl", "Android", "Darwin"]
  private static let mutex: Set<String> = ["Synchronization"]

  /// Targets of `StandIns/` by the names of Apple's frameworks for which they stand. The manifest declares them off
  /// Apple's systems alone, so a dependency on one is no line of ours but a condition.
  static let standIns: Set<String> = ["StoreKit", "UIKit", "SwiftUI", "Security"]
  private static let standInRows: [String: Row] = [
    "StoreKit": Row(
      ["PaymentVocabulary", "AppStoreProtocol", "AppStoreSimulator", "DeviceModel", "UIKit"],
      system: mutex.union(["Foundation"])),
    "UIKit": Row(["DeviceModel"]),
    "SwiftUI": Row([]),
    "Security": Row(["DeviceModel"], system: ["Foundation"]),
  ]
  /// What stand-ins declare.
  static func standIn(_ name: String) -> Row? { standInRows[name] }

  /// What each target of `Sources` may import. Floors 0 to 4 are free of Foundation: a run must be repeatable, and the
  /// client runs on phones.
  static let sources: [String: Row] = [
    "PaymentVocabulary": Row([]),
    "StrictJSON": Row([]),

    "PaymentModel": Row(["PaymentVocabulary"]),
    "ServerContract": Row(["PaymentVocabulary", "StrictJSON"]),
    "HTTPMessages": Row(["PaymentVocabulary", "StrictJSON"]),
    "Cryptography": Row(["PaymentVocabulary", "COpenSSL"], system: mutex),
    "Gzip": Row(["PaymentVocabulary", "CZlib"]),
    "Configuration": Row(["PaymentVocabulary", "CTOML"]),

    "AppStoreProtocol": Row(["PaymentVocabulary", "StrictJSON", "HTTPMessages", "Cryptography"], system: mutex),
    "WeChatPayProtocol": Row(["PaymentVocabulary", "StrictJSON", "HTTPMessages", "Cryptography", "Gzip"]),
    "PaymentStore": Row(["PaymentVocabulary", "PaymentModel"], system: mutex),

    "PaymentEngine": Row(
      [
        "PaymentVocabulary", "StrictJSON", "PaymentModel", "ServerContract", "HTTPMessages", "Cryptography",
        "AppStoreProtocol", "WeChatPayProtocol", "PaymentStore",
      ], system: mutex),
    "SQLiteStore": Row(
      ["PaymentVocabulary", "PaymentModel", "PaymentStore", "CSQLite"], system: mutex.union(libC)),
    "Counterfoil": Row(["PaymentVocabulary", "StrictJSON", "ServerContract", "HTTPMessages"]),
    "AppStoreSimulator": Row(
      ["PaymentVocabulary", "StrictJSON", "HTTPMessages", "Cryptography", "AppStoreProtocol"], system: mutex),
    "WeChatPaySimulator": Row(
      ["PaymentVocabulary", "StrictJSON", "HTTPMessages", "Cryptography", "Gzip", "WeChatPayProtocol"]),

    "PaymentServer": Row(
      [
        "PaymentVocabulary", "StrictJSON", "PaymentModel", "ServerContract", "HTTPMessages", "Cryptography",
        "PaymentStore", "PaymentEngine",
      ], system: mutex),

    // Apple's frameworks, or what stands in for them in tests; their own calls speak Foundation.
    "CounterfoilStoreKit": Row(
      ["PaymentVocabulary", "Counterfoil"], system: standIns.union(["Foundation", "AppKit"])),
    // WeChat's SDK takes links as Foundation's URL.
    "CounterfoilWeChat": Row(["Counterfoil"], system: ["Foundation"]),
    "CounterfoilShopModel": Row(["PaymentVocabulary", "Counterfoil"], system: ["Observation"]),
    "CounterfoilSwiftUI": Row(["PaymentVocabulary", "Counterfoil", "CounterfoilShopModel"], system: ["SwiftUI"]),
    // An app: it hands the doors of a device in.
    "ShopExample": Row(
      [
        "PaymentVocabulary", "Counterfoil", "CounterfoilStoreKit", "CounterfoilShopModel", "CounterfoilSwiftUI",
        "CounterfoilURLSession",
      ], system: ["SwiftUI", "Foundation", "FoundationNetworking"]),
    "DeviceModel": Row(
      ["PaymentVocabulary", "HTTPMessages", "AppStoreProtocol", "AppStoreSimulator"], system: mutex),
    "CounterfoilTesting": Row(
      ["PaymentVocabulary", "StrictJSON", "ServerContract", "HTTPMessages", "Counterfoil"], system: mutex),

    "SystemSurroundings": Row(["PaymentVocabulary"], system: mutex.union(libC)),
    "HTTPServer": Row(["PaymentVocabulary", "StrictJSON", "HTTPMessages", "CHTTPServer"], system: mutex.union(libC)),
    "HTTPClient": Row(["PaymentVocabulary", "HTTPMessages", "CCurl"], system: mutex.union(libC)),

    // `FoundationNetworking` is where `URLSession` lives off Apple's systems.
    "CounterfoilURLSession": Row(
      ["PaymentVocabulary", "HTTPMessages"], system: libC.union(["Foundation", "FoundationNetworking"])),

    "SimulationKit": Row(
      [
        "PaymentVocabulary", "StrictJSON", "PaymentModel", "ServerContract", "HTTPMessages", "Cryptography",
        "AppStoreProtocol", "WeChatPayProtocol", "PaymentStore", "PaymentEngine", "SQLiteStore", "Counterfoil",
        "AppStoreSimulator", "WeChatPaySimulator", "PaymentServer", "CTaskHook",
      ], system: mutex),
    "CounterfoilCommands": Row(
      [
        "PaymentVocabulary", "StrictJSON", "PaymentModel", "ServerContract", "HTTPMessages", "Cryptography",
        "Configuration", "AppStoreProtocol", "WeChatPayProtocol", "PaymentStore", "PaymentEngine", "SQLiteStore",
        "Counterfoil", "AppStoreSimulator", "WeChatPaySimulator", "PaymentServer", "SimulationKit",
      ], system: mutex),

    "CounterfoilProgram": Row(
      [
        "PaymentVocabulary", "HTTPMessages", "CounterfoilCommands", "SystemSurroundings", "HTTPServer", "HTTPClient",
      ], system: mutex.union(libC).union(["Foundation"])),
  ]

  /// What each target of `Tests` may import: the floors that it tests and those below. The simulated world is a test
  /// bench, too: machines and faces run on its scheduler.
  static let tests: [String: Row] = [
    "GroundTests": Row(upTo(1), system: testing),
    "ProtocolTests": Row(upTo(2).union(["OtherPrograms"]), system: testing),
    "MachineTests": Row(
      upTo(3).union([
        "SimulationKit", "CounterfoilTesting", "CounterfoilWeChat", "CFaultyDisk", "OtherPrograms", "TestTier",
      ]), system: testing),
    "FaceTests": Row(upTo(4).union(["SimulationKit"]), system: testing),
    "AdapterTests": Row(upTo(4).union(["SimulationKit", "TestTier"]), system: testing.union(standIns)),
    "DoorTests": Row(
      upTo(1).union(doors).union(["OtherPrograms"]), system: testing.union(libC).union(["FoundationNetworking"])),
    "ShopTests": Row(upTo(6), system: testing.union(["Observation"])),
    // As apps do: nothing but the client products.
    "SnippetTests": Row(
      ["Counterfoil", "CounterfoilTesting", "CounterfoilStoreKit", "CounterfoilWeChat", "CounterfoilURLSession"],
      system: testing),
    "DeviceWorld": Row(upTo(5), system: mutex),
    "DeviceWorldProgram": Row(upTo(6).union(["SystemSurroundings", "DeviceWorld"])),
    "WorldTests": Row(upTo(6).union(["DeviceWorld", "TestTier"]), system: testing),
    "ProgramTests": Row(
      upTo(6).union(doors).union(["OtherPrograms", "TestTier"]),
      system: testing.union(libC).union(["FoundationNetworking"])),
    // It imports no floor: it drives the built program.
    "LanguageTests": Row(["OtherPrograms", "TestTier", "StrictJSON"], system: testing),
    "TidyTests": Row(upTo(6).union(doors).union(["OtherPrograms"]), system: testing),
    "OtherPrograms": Row([], system: testing.union(libC)),
    "TestTier": Row([], system: ["Foundation"]),
  ]

  private static let testing: Set<String> = ["Testing", "Foundation", "Synchronization"]

  /// The modules of the first floors, counted as the rows of `floors` are.
  private static func upTo(_ floor: Int) -> Set<String> { Set(floors[...floor].joined()) }

  static let all: [String: Row] = sources.merging(tests) { first, _ in first }
    .merging(standInRows) { first, _ in first }
}

/// A Swift file imports only modules that `Package.swift` declares for its target, and of the toolchain and the system
/// only what the layer may have (CONVENTIONS 11).
package enum ImportRule {
  private static let libC: Set<String> = ["Glibc", "Musl", "Android", "Darwin"]
  private static let mutex: Set<String> = ["Synchronization"]

  /// Modules of the system by layer. `Core` to `Simulators` are free of Foundation: a run must be repeatable, and the
  /// client runs on phones.
  private static let systemByLayer: [String: Set<String>] = [
    "Core": [], "Protocols": mutex, "Services": mutex, "Interfaces": mutex, "Client": [], "Simulators": mutex,
    "Platform": mutex.union(libC), "Programs": mutex,
  ]

  /// What one target may have beside its layer.
  private static let systemByTarget: [String: Set<String>] = [
    // SQLite blocks, and lines to PostgreSQL are waited for: each connection has a thread of its own.
    "SQLiteDatabase": libC, "PostgreSQLDatabase": libC,
    // It looks for U+0000 in each text that is written, by `memchr`.
    "SQLRows": libC,
    // Apple's frameworks, or the shims of their names; their own calls speak Foundation.
    "CounterfoilStoreKit": ["Foundation", "StoreKit", "UIKit", "SwiftUI", "Security", "AppKit"],
    // WeChat's SDK takes links as Foundation's URL.
    "CounterfoilWeChat": ["Foundation"],
    "CounterfoilSwiftUI": ["SwiftUI", "Observation", "Combine"],
    "CounterfoilApp": ["Foundation", "os"],
    "CounterfoilFlutter": ["Foundation"],
    "CounterfoilTesting": mutex,
    // `FoundationNetworking` is where `URLSession` lives off Apple's systems.
    "CounterfoilURLSession": libC.union(["Foundation", "FoundationNetworking"]),
    "ShopExample": ["SwiftUI", "Foundation", "FoundationNetworking"],
    "CounterfoilProgram": libC.union(["Foundation"]),
    "StoreKit": ["Foundation"], "Security": ["Foundation"], "Flutter": ["Foundation"],
  ]

  private static let systemOfTests: Set<String> = libC.union([
    "Testing", "Foundation", "FoundationNetworking", "Synchronization", "Observation",
  ])

  /// What is wrong with the `import` lines of a file.
  package static func findings(in file: SourceFile, manifest: Manifest) -> [Finding] {
    guard let name = file.target else { return [] }
    switch file.language {
    case .swift: break
    case .c: return includes(in: file, name)
    case .markdown, .shell, .other: return []
    }
    guard let target = manifest.targets.first(where: { $0.name == name }) else {
      return [Finding(file, 1, "Package.swift declares no target \(name)")]
    }
    var system = systemByTarget[name] ?? []
    system.formUnion(LayerRule.layer(of: target).flatMap { systemByLayer[$0] } ?? systemOfTests)
    return file.facts.imports.compactMap { imported in
      let module = imported.name
      if target.dependencies.contains(module) || system.contains(module) { return nil }
      return Finding(
        file, imported.line, "\(name) must not import \(module): neither Package.swift nor its layer allows it")
    }
  }

  /// A library's headers are included by its own target and its shim alone.
  private static func includes(in file: SourceFile, _ target: String) -> [Finding] {
    let owners: [(prefix: String, targets: Set<String>)] = [
      ("toml++/", ["CTOML"]), ("boost/", ["CHTTPServer"]), ("openssl/", ["COpenSSL", "CHTTPServer"]),
      ("sqlite3", ["CSQLite", "CJoinedWrites", "CFaultyDisk"]), ("curl/", ["CCurl"]), ("libpq", ["CPostgreSQL"]),
    ]
    return file.lines.enumerated().flatMap { index, line -> [Finding] in
      guard let start = line.firstRange(of: "#include <")?.upperBound, line.hasPrefix("#include") else { return [] }
      let header = line[start...]
      return owners.filter { header.hasPrefix($0.prefix) && !$0.targets.contains(target) }.map {
        Finding(file, index + 1, "\(target) must not include <\($0.prefix)…>: it belongs to \($0.targets.sorted())")
      }
    }
  }
}

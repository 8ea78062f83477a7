import Foundation
import Testing

/// A library that apps depend on, as the manifest declares it, on whatever system.
struct ClientProduct: Sendable, CustomTestStringConvertible {
  let name: String
  /// The modules that it names.
  let modules: Set<String>
  /// The modules of this package that they are made of, themselves included.
  let closure: Set<String>

  var testDescription: String { name }

  /// The libraries for the package of fuzzers are nobody's product.
  private static let forFuzzers: Set<String> = ["CounterfoilParsers"]

  /// Those that Apple's systems alone have, so that the manifest does not show them here.
  static let ofAppleAlone: Set<String> = ["CounterfoilStoreKit", "CounterfoilSwiftUI"]

  /// All of them, by name.
  static let all: [ClientProduct] = (try? Manifest.ofThisPackage.get()).map { products(in: $0) } ?? []

  static func products(in manifest: Manifest) -> [ClientProduct] {
    let named = manifest.products.filter { $0.isLibrary && !forFuzzers.contains($0.name) }.map { ($0.name, $0.targets) }
    let others = ofAppleAlone.subtracting(named.map(\.0)).map { ($0, Set([$0])) }
    return (named + others).sorted { $0.0 < $1.0 }.map { name, modules in
      ClientProduct(name: name, modules: modules, closure: manifest.closure(of: modules, everywhere: true))
    }
  }
}

/// The modules that were built together with these tests.
enum BuiltModules {
  /// Where they lie: beside the tests.
  static let folder: URL = {
    var beside = URL(filePath: CommandLine.arguments[0])
    if let bundle = Bundle.allBundles.first(where: { $0.bundlePath.hasSuffix(".xctest") }) { beside = bundle.bundleURL }
    return beside.deletingLastPathComponent().appending(path: "Modules")
  }()

  /// A tool of the toolchain that is on the PATH.
  static func tool(_ name: String) throws -> String {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    for folder in path.split(separator: ":") {
      let place = URL(filePath: "\(folder)/swift").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: name).path
      if FileManager.default.isExecutableFile(atPath: place) { return place }
    }
    throw Missing(description: "\(name) does not lie beside a `swift` on the PATH")
  }

  struct Missing: Error, CustomStringConvertible {
    let description: String
  }
}

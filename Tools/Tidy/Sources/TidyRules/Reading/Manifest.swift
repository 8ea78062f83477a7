package import Foundation

/// What `Package.swift` declares on this system, as `swift package dump-package` prints it.
package struct Manifest: Sendable {
  package struct Target: Sendable {
    package let name: String
    /// From the root, without a slash at its end.
    package let path: String
    /// `regular`, `executable`, `system` or `test`.
    let kind: String
    /// The targets that it names.
    let dependencies: Set<String>
    /// Those of them that it has on some systems alone.
    let conditional: Set<String>

    package init(
      name: String, path: String, kind: String = "regular", dependencies: Set<String> = [],
      conditional: Set<String> = []
    ) {
      self.name = name
      self.path = path
      self.kind = kind
      self.dependencies = dependencies
      self.conditional = conditional
    }
  }

  package struct Product: Sendable {
    let name: String
    package let isLibrary: Bool
    let targets: Set<String>

    package init(name: String, isLibrary: Bool, targets: Set<String>) {
      self.name = name
      self.isLibrary = isLibrary
      self.targets = targets
    }
  }

  package let targets: [Target]
  package let products: [Product]
  /// The oldest version of each platform: `ios` and 15.
  package let platforms: [String: Int]

  package struct Malformed: Error {}

  /// The manifest of the package in a folder. It has its own scratch folder, because a `swift build` may hold the usual
  /// one.
  package static func read(at root: URL) throws -> Manifest {
    try Toolchain.withFolder { scratch in
      let dump = try Toolchain.output(
        "swift", ["package", "--package-path", root.path, "--scratch-path", scratch.path, "dump-package"])
      return try Manifest(dump: Data(dump.utf8))
    }
  }

  /// - Throws: `Malformed` for a text that `dump-package` does not print.
  package init(dump: Data) throws {
    guard let package = try JSONSerialization.jsonObject(with: dump) as? [String: Any],
      let targets = package["targets"] as? [[String: Any]], let products = package["products"] as? [[String: Any]]
    else { throw Malformed() }
    let platforms = package["platforms"] as? [[String: Any]] ?? []
    self.init(
      targets: try targets.map(Self.target), products: try products.map(Self.product),
      platforms: Dictionary(platforms.compactMap(Self.platform)) { first, _ in first })
  }

  package init(targets: [Target], products: [Product] = [], platforms: [String: Int] = [:]) {
    self.targets = targets
    self.products = products
    self.platforms = platforms
  }

  private static func target(_ fields: [String: Any]) throws -> Target {
    guard let name = fields["name"] as? String, let kind = fields["type"] as? String else { throw Malformed() }
    let dependencies = (fields["dependencies"] as? [[String: [Any?]]] ?? []).compactMap(\.values.first)
    let names = dependencies.compactMap { $0.first as? String }
    let conditional = dependencies.filter { $0.last is [String: Any] }.compactMap { $0.first as? String }
    let usual = kind == "test" ? "Tests/\(name)" : "Sources/\(name)"
    return Target(
      name: name, path: fields["path"] as? String ?? usual, kind: kind, dependencies: Set(names),
      conditional: Set(conditional))
  }

  private static func product(_ fields: [String: Any]) throws -> Product {
    guard let name = fields["name"] as? String, let targets = fields["targets"] as? [String],
      let type = fields["type"] as? [String: Any]
    else { throw Malformed() }
    return Product(name: name, isLibrary: type["library"] != nil, targets: Set(targets))
  }

  private static func platform(_ fields: [String: Any]) -> (String, Int)? {
    guard let name = fields["platformName"] as? String, let version = fields["version"] as? String else { return nil }
    return Int(version.prefix { $0 != "." }).map { (name, $0) }
  }

  /// These targets and all that they reach.
  ///
  /// - Parameter everywhere: whether to ignore what a target has on some systems alone.
  func closure(of roots: Set<String>, everywhere: Bool = false) -> Set<String> {
    let dependencies = Dictionary(
      targets.map { ($0.name, everywhere ? $0.dependencies.subtracting($0.conditional) : $0.dependencies) }
    ) { first, _ in first }
    var reached: Set<String> = []
    var next = roots
    while let target = next.popFirst() {
      guard reached.insert(target).inserted else { continue }
      next.formUnion(dependencies[target] ?? [])
    }
    return reached
  }
}

/// A library that apps depend on, as the manifest declares it, on whatever system.
package struct ClientProduct: Sendable {
  package let name: String
  /// The modules that it names.
  let modules: Set<String>
  /// The modules of this package that it consists of, including its own.
  package let closure: Set<String>

  /// The manifest declares these on Apple's systems alone.
  private static let ofAppleAlone: Set<String> = ["CounterfoilStoreKit", "CounterfoilSwiftUI", "CounterfoilApp"]

  package static func all(in manifest: Manifest) -> [ClientProduct] {
    let named = manifest.products.filter { $0.isLibrary }.map { ($0.name, $0.targets) }
    let known = Set(manifest.targets.map(\.name))
    let others = ofAppleAlone.intersection(known).subtracting(named.map(\.0)).map { ($0, Set([$0])) }
    return (named + others).sorted { $0.0 < $1.0 }.map { name, modules in
      ClientProduct(name: name, modules: modules, closure: manifest.closure(of: modules, everywhere: true))
    }
  }
}

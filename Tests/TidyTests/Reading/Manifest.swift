import Foundation
import TestSubprocess

/// What `Package.swift` declares on this system, as `swift package dump-package` prints it.
struct Manifest: Sendable {
  struct Target: Sendable {
    let name: String
    /// From the root, without a slash at its end.
    let path: String
    /// `regular`, `executable`, `system` or `test`.
    let kind: String
    /// The targets that it names.
    let dependencies: Set<String>
    /// Those of them that it has on some systems alone.
    var conditional: Set<String> = []
  }

  struct Product: Sendable {
    let name: String
    let isLibrary: Bool
    let targets: Set<String>
  }

  let targets: [Target]
  let products: [Product]

  struct Malformed: Error {}

  /// The manifest of this package. The scratch folder of its own keeps the package manager from waiting for the one
  /// that runs these tests.
  static let ofThisPackage = Result<Manifest, any Error> {
    let scratch = FileManager.default.temporaryDirectory.appending(path: "counterfoil-manifest-\(UUID())")
    defer { try? FileManager.default.removeItem(at: scratch) }
    let dump = try OtherProgram(
      try BuiltModules.tool("swift"),
      [
        "package", "--package-path", Repository.root.path(percentEncoded: false), "--scratch-path", scratch.path,
        "dump-package",
      ])
    dump.end()
    return try Manifest(dump: Data(dump.output.utf8))
  }

  /// - Throws: `Malformed` for a text that `dump-package` does not print.
  init(dump: Data) throws {
    guard let package = try JSONSerialization.jsonObject(with: dump) as? [String: Any],
      let targets = package["targets"] as? [[String: Any]], let products = package["products"] as? [[String: Any]]
    else { throw Malformed() }
    self.init(targets: try targets.map(Self.target), products: try products.map(Self.product))
  }

  init(targets: [Target], products: [Product] = []) {
    self.targets = targets
    self.products = products
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

  /// The targets by name, with what each may import.
  var dependencies: [String: Set<String>] {
    Dictionary(targets.map { ($0.name, $0.dependencies) }) { first, _ in first }
  }

  /// These targets and all that they reach.
  ///
  /// - Parameter everywhere: whether what a target has on some systems alone is left out.
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

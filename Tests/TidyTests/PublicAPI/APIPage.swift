/// The public API of a product as a text that shows each change in a review: one declaration a line, sorted.
///
/// It holds the product's own modules whole. Of the modules underneath it holds the types of which the product's
/// declarations speak, and those of which these speak; other products have pages of their own.
struct APIPage {
  let product: ClientProduct
  /// Modules that other products show whole.
  private var elsewhere: Set<String> = []
  private var graphs: [String: SymbolGraph] = [:]
  private var symbols: [String: (module: String, symbol: SymbolGraph.Symbol)] = [:]

  init(_ product: ClientProduct) throws {
    var graphs: [String: SymbolGraph] = [:]
    for module in product.closure { graphs[module] = try SymbolGraph.of(module) }
    self.init(product, graphs)
    elsewhere = Set(ClientProduct.all.filter { $0.name != product.name }.flatMap(\.modules))
  }

  init(_ product: ClientProduct, _ graphs: [String: SymbolGraph]) {
    self.product = product
    self.graphs = graphs
    for (module, graph) in graphs {
      for symbol in graph.symbols where symbol.isWritten { symbols[symbol.identifier.precise] = (module, symbol) }
    }
  }

  /// What is missing: written declarations that an app can see, without a word about them. Words that a declaration
  /// inherits from a protocol count: then another module has them.
  var undocumented: [String] {
    shown.filter { $0.symbol.docComment == nil }
      .map { "\($0.module): \($0.symbol.pathComponents.joined(separator: "."))" }.sorted()
  }

  var text: String {
    var lines = [
      "The public API of the product \(product.name), as built on Linux: `make api` writes this file.",
      "A change here is a change for every app. Not covered: what stands behind a condition for other platforms,",
      "such as the face for Objective-C.",
    ]
    if !shown.contains(where: { product.modules.contains($0.module) }) {
      lines += ["", "Nothing of it is built on Linux."]
    }
    let modules = product.modules.sorted() + product.closure.subtracting(product.modules).sorted()
    for module in modules {
      let own = shown.filter { $0.module == module }.map(\.symbol)
      guard !own.isEmpty else { continue }
      lines += ["", "module \(module)" + (product.modules.contains(module) ? "" : " (of which the above speaks)")]
      lines += declarations(own, module)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  // MARK: what is shown

  private typealias Entry = (module: String, symbol: SymbolGraph.Symbol)

  /// The product's own symbols, and those of the types below that they speak of.
  private var shown: [Entry] {
    let wanted = spokenOf
    return symbols.values.filter { entry in
      product.modules.contains(entry.module)
        || wanted[entry.module, default: []].contains { entry.symbol.pathComponents.starts(with: $0) }
    }
  }

  /// The paths of types of lower modules, by module.
  private var spokenOf: [String: Set<[String]>] {
    var wanted: [String: Set<[String]>] = [:]
    var next = symbols.values.filter { product.modules.contains($0.module) }
    while let entry = next.popLast() {
      for name in entry.symbol.declarationFragments.compactMap(\.preciseIdentifier) {
        guard let type = symbols[name], !product.modules.contains(type.module), !elsewhere.contains(type.module)
        else { continue }
        let path = type.symbol.pathComponents
        guard wanted[type.module, default: []].insert(path).inserted else { continue }
        next += symbols.values.filter { $0.module == type.module && $0.symbol.pathComponents.starts(with: path) }
      }
    }
    return wanted
  }

  // MARK: how it is shown

  private func declarations(_ symbols: [SymbolGraph.Symbol], _ module: String) -> [String] {
    var children: [[String]: [SymbolGraph.Symbol]] = [:]
    for symbol in symbols { children[Array(symbol.pathComponents.dropLast()), default: []].append(symbol) }
    let conformances = conformances(in: module)
    func lines(under path: [String], available: String = "") -> [String] {
      children[path, default: []].map { ($0, line(of: $0, conformances, available)) }
        .sorted { (rank($0.0), $0.1, $0.0.identifier.precise) < (rank($1.0), $1.1, $1.0.identifier.precise) }
        .flatMap { symbol, line -> [String] in
          let indent = String(repeating: "  ", count: path.count)
          let isType = Self.types.contains(symbol.kind.identifier)
          let inner = isType ? lines(under: symbol.pathComponents, available: availability(symbol)) : []
          return (path.isEmpty ? [""] : []) + [indent + line] + inner
        }
    }
    // What is added to another module's type has no parent here; nor has a type whose surrounding is not shown.
    let declared = Set(symbols.filter { Self.types.contains($0.kind.identifier) }.map(\.pathComponents))
    let orphans = Set(children.keys).subtracting(declared).subtracting([[]]).sorted { $0.lexicographicallyPrecedes($1) }
    return lines(under: [])
      + orphans.flatMap { path in ["", "extension \(path.joined(separator: "."))"] + lines(under: path) }
  }

  private static let types: Set<String> = ["swift.struct", "swift.enum", "swift.class", "swift.protocol"]

  /// Types come after what is no type, so that members stand beside their own.
  private func rank(_ symbol: SymbolGraph.Symbol) -> Int {
    switch symbol.kind.identifier {
    case "swift.enum.case": 0
    case "swift.property", "swift.type.property": 1
    case "swift.init": 2
    default: Self.types.contains(symbol.kind.identifier) ? 4 : 3
    }
  }

  /// - Parameter available: what holds for the surrounding type, and need not be said again.
  private func line(
    of symbol: SymbolGraph.Symbol, _ conformances: [String: Set<String>], _ available: String
  ) -> String {
    let declaration = symbol.declarationFragments.map(\.spelling).joined()
      .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let kin = conformances[symbol.identifier.precise, default: []].sorted().joined(separator: ", ")
    let availability = availability(symbol)
    return (availability == available ? "" : availability) + declaration + (kin.isEmpty ? "" : ": \(kin)")
  }

  private func availability(_ symbol: SymbolGraph.Symbol) -> String {
    let systems = (symbol.availability ?? []).compactMap { entry -> String? in
      guard let domain = entry.domain, let version = entry.introduced else { return nil }
      return "\(domain) \(version.major)" + (version.minor.map { $0 == 0 ? "" : ".\($0)" } ?? "")
    }
    return systems.isEmpty ? "" : "@available(\(systems.sorted().joined(separator: ", "))) "
  }

  /// The protocols of each type by name; what every value conforms to says nothing.
  private func conformances(in module: String) -> [String: Set<String>] {
    var conformances: [String: Set<String>] = [:]
    for relationship in graphs[module]?.relationships ?? [] where relationship.kind == "conformsTo" {
      let name =
        symbols[relationship.target]?.symbol.pathComponents.joined(separator: ".")
        ?? relationship.targetFallback.map { String($0.drop { $0 != "." }.dropFirst()) } ?? relationship.target
      guard !Self.silent.contains(name) else { continue }
      conformances[relationship.source, default: []].insert(name)
    }
    return conformances
  }

  private static let silent: Set<String> = ["Copyable", "Escapable", "SendableMetatype"]
}

import Foundation
import Testing

/// What apps compile against, held against the pages that were reviewed.
@Suite struct `The public API of the client products` {
  static let isCovered: Bool = {
    #if os(Linux)
      true
    #else
      false
    #endif
  }()

  @Test func `is that of the products of the manifest, without what is for fuzzers`() {
    let manifest = Manifest(
      targets: [
        .init(name: "A", path: "Sources/Client/A", kind: "regular", dependencies: []),
        .init(name: "B", path: "Sources/Client/B", kind: "regular", dependencies: ["A"]),
        .init(name: "C", path: "Sources/Core/C", kind: "regular", dependencies: []),
      ],
      products: [
        .init(name: "P", isLibrary: true, targets: ["B"]), .init(name: "c", isLibrary: false, targets: ["C"]),
        .init(name: "CounterfoilParsers", isLibrary: true, targets: ["C"]),
      ])
    let products = ClientProduct.products(in: manifest)
    #expect(products.first { $0.name == "P" }?.closure == ["A", "B"])
    #expect(!products.contains { $0.name == "c" || $0.name == "CounterfoilParsers" })
    #expect(ClientProduct.all.contains { $0.name == "Counterfoil" })
  }

  @Test(.enabled(if: isCovered), arguments: ClientProduct.all)
  func `is as its page says: a change shows in a review`(product: ClientProduct) throws {
    let path = "docs/reference/api/\(product.name).txt"
    let page = try APIPage(product).text
    if ProcessInfo.processInfo.environment["COUNTERFOIL_WRITE_API"] == "1" {
      let place = Repository.root.appending(path: path)
      try FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(page.utf8).write(to: place)
      return
    }
    let written = try #require(Repository.file(path), "\(path) is missing: make api")
    let difference = page.split(separator: "\n").difference(from: written.text.split(separator: "\n"))
    let lines = difference.map { change in
      switch change {
      case .insert(_, let line, _): "+ \(line)"
      case .remove(_, let line, _): "- \(line)"
      }
    }
    #expect(lines == [], "\(path) is not as built: make api, and look at the difference")
  }

  @Test(.enabled(if: isCovered), arguments: ClientProduct.all)
  func `is documented, every word of it`(product: ClientProduct) throws {
    #expect(try APIPage(product).undocumented == [])
  }

  @Test(.enabled(if: isCovered), arguments: ClientProduct.all.flatMap { $0.modules.sorted() })
  func `makes a documentation about which DocC has nothing to say`(module: String) throws {
    let place = ProcessInfo.processInfo.environment["COUNTERFOIL_WRITE_DOCC"].map {
      Repository.root.appending(path: $0)
    }
    if let place { try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true) }
    let said = try DocumentationArchive.make(module, in: place)
    #expect(said == "", "\(said)")
  }

  @Test func `has no page of a product that is gone`() {
    let pages = Repository.paths.filter { $0.hasPrefix("docs/reference/api/") }
    #expect(pages.subtracting(ClientProduct.all.map { "docs/reference/api/\($0.name).txt" }) == [])
  }

  // MARK: the page

  private let product = ClientProduct(name: "P", modules: ["P"], closure: ["P", "Words"])

  private func symbol(
    _ kind: String, _ path: String..., declared: String, speaksOf: String? = nil, documented: Bool = true
  ) -> String {
    let other = speaksOf.map { #",{"spelling": " \#($0)", "preciseIdentifier": "\#($0)"}"# } ?? ""
    return """
      {"kind": {"identifier": "swift.\(kind)"}, "identifier": {"precise": "\(path.joined(separator: "."))"},
       "pathComponents": [\(path.map { "\"\($0)\"" }.joined(separator: ","))],
       "declarationFragments": [{"spelling": "\(declared)"}\(other)],
       \(documented ? #""docComment": {"module": "P"},"# : "") "location": {"uri": "file:A.swift"}}
      """
  }

  private func graph(_ symbols: String..., conforms: String? = nil) throws -> SymbolGraph {
    let kin = conforms.map {
      #"{"kind": "conformsTo", "source": "\#($0)", "target": "s:S", "targetFallback": "Swift.Sendable"}"#
    }
    return try JSONDecoder().decode(
      SymbolGraph.self,
      from: Data(#"{"symbols": [\#(symbols.joined(separator: ","))], "relationships": [\#(kin ?? "")]}"#.utf8))
  }

  private func page(documented: Bool = true) throws -> APIPage {
    APIPage(
      product,
      [
        "P": try graph(
          symbol("struct", "Shop", declared: "struct Shop"),
          symbol("property", "Shop", "coin", declared: "let coin:", speaksOf: "Coin", documented: documented),
          conforms: "Shop"),
        "Words": try graph(
          symbol("struct", "Coin", declared: "struct Coin"), symbol("init", "Coin", "init()", declared: "init()"),
          symbol("struct", "Ledger", declared: "struct Ledger")),
      ])
  }

  @Test func `is told with the words below of which it speaks, and no others`() throws {
    let lines = try page().text.split(separator: "\n").dropFirst(3)
    #expect(
      Array(lines) == [
        "module P", "struct Shop: Sendable", "  let coin: Coin", "module Words (of which the above speaks)",
        "struct Coin",
        "  init()",
      ])
  }

  @Test func `lacks a word where a declaration has no comment`() throws {
    #expect(try page(documented: false).undocumented == ["P: Shop.coin"])
    #expect(try page().undocumented == [])
  }
}

import Testing

/// An app that depends on the client pulls in no C library and no other package.
@Suite struct `The client's built modules` {
  /// Where Apple's frameworks stand, the adapters import them; here they import what stands in for them, and are no
  /// product.
  private static let products = ClientProduct.all.filter { product in
    !ClientProduct.ofAppleAlone.contains(product.name)
  }

  @Test func `are found among the modules that were built`() throws {
    #expect(Self.products.map(\.name).contains("Counterfoil"))
    #expect(try BuiltImports.of("Counterfoil").isSuperset(of: ["PaymentPrimitives", "CounterfoilAPI", "Swift"]))
  }

  @Test func `are told apart from modules that import a C library`() throws {
    #expect(try BuiltImports.of("Cryptography").contains("COpenSSL"))
    #expect(
      try BuiltImports.foreign(["TOMLConfiguration"], imports: BuiltImports.of) == [
        "TOMLConfiguration imports CTOML", "TOMLConfiguration imports PaymentPrimitives",
      ])
  }

  @Test(arguments: products)
  func `import nothing but each other and the toolchain's own`(product: ClientProduct) throws {
    #expect(try BuiltImports.foreign(product.closure, imports: BuiltImports.of) == [])
  }

  @Test func `of the adapters for the App Store import its frameworks, and no other`() throws {
    let adapters = try #require(ClientProduct.all.first { $0.name == "CounterfoilStoreKit" })
    let foreign = try BuiltImports.foreign(adapters.closure, imports: BuiltImports.of)
    #expect(
      Set(foreign) == [
        "CounterfoilStoreKit imports StoreKit", "CounterfoilStoreKit imports UIKit",
        "CounterfoilStoreKit imports Security",
      ])
  }

  @Test func `are not read from what is no module, or breaks off`() throws {
    #expect(throws: BuiltImports.NotAModule.self) { try BuiltImports.read([1, 2, 3, 4]) }
    #expect(throws: Bitstream.Malformed.self) { try BuiltImports.read([0xE2, 0x9C, 0xA8, 0x0E, 0xFF, 0xFF]) }
  }
}

import Testing
import TidyRules

/// Each planted use of a symbol of Apple's systems must be found, and each guarded one left alone.
@Suite struct `The rule of availability` {
  private let table = AvailabilityTable(
    """
    [Modules]
    import Foundation\talways
    import UIKit\t2\t-\t9\t2\t1

    [Swift]
    .count\talways
    .isEmpty\talways
    Int\talways
    Mutex\t18\t15\t18\t11\t2
    Mutex(_:)\t18\t15\t18\t11\t2
    String\talways
    String(decoding:as:)\talways
    Task.sleep(for:)\t16\t13\t16\t9\t1

    [StoreKit]
    Product\t15\t12\t15\t8\t1
    Product.PurchaseResult\t15\t12\t15\t8\t1
    purchase(options:)\t15\t12\t15\t8\t-

    """)

  private func problems(_ text: String) async -> [String] {
    let file = SourceFile("Sources/Client/Counterfoil/A.swift", text)
    let platforms = ["ios": 15, "tvos": 15, "watchos": 8, "visionos": 1]
    let findings = await AvailabilityRule.findings(in: [file], platforms: platforms, table)
    return findings.filter { $0.path == file.path }.map(\.message)
  }

  @Test func `a symbol that is not in the table is found, with its labels and its line`() async {
    #expect(await problems("let a: Int = 1") == [])
    #expect(await problems("let a: Double = 1").first?.hasPrefix("Double is not in") == true)
    #expect(await problems("let a = String(decoding: b, as: c)").count == 2, "b and c alone")
    #expect(await problems("let a = String(validating: 1)").first?.hasPrefix("String(validating:) is not in") == true)
    #expect(await problems("func f(_ a: Int) { _ = a.isEmpty }") == [])
    #expect(await problems("func f(_ a: Int) { a.isPrime }").first?.hasPrefix(".isPrime is not in") == true)
    #expect(await problems("import AppKit").first?.hasPrefix("import AppKit is not in") == true)
    #expect(await problems("@Tracked var a: Int { 1 }").first?.hasPrefix("@Tracked is not in") == true)
  }

  @Test func `what our own sources declare is not the platform's`() async {
    #expect(await problems("struct Ours { let size: Int\n init(n: Int) { size = n } }\nlet a = Ours(n: 1).size") == [])
    #expect(await problems("func add(to a: Int) {}\nfunc f() { add(to: 1) }") == [])
    let nested = "enum Names { enum Product {} }\nfunc f() -> Product.Unheard? { nil }"
    #expect(
      await problems(nested).first?.hasPrefix("Product.Unheard is not in") == true,
      "a nested type of ours hides none of the platform elsewhere")
    #expect(await problems("enum Names { enum Product {}\n func f() -> Product? { nil } }") == [])
    let other = "func add(to a: Int) {}\nfunc f(_ a: Int) { a.add(from: 1) }"
    #expect(await problems(other).first?.hasPrefix(".add(from:) is not in") == true)
  }

  @Test func `a symbol that is newer than a floor needs a guard for each such system`() async {
    let use = "let a: Mutex<Int>"
    #expect(await problems(use).first?.contains("iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2") == true)
    let all = "iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2"
    #expect(await problems("@available(\(all), *) struct A { \(use) }") == [])
    let older = "iOS 17, macOS 15, tvOS 18, watchOS 11, visionOS 2"
    #expect(await problems("@available(\(older), *) struct A { \(use) }").first?.contains("with iOS 18;") == true)
    #expect(await problems("func f() { if #available(\(all), *) { \(use) } }") == [])
    #expect(await problems("func f() { if #available(\(all), *) {} else { \(use) } }").count == 1)
    #expect(await problems("func f() { guard #available(\(all), *) else { return }\n\(use) }") == [])
    #expect(await problems("func f() { \(use)\nguard #available(\(all), *) else { return } }").count == 1)
    #expect(await problems("func f() { if #unavailable(iOS 18) { \(use) } }").count == 1)
  }

  @Test func `a system that never had a symbol needs a condition of compilation`() async {
    let use = "func f(_ a: Int) { purchase(options: a) }"
    #expect(await problems(use).first?.contains("no visionOS") == true)
    #expect(await problems("#if !os(visionOS)\n\(use)\n#endif") == [])
    #expect(await problems("#if os(visionOS)\n#else\n\(use)\n#endif") == [])
    #expect(await problems("#if os(iOS) || os(macOS)\n\(use)\n#endif") == [])
    #expect(await problems("#if os(iOS) || os(visionOS)\n\(use)\n#endif").count == 1)
    #expect(await problems("#if canImport(UIKit)\nimport UIKit\n#endif") == [])
    #expect(await problems("import UIKit").first?.contains("no macOS") == true)
    #expect(await problems("@available(visionOS, unavailable)\n\(use)") == [])
    #expect(await problems("#if os(Linux)\nlet a: Nowhere\n#endif") == [], "it is compiled for none of Apple's systems")
  }

  @Test func `the table is sorted, whole and used`() async {
    func problems(_ rows: String, in text: String = "") async -> [String] {
      let files = [SourceFile("Sources/Client/Counterfoil/A.swift", text)]
      return await AvailabilityRule.findings(in: files, platforms: [:], AvailabilityTable(rows)).map(\.message)
    }
    #expect(await problems("[A]\nInt\talways", in: "let a: Int") == [])
    #expect(await problems("[A]\nInt\talways") == ["no client source uses Int"])
    #expect(await problems("[A]\nInt\talways\nBool\talways", in: "let a: Int, b: Bool") == ["Bool stands behind Int"])
    #expect(await problems("[A]\nInt\talways\n[B]\nInt\talways", in: "let a: Int") == ["Int stands here twice"])
    for row in ["Int", "Int\t15", "Int\t15\t12\t15\t8\tnone", "Int\tnever"] {
      #expect(await problems("[A]\n\(row)").first?.hasPrefix("a row is:") == true, "\(row)")
    }
    #expect(await problems("Int\talways").count == 1, "no module")
  }
}

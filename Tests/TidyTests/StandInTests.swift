import Testing

/// Stand-ins for Apple's frameworks stay with the tests.
@Suite struct `A stand-in` {
  private let guarded = """
    #if os(Linux)
    let standInTargets: [Target] = [
      .target(name: "StoreKit", dependencies: []), .target(name: "Security", dependencies: []),
      .target(name: "UIKit", dependencies: []), .target(name: "SwiftUI", dependencies: []),
    ]
    #else
    let products = [.library(name: "P", targets: ["Adapter"])]
    #endif
    let floors = [module("Core", []), module("Adapter", ["Core"] + standIns), module("Above", ["Adapter"])]

    """

  @Test func `is noticed in a product that carries it, also through another module`() {
    let file = SourceFile("Package.swift", guarded + #"let p = [.library(name: "Kit", targets: ["Above"])]"#)
    #expect(
      StandInRule.problems(in: file) == [
        "the product Kit carries the stand-in Security", "the product Kit carries the stand-in StoreKit",
        "the product Kit carries the stand-in SwiftUI", "the product Kit carries the stand-in UIKit",
      ])
  }

  @Test func `is noticed in a program that no product names, unless that is one of the tests'`() {
    let program = #".executableTarget(name: "Tool", dependencies: ["Above"], path: "Sources/Tool")"#
    #expect(
      StandInRule.problems(in: SourceFile("Package.swift", guarded + "let t: [Target] = [\(program)]")) == [
        "the program Tool carries the stand-in Security and is none of the tests'",
        "the program Tool carries the stand-in StoreKit and is none of the tests'",
        "the program Tool carries the stand-in SwiftUI and is none of the tests'",
        "the program Tool carries the stand-in UIKit and is none of the tests'",
      ])
    let ofTests = program.replacing("Sources/Tool", with: "Tests/Tool")
    #expect(StandInRule.problems(in: SourceFile("Package.swift", guarded + "let t: [Target] = [\(ofTests)]")) == [])
  }

  @Test func `is noticed where it is declared for every system`() {
    let file = SourceFile("Package.swift", #".target(name: "StoreKit"), .target(name: "Security")"#)
    #expect(StandInRule.problems(in: file).count == 4)
  }

  @Test func `is fine behind a product that other systems have`() {
    let file = SourceFile("Package.swift", guarded + #"let p = [.library(name: "Kit", targets: ["Core"])]"#)
    #expect(StandInRule.problems(in: file) == [])
  }

  @Test func `is in no product of ours`() throws {
    #expect(StandInRule.problems(in: try #require(Repository.file("Package.swift"))) == [])
  }
}

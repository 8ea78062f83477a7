import Foundation
import Testing

extension Scripts {
  /// The part of the client for Objective-C. Linux has no Objective-C, so the compiler leaves it out here. Without the
  /// words that only Apple's compilers know, it is ordinary Swift, which is checked against the built modules.
  @Suite struct `The client's part for Objective-C` {
    private static let folder = "Sources/Client/CounterfoilStoreKit/ObjectiveC"
    /// What Apple's Foundation has, and the one here has not.
    private static let standIn = "public final class NSUserActivity: Sendable {}\n"

    /// The Swift of a file without what makes it Objective-C.
    private static func plain(_ text: String) -> String {
      text.replacing("#if os(iOS) || os(visionOS)", with: "#if true")
        .replacing(#/@objc(\([A-Za-z:]+\))?\s/#, with: "")
        .replacing("#if canImport(ObjectiveC)\n", with: "import CounterfoilStoreKit\n#if true\n")
    }

    private func check(_ change: (String) -> String = { $0 }) throws -> (code: Int32, output: String) {
      let place = Machine.repository.appending(path: Self.folder).path
      var files = ["StandIn.swift": Self.standIn]
      for name in try FileManager.default.contentsOfDirectory(atPath: place) {
        files[name] = change(Self.plain(try TypeCheck.text(Self.folder + "/" + name)))
      }
      #expect(files.count == 7)
      return try TypeCheck.run(files, module: "ObjectiveCFace")
    }

    @Test func `is right Swift, with all that it calls (B8)`() throws {
      let result = try check()
      #expect(result.code == 0, "\(result.output)")
    }

    @Test func `is seen to be wrong where it is`() throws {
      let result = try check { $0.replacing("purchasing.openOrders()", with: "purchasing.noOrders()") }
      #expect(result.code != 0 && result.output.contains("noOrders"))
    }
  }
}

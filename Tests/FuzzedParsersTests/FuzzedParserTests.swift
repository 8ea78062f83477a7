import Foundation
import FuzzedParsers
import Testing

@Suite struct `A fuzzed parser` {
  private static let fuzzers = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fuzzers")

  private static func names(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: fuzzers.appending(path: folder).path).sorted()
  }

  @Test func `has a name that no other has, and seeds or a dictionary belong to one of that name`() throws {
    let names = FuzzedParser.all.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(Set(try Self.names(in: "Seeds")).isSubset(of: names))
    let dictionaries = try Self.names(in: ".").filter { $0.hasSuffix(".dict") }.map { String($0.dropLast(5)) }
    #expect(!dictionaries.isEmpty && Set(dictionaries).isSubset(of: names))
  }

  /// What does not hold ends the process: the last line of its output names the file.
  @Test(arguments: FuzzedParser.all.map(\.name))
  func `keeps its promises for each seed, whole and cut, and for those of the others`(_ name: String) throws {
    let parser = try #require(FuzzedParser.all.first { $0.name == name })
    var fed = 0
    for folder in try Self.names(in: "Seeds") {
      for file in try Self.names(in: "Seeds/" + folder) {
        let seed = try Data(contentsOf: Self.fuzzers.appending(path: "Seeds/\(folder)/\(file)"))
        let bytes = [UInt8](seed)
        // Its own seeds at more places than those of the others.
        let cuts = folder == name ? 8 : 1
        for cut in 0...cuts {
          #expect(
            Array(bytes.prefix(bytes.count * cut / cuts)).withUnsafeBufferPointer {
              parser.feed($0.baseAddress, $0.count)
            } == 0)
          fed += 1
        }
      }
    }
    #expect(fed >= 20)
  }
}

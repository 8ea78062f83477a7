import StrictJSON
import Testing

@Suite struct `The bench of an erasure` {
  @Test(.timeLimit(.minutes(5)))
  func `erases a user beside fulfilments of others, and tells how long both take`() async throws {
    try await withFolder { folder in
      let bench = try await counterfoil(
        "bench", "erase", "--payments", "40", "--others", "40", "--measured", "50", "--data", "bench", "--json",
        in: folder)
      #expect(bench.code == 0, "\(bench.errors)")
      let lines = try bench.output.split(separator: "\n").map { try JSONReader.read(Array($0.utf8)) }
      let p99 = lines.first { $0["name"]?.string?.hasPrefix("p99 of a fulfilment beside the erasure") == true }
      #expect(p99?["median"] != nil)
      #expect(lines.contains { $0["name"]?.string == "ms for the erasure" && $0["value"]?.integer != nil })
      #expect(try await counterfoil("bench", "erase", "--payments", "9", in: folder).code == 2)
    }
  }
}

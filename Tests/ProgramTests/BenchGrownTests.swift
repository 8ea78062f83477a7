import StrictJSON
import Testing

@Suite struct `The bench of a grown database` {
  @Test(.timeLimit(.minutes(5)))
  func `prints the cost of a fulfilment and of a query for entitlements, once all databases reconcile`() async throws {
    try await withFolder { folder in
      let bench = try await counterfoil(
        "bench", "grown", "--orders", "1000", "--beside", "100", "--lines", "100", "--measured", "100", "--rounds",
        "1", "--data", "bench", "--json", in: folder)
      #expect(bench.code == 0, "\(bench.errors)")
      let lines = try bench.output.split(separator: "\n").map { try JSONReader.read(Array($0.utf8)) }
      let rows = lines.filter { $0["row"]?.integer == 6 }
      #expect(rows.count == 2)
      #expect(rows.allSatisfy { $0["bound"] != nil && $0["median"] != nil })
      #expect(lines.count { $0["row"] == nil && $0["median"] != nil } == 4)
      #expect(try await counterfoil("bench", "grown", "--beside", "9", in: folder).code == 2)
    }
  }
}

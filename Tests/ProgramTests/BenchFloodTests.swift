import StrictJSON
import Testing

@Suite struct `The bench of a flood` {
  @Test(.timeLimit(.minutes(5)))
  func `reconciles its runs and prints how a flood of bogus tokens affects customers (A15)`() async throws {
    try await withFolder { folder in
      let bench = try await counterfoil(
        "bench", "flood", "--rate", "20", "--bogus", "40", "--seconds", "1", "--rounds", "1", "--data", "bench",
        "--json", in: folder)
      #expect(bench.code == 0, "\(bench.errors)")
      let lines = try bench.output.split(separator: "\n").map { try JSONReader.read(Array($0.utf8)) }
      let row = try #require(lines.first { $0["row"] != nil })
      #expect(row["row"]?.integer == 7 && row["bound"]?.text == "1.500")
      // The value depends on the machine. That it was measured does not.
      #expect(row["median"].flatMap { Double($0.text) } ?? 0 > 0)
      #expect(lines.contains { $0["note"]?.string?.contains("All runs reconcile") == true })
    }
  }

  @Test func `answers wrong usage with 2`() async throws {
    try await withFolder { folder in
      let bench = try await counterfoil("bench", "flood", "--rate", "0", in: folder)
      #expect(bench.code == 2)
    }
  }
}

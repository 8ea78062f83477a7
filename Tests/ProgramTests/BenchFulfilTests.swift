import StrictJSON
import Testing

@Suite struct `The bench of fulfilments` {
  @Test(.timeLimit(.minutes(5)), arguments: ["app-store", "wechat-pay"])
  func `reconciles every run and prints rows 3 and 4 with a breakdown of their time`(store: String) async throws {
    try await withFolder { folder in
      let bench = try await counterfoil(
        "bench", "fulfil", "--store", store, "--orders", "20", "--rounds", "1", "--callers", "8", "--connections", "4",
        "--data", "bench", "--profile", "--json", in: folder)
      #expect(bench.code == 0, "\(bench.errors)")
      let lines = try bench.output.split(separator: "\n").map { try JSONReader.read(Array($0.utf8)) }
      let rows = lines.filter { $0["row"] != nil }
      #expect(rows.map { $0["row"]?.integer } == [3, 4])
      #expect(rows.map { $0["bound"]?.text } == ["0.700", "0.600"])
      for row in rows {
        // The values depend on the machine. That they were measured does not.
        #expect(row["median"].flatMap { Double($0.text) } ?? 0 > 0)
      }
      let notes = lines.compactMap { $0["note"]?.string }
      #expect(notes.contains { $0.contains("20 paid purchases") && $0.contains("All runs reconcile") })
      #expect(notes.contains { $0.hasPrefix("row 3: ") } && notes.contains { $0.hasPrefix("row 4: ") })
      for batch in [1, 8, 32, 128, 512] {
        #expect(lines.contains { $0["name"]?.string == "a second by the bare loop, \(batch) in a commit" })
      }
    }
  }
}

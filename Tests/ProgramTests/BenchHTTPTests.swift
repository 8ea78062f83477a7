import StrictJSON
import Testing

@Suite struct `The bench of purchases over HTTP` {
  @Test(.timeLimit(.minutes(5)))
  func `reconciles, and prints what each call costs and what waiting calls cost`() async throws {
    try await withFolder { folder in
      let bench = try await counterfoil(
        "bench", "http", "--purchases", "10", "--rounds", "1", "--connections", "4", "--waiting", "20", "--data",
        "bench", "--json", in: folder)
      #expect(bench.code == 0, "\(bench.errors)")
      let lines = try bench.output.split(separator: "\n").map { try JSONReader.read(Array($0.utf8)) }
      #expect(lines.contains { $0["note"]?.string?.contains("paid = granted = deliveries made") == true })
      let names = lines.compactMap { $0["name"]?.string }
      for part in [
        "for a purchase with its notification", "for an order", "for a payment handed in", "for a poll of a paid order",
        "for the notification", "GET /livez against an echo", "purchases a second", "while they wait",
      ] {
        #expect(names.contains { $0.contains(part) }, "\(part)")
      }
      #expect(lines.contains { $0["conditions"]?.string?.contains("fdatasync of 8 kB") == true })
    }
  }
}

@Suite struct `The bench of notifications and starts` {
  @Test(.timeLimit(.minutes(5)))
  func `prints row 8, once all notifications reconcile`() async throws {
    try await withFolder { folder in
      let bench = try await counterfoil(
        "bench", "notified", "--notifications", "1000", "--rate", "500", "--data", "bench", "--json", in: folder)
      #expect(bench.code == 0, "\(bench.errors)")
      let lines = try bench.output.split(separator: "\n").map { try JSONReader.read(Array($0.utf8)) }
      #expect(lines.compactMap { $0["row"]?.integer } == [8])
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `prints row 9 of a new database and a filled one`() async throws {
    try await withFolder { folder in
      let bench = try await counterfoil(
        "bench", "start", "--orders", "10", "--starts", "1", "--data", "bench", "--json", in: folder)
      #expect(bench.code == 0, "\(bench.errors)")
      let lines = try bench.output.split(separator: "\n").map { try JSONReader.read(Array($0.utf8)) }
      #expect(lines.compactMap { $0["row"]?.integer }.allSatisfy { $0 == 9 })
      #expect(lines.contains { $0["name"]?.string == "ms from the start to ready, with a new database" })
    }
  }
}

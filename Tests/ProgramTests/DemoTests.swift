import PaymentPrimitives
import StrictJSON
import Testing

@Suite struct `The demonstration` {
  @Test(.timeLimit(.minutes(5)))
  func `ends with equal books after kills, and reports that with its exit code`() async throws {
    try await withFolder { folder in
      let run = try await counterfoil(
        "demo", "--shoppers", "3", "--purchases", "4", "--kills", "3", "--json", in: folder)
      let result = try JSONReader.read(run.output.utf8)
      #expect(run.code == 0, "\(run.output) \(run.errors)")
      let charged = try #require(result["charged"]?.integer)
      #expect(charged > 0 && result["granted"]?.integer == charged && result["delivered"]?.integer == charged)
      for name in ["lost", "doubled", "unpaid"] { #expect(result[name]?.integer == 0, "\(name)") }
      #expect(result["serverKills"]?.integer == 3 && result["violations"]?.array == [])
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `prints its progress in plain lines without a terminal, and the result in the user's language`() async throws {
    try await withFolder { folder in
      let run = try await counterfoil(
        "demo", "--shoppers", "2", "--purchases", "1", "--kills", "0", in: folder,
        environment: ["LC_ALL": "zh_CN.UTF-8"])
      #expect(run.code == 0, "\(run.errors)")
      for words in ["购买 2/2", "丢失: 0", "恰好发货一次"] { #expect(run.output.contains(words)) }
      #expect(!run.output.contains("\r") && !run.output.contains("\u{1B}"))
    }
  }
}

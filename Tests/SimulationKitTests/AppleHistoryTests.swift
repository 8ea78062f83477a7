import PaymentPrimitives
import SimulationKit
import TestTier
import Testing

@Suite struct `A history that the server received only in part` {
  @Test
  func `is found and granted within Apple's rates, even if the server is killed during the comparison`() throws {
    let transactions = Tier.among(test: 400, check: 1_000, night: 4_000)
    let report = try AppleHistory(transactions: transactions, seed: 1).run()
    #expect(report.problems == [])
    #expect(report.transactions == transactions)
    #expect(report.missed * 5 > transactions * 2 && report.found == report.missed)
    #expect(report.healed + report.waiting == report.missed && report.waiting > 0)
    #expect(report.refundsFound > 0)
    #expect(report.kills >= 3, "no kill happened during a comparison")
    let calls = Dictionary(uniqueKeysWithValues: report.calls.map { ($0.endpoint, $0) })
    for endpoint in ["transaction_history", "notification_history", "finish_transaction"] {
      #expect((calls[endpoint]?.calls ?? 0) > 0, "\(endpoint) was never asked")
    }
    // Half of Apple's rate is left for users who wait for a purchase.
    #expect((calls["transaction_history"]?.highest ?? 99) <= 25)
    #expect(report.tooOften == 0)
  }
}

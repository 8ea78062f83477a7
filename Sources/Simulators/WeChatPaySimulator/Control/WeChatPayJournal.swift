/// The journal of requests, for tests of a client.
package struct WeChatPayJournal: Sendable {
  let service: SimulatedWeChatPay

  /// The last requests, oldest first.
  nonisolated(nonsending) package func exchanges() async -> [WeChatPayExchangeNote] {
    await Self.exchanges(at: service)
  }

  nonisolated(nonsending) package func forget() async { await Self.forget(at: service) }

  private static func exchanges(at service: isolated SimulatedWeChatPay) -> [WeChatPayExchangeNote] {
    service.exchangeJournal.notes
  }

  private static func forget(at service: isolated SimulatedWeChatPay) { service.exchangeJournal.forget() }
}

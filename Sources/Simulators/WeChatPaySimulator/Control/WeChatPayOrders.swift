package import PaymentPrimitives
package import WeChatPayProtocol

/// The orders with their refunds, for a person, a test or a demo.
package struct WeChatPayOrders: Sendable {
  let service: SimulatedWeChatPay

  /// All orders in order of creation; those of one merchant or of all.
  nonisolated(nonsending) package func all(mchid: String? = nil) async -> [SimulatedOrder] {
    await service.read { snapshot in
      let state = snapshot.state
      return state.orderSequence.compactMap { state.orders[$0] }.filter { mchid == nil || $0.mchid == mchid }
    }
  }

  /// An order with its current state; nil for an unknown one.
  nonisolated(nonsending) package func order(_ key: OrderKey) async -> (order: SimulatedOrder, state: TradeState)? {
    await service.read { snapshot in
      snapshot.state.orders[key].map { ($0, snapshot.state.tradeState(of: $0, at: snapshot.now)) }
    }
  }

  /// All refunds in order of creation; those of one merchant or of all.
  nonisolated(nonsending) package func refunds(mchid: String? = nil) async -> [SimulatedRefund] {
    await service.read { snapshot in
      let state = snapshot.state
      return state.refundSequence.compactMap { state.refunds[$0] }.filter { mchid == nil || $0.key.mchid == mchid }
    }
  }

  /// Sets an order to a state that only code payments reach, for tests of decoders.
  ///
  /// - Parameter tradeState: `REVOKED`, `USERPAYING`, `PAYERROR`, or `NOTPAY` to reset it.
  /// - Throws: `orderUnknown`; `fieldInvalid` for an order that was paid or closed, and for any other state.
  nonisolated(nonsending) package func setState(
    _ tradeState: TradeState, of key: OrderKey
  ) async throws(CodedError<WeChatPaySimulatorErrorCode>) {
    guard [.revoked, .userPaying, .payError, .notPaid].contains(tradeState) else {
      throw CodedError(.fieldInvalid, "Payments, closings and refunds make the other states.")
    }
    try await service.commit { decision throws(CodedError<WeChatPaySimulatorErrorCode>) in
      guard var order = decision.state.orders[key] else { throw CodedError(.orderUnknown) }
      guard ![.success, .refund, .closed].contains(order.state) else {
        throw CodedError(.fieldInvalid, "The order is \(order.state.rawValue).")
      }
      order.state = tradeState
      decision.put(.order(order))
    }
  }

  /// Restarts an abnormal refund, as a person does in the merchant platform; it then succeeds.
  ///
  /// - Throws: `orderUnknown` for an unknown refund, `fieldInvalid` for one that is not abnormal.
  nonisolated(nonsending) package func repairRefund(_ key: RefundKey) async throws(CodedError<WeChatPaySimulatorErrorCode>) {
    try await service.commit { decision throws(CodedError<WeChatPaySimulatorErrorCode>) in try OrderRefundDecision.repair(key, &decision) }
  }
}

import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives

extension PaymentEngine {
  /// Records that WeChat Pay was asked about an order and did not answer.
  func noteSilence(of key: OrderKey) async throws {
    guard let order = try await read({ try $0.order(key) }), order.state.isUnpaid, order.lastVerdict == nil else {
      return
    }
    try await transact { transaction in
      try Self.noteSilence(of: [transaction.order(key)].compactMap(\.self), because: "askingWeChatPay", transaction)
    }
  }

  /// Records that WeChat Pay has answered; the answer itself is recorded elsewhere.
  func endSilence(of key: OrderKey) async throws {
    // Usually nothing was recorded: then nothing is written.
    guard try await read({ try $0.order(key) })?.lastVerdict?.verdict == .pending else { return }
    try await transact { transaction in
      try Self.endSilence(of: [transaction.order(key)].compactMap(\.self), by: nil, transaction)
    }
  }
}

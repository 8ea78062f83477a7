package import PaymentPrimitives
import WeChatPayProtocol

/// The merchants of the simulator.
package struct WeChatPayMerchants: Sendable {
  let service: SimulatedWeChatPay

  /// Adds or changes a merchant.
  ///
  /// - Throws: `full`, or `fieldInvalid` for an APIv3 key that has not 32 bytes.
  nonisolated(nonsending) package func set(_ merchant: SimulatedMerchant) async throws(CodedError<WeChatPaySimulatorErrorCode>) {
    guard merchant.testAPIv3Key.map({ $0.utf8.count == 32 }) ?? true else {
      throw CodedError(.fieldInvalid, "testAPIv3Key must have 32 bytes.")
    }
    guard Forms.mchid(merchant.mchid) != nil else { throw CodedError(.fieldInvalid, "mchid must be 1 to 32 digits.") }
    try await service.commit { decision throws(CodedError<WeChatPaySimulatorErrorCode>) in
      let known = decision.state.merchants[merchant.mchid]
      guard known != nil || decision.state.merchants.count < WeChatPaySimulatorLimits.merchantsMax else {
        throw CodedError(.full)
      }
      if known != merchant { decision.put(.merchant(merchant)) }
    }
  }

  nonisolated(nonsending) package func all() async -> [SimulatedMerchant] {
    await service.read { snapshot in snapshot.state.merchants.sorted { $0.key < $1.key }.map(\.value) }
  }
}

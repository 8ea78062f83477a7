package import PaymentPrimitives
import SimulatorCore
package import WeChatPayProtocol

/// Control of the simulator by a person, a test or a demo, except payments: merchants, keys, faults, and the states
/// that no merchant's call reaches.
package struct WeChatPayControl: Sendable {
  let service: SimulatedWeChatPay

  /// Adds or changes a merchant.
  ///
  /// - Throws: `full`, or `fieldInvalid` for an APIv3 key that has not 32 bytes.
  nonisolated(nonsending) package func setMerchant(_ merchant: SimulatedMerchant) async throws(CodedError<
    WeChatPaySimulatorErrorCode
  >) {
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

  // MARK: orders, refunds and notifications

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
  nonisolated(nonsending) package func repairRefund(_ key: RefundKey) async throws(CodedError<
    WeChatPaySimulatorErrorCode
  >) {
    try await service.commit { decision throws(CodedError<WeChatPaySimulatorErrorCode>) in
      try OrderRefundDecision.repair(key, &decision)
    }
  }

  /// Pays money into an account of a merchant, or withdraws it to the merchant's bank.
  ///
  /// - Parameter amount: in fen.
  /// - Throws: `fieldInvalid` for an unknown merchant, an amount of zero or less, or more than the account holds;
  ///   `full`.
  nonisolated(nonsending) package func transfer(
    _ kind: FundTransfer.Kind, _ amount: Int64, in account: FundAccount, of mchid: String
  ) async throws(CodedError<WeChatPaySimulatorErrorCode>) -> FundTransfer {
    try await service.commit { decision throws(CodedError<WeChatPaySimulatorErrorCode>) in
      let state = decision.state
      guard state.merchants[mchid] != nil else { throw CodedError(.fieldInvalid, "There is no such merchant.") }
      guard (1...OrderForm.fenMax).contains(amount) else { throw CodedError(.fieldInvalid, "amount must be fen.") }
      guard state.transfers.count < WeChatPaySimulatorLimits.transfersMax else { throw CodedError(.full) }
      let now = Timestamp(seconds: decision.now.seconds)
      let balance = state.fundFlows(of: mchid, account, until: now + .seconds(1)).last?.balance ?? 0
      guard kind == .topUp || amount <= balance else {
        throw CodedError(.fieldInvalid, "The account holds \(balance) fen.")
      }
      let transfer = FundTransfer(
        mchid: mchid, account: account, kind: kind, amount: amount,
        number: "10000000" + decision.eightDigits() + decision.tenDigits(), at: now)
      decision.put(.transfer(transfer))
      return transfer
    }
  }

  /// Makes a notification due at once, in whatever state it is.
  ///
  /// - Throws: `notificationUnknown`.
  nonisolated(nonsending) package func sendAgain(_ id: String) async throws(CodedError<WeChatPaySimulatorErrorCode>) {
    try await service.commit { decision throws(CodedError<WeChatPaySimulatorErrorCode>) in
      guard var notification = decision.state.notifications[id] else { throw CodedError(.notificationUnknown) }
      if notification.attempts.count > SimulatedPaymentNotification.delays.count { notification.attempts.removeLast() }
      notification.state = .waiting(until: decision.now)
      decision.put(.notification(notification))
    }
  }

  // MARK: keys

  /// Changes the kinds of keys, and the choice of signing keys.
  ///
  /// - Throws: `fieldInvalid` for a key that does not exist.
  nonisolated(nonsending) package func setKeyPolicy(
    mode: PlatformKeyPolicy.Mode? = nil, notifications: PlatformKeyPolicy.Signing? = nil,
    answers: PlatformKeyPolicy.Signing? = nil
  ) async throws(CodedError<WeChatPaySimulatorErrorCode>) {
    try await service.commit { decision throws(CodedError<WeChatPaySimulatorErrorCode>) in
      var policy = decision.state.keys
      if let mode { policy.mode = mode }
      if let notifications { policy.notifications = notifications }
      if let answers { policy.answers = answers }
      for name in [policy.notifications, policy.answers].flatMap({ [$0.from, $0.to] }) {
        guard name.map({ policy.has($0) }) ?? true else { throw CodedError(.fieldInvalid, "There is no such key.") }
      }
      if policy != decision.state.keys { decision.put(.keys(policy)) }
    }
  }

  /// Issues another platform certificate: it is published at once, beside the others, and signs nothing yet.
  ///
  /// - Returns: its name.
  /// - Throws: `full`.
  nonisolated(nonsending) package func issueCertificate() async throws(CodedError<WeChatPaySimulatorErrorCode>)
    -> PlatformKeyName
  {
    try await service.commit { decision throws(CodedError<WeChatPaySimulatorErrorCode>) in
      var policy = decision.state.keys
      guard policy.certificatesIssued.count < WeChatPaySimulatorLimits.certificatesMax else { throw CodedError(.full) }
      policy.certificatesIssued.append(decision.now)
      decision.put(.keys(policy))
      return .certificate(policy.certificatesIssued.count)
    }
  }

  /// Makes a second public key: known to merchants who download it, and signing nothing yet, unless a request names it.
  ///
  /// - Returns: its name.
  nonisolated(nonsending) package func issuePublicKey() async throws(CodedError<WeChatPaySimulatorErrorCode>)
    -> PlatformKeyName
  {
    try await service.commit { decision throws(CodedError<WeChatPaySimulatorErrorCode>) in
      var policy = decision.state.keys
      guard !policy.hasSecondPublicKey else { return .secondPublicKey }
      policy.hasSecondPublicKey = true
      decision.put(.keys(policy))
      return .secondPublicKey
    }
  }

  // MARK: faults

  /// Adds a fault after the planned ones.
  ///
  /// - Throws: `full`.
  nonisolated(nonsending) package func plan(_ fault: PlannedFault) async throws(CodedError<WeChatPaySimulatorErrorCode>)
  {
    try await service.commit { decision throws(CodedError<WeChatPaySimulatorErrorCode>) in
      guard decision.state.faults.count < WeChatPaySimulatorLimits.plannedFaultsMax else { throw CodedError(.full) }
      decision.put(.faults(decision.state.faults + [fault]))
    }
  }

  /// Removes all planned faults.
  nonisolated(nonsending) package func forgetFaults() async throws(CodedError<WeChatPaySimulatorErrorCode>) {
    try await service.commit { decision throws(CodedError<WeChatPaySimulatorErrorCode>) in
      if !decision.state.faults.isEmpty { decision.put(.faults([])) }
    }
  }
}

package import PaymentPrimitives
package import SimulatorCore
package import WeChatPayProtocol

/// Control of the simulator by a person, a test or a demo, except payments: merchants, keys, clock, settings, faults.
extension SimulatedWeChatPay {
  // MARK: merchants

  /// Adds or changes a merchant.
  ///
  /// - Throws: `full`, or `fieldInvalid` for an APIv3 key that has not 32 bytes.
  package func setMerchant(_ merchant: SimulatedMerchant) async throws(CodedError<WeChatPaySimulatorErrorCode>) {
    guard merchant.testAPIv3Key.map({ $0.utf8.count == 32 }) ?? true else {
      throw CodedError(.fieldInvalid, "testAPIv3Key must have 32 bytes.")
    }
    guard Forms.mchid(merchant.mchid) != nil else { throw CodedError(.fieldInvalid, "mchid must be 1 to 32 digits.") }
    try await commit { decision throws(CodedError<WeChatPaySimulatorErrorCode>) in
      let known = decision.state.merchants[merchant.mchid]
      guard known != nil || decision.state.merchants.count < WeChatPaySimulatorLimits.merchantsMax else {
        throw CodedError(.full)
      }
      if known != merchant { decision.put(.merchant(merchant)) }
    }
  }

  package func merchants() -> [SimulatedMerchant] { state.merchants.sorted { $0.key < $1.key }.map(\.value) }

  // MARK: orders and refunds

  /// All orders in order of creation; those of one merchant or of all.
  package func orders(mchid: String? = nil) -> [SimulatedOrder] {
    state.orderSequence.compactMap { state.orders[$0] }.filter { mchid == nil || $0.mchid == mchid }
  }

  /// An order with its current state; nil for an unknown one.
  package func order(_ key: OrderKey) -> (order: SimulatedOrder, state: TradeState)? {
    state.orders[key].map { ($0, state.tradeState(of: $0, at: now())) }
  }

  /// All refunds in order of creation; those of one merchant or of all.
  package func refunds(mchid: String? = nil) -> [SimulatedRefund] {
    state.refundSequence.compactMap { state.refunds[$0] }.filter { mchid == nil || $0.key.mchid == mchid }
  }

  /// Sets an order to a state that only code payments reach, for tests of decoders.
  ///
  /// - Parameter tradeState: `REVOKED`, `USERPAYING`, `PAYERROR`, or `NOTPAY` to reset it.
  /// - Throws: `orderUnknown`; `fieldInvalid` for an order that was paid or closed, and for any other state.
  package func setState(
    _ tradeState: TradeState, of key: OrderKey
  ) async throws(CodedError<WeChatPaySimulatorErrorCode>) {
    guard [.revoked, .userPaying, .payError, .notPaid].contains(tradeState) else {
      throw CodedError(.fieldInvalid, "Payments, closings and refunds make the other states.")
    }
    try await commit { decision throws(CodedError<WeChatPaySimulatorErrorCode>) in
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
  package func repairRefund(_ key: RefundKey) async throws(CodedError<WeChatPaySimulatorErrorCode>) {
    try await commit { decision throws(CodedError<WeChatPaySimulatorErrorCode>) in try decision.repairRefund(key) }
  }

  // MARK: keys

  /// The keys, and the choice of signing keys.
  package func keyPolicy() -> PlatformKeyPolicy { state.keys }

  /// Changes the kinds of keys, and the choice of signing keys.
  ///
  /// - Throws: `fieldInvalid` for a key that does not exist.
  package func setKeyPolicy(
    mode: PlatformKeyPolicy.Mode? = nil, notifications: PlatformKeyPolicy.Signing? = nil,
    answers: PlatformKeyPolicy.Signing? = nil
  ) async throws(CodedError<WeChatPaySimulatorErrorCode>) {
    try await commit { decision throws(CodedError<WeChatPaySimulatorErrorCode>) in
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
  package func issueCertificate() async throws(CodedError<WeChatPaySimulatorErrorCode>) -> PlatformKeyName {
    try await commit { decision throws(CodedError<WeChatPaySimulatorErrorCode>) in
      var policy = decision.state.keys
      guard policy.certificatesIssued.count < WeChatPaySimulatorLimits.certificatesMax else { throw CodedError(.full) }
      policy.certificatesIssued.append(decision.now)
      decision.put(.keys(policy))
      return .certificate(policy.certificatesIssued.count)
    }
  }

  // MARK: clock

  package func clock() -> SimulatorClock { state.clock }

  /// Moves the clock; due events take place at once.
  ///
  /// - Parameter span: at most ten years at a time; a negative one sets it back.
  /// - Returns: the simulated time now.
  package func advanceClock(by span: TimeSpan) async throws(CodedError<WeChatPaySimulatorErrorCode>) -> Timestamp {
    let most = SimulatorClock.stepMax
    guard -most <= span, span <= most else {
      throw CodedError(.fieldInvalid, "The clock is moved by at most \(most.milliseconds / 1000) seconds at a time.")
    }
    return try await changeClock { $0.advanced(by: span, at: $1) }
  }

  /// Sets the rate of the clock.
  ///
  /// - Parameter rate: simulated seconds per real second, 1 to 86 400.
  /// - Returns: the simulated time now.
  package func setClockRate(_ rate: Int64) async throws(CodedError<WeChatPaySimulatorErrorCode>) -> Timestamp {
    guard (1...SimulatorClock.rateMax).contains(rate) else {
      throw CodedError(.fieldInvalid, "rate must be a whole number from 1 to \(SimulatorClock.rateMax).")
    }
    return try await changeClock { $0.running(at: rate, from: $1) }
  }

  /// Resets the clock to the real time and rate.
  ///
  /// - Returns: the time now.
  package func resetClock() async throws(CodedError<WeChatPaySimulatorErrorCode>) -> Timestamp {
    try await changeClock { _, _ in .real }
  }

  private func changeClock(
    _ change: (SimulatorClock, Timestamp) -> SimulatorClock
  ) async throws(CodedError<WeChatPaySimulatorErrorCode>) -> Timestamp {
    let real = dependencies.now()
    return try await commit { decision throws(CodedError<WeChatPaySimulatorErrorCode>) in
      let clock = change(decision.state.clock, real)
      if clock != decision.state.clock { decision.put(.clock(clock)) }
      return clock.simulated(at: real)
    }
  }

  // MARK: behaviour settings and faults

  package func behaviours() -> WeChatPayBehaviours { state.behaviours }

  /// Changes a behaviour setting.
  ///
  /// - Throws: `fieldInvalid` for a value out of its range.
  package func setBehaviour(_ behaviour: WeChatPayBehaviour, to value: Int64) async throws(CodedError<
    WeChatPaySimulatorErrorCode
  >) {
    guard behaviour.range.contains(value) else {
      throw CodedError(
        .fieldInvalid, "\(behaviour.rawValue) goes from \(behaviour.range.lowerBound) to \(behaviour.range.upperBound)."
      )
    }
    try await commit { decision throws(CodedError<WeChatPaySimulatorErrorCode>) in
      if decision.state.behaviours[behaviour] != value { decision.put(.behaviour(behaviour, value)) }
    }
  }

  package func faults() -> [PlannedFault] { state.faults }

  /// Adds a fault after the planned ones.
  ///
  /// - Throws: `full`.
  package func plan(_ fault: PlannedFault) async throws(CodedError<WeChatPaySimulatorErrorCode>) {
    try await commit { decision throws(CodedError<WeChatPaySimulatorErrorCode>) in
      guard decision.state.faults.count < WeChatPaySimulatorLimits.plannedFaultsMax else { throw CodedError(.full) }
      decision.put(.faults(decision.state.faults + [fault]))
    }
  }

  /// Removes all planned faults.
  package func forgetFaults() async throws(CodedError<WeChatPaySimulatorErrorCode>) {
    try await commit { decision throws(CodedError<WeChatPaySimulatorErrorCode>) in
      if !decision.state.faults.isEmpty { decision.put(.faults([])) }
    }
  }
}

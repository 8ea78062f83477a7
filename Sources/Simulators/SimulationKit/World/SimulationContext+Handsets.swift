import AppStoreSimulator
import PaymentPrimitives

extension SimulationContext {
  /// The settings of a phone of the plan.
  func handsetSetting(
    of number: Int, _ plan: WorldPlan.PhonePlan, _ appStore: WorldAppStore
  ) -> WorldHandsetSetting {
    WorldHandsetSetting(
      number: number, seed: seed,
      owner: AppOwner(account: AppleAccountIdentifier(plan.account), bundleId: WorldShop.bundleId),
      identifier: AppStoreUUID(OrderIdentifier(high: 0x4000, low: 1 << 63 | UInt64(number))),
      isStoreKit1: plan.isStoreKit1, sendsReceipts: plan.sendsReceipts,
      link: WorldAppStoreLink(phone: number, appStore: appStore, network: network),
      approvals: PatientAppStoreLink(appStore: appStore),
      faults: { [weak self] in self.map { WorldHandsetFaults($0.faults) } ?? WorldHandsetFaults() },
      record: { [events] what, mark in events.record("phone \(number)", what, mark: mark) },
      mark: { [events] mark in events.mark(mark) },
      makeProcess: { [unowned self] name in process(name) },
      appoint: { [weak self] span, work in self?.appoint(after: span, work) })
  }

  private func appoint(after span: TimeSpan, _ work: @escaping @Sendable () async -> Void) {
    note(appointment: world.now + span)
    director.spawn { [weak self] in
      guard let self, (try? await sleep(span)) != nil else { return }
      await work()
    }
  }
}

extension WorldHandsetFaults {
  fileprivate init(_ faults: WorldPlan.Faults) {
    self.init()
    customerCancels = faults.customerCancels
    approvalNeeded = faults.approvalNeeded
    failsThoughCharged = faults.failsThoughCharged
    callbackLost = faults.callbackLost
    interrupted = faults.interrupted
    odd = faults.odd
    keychainFails = faults.keychainFails
    reinstalled = faults.reinstalled
    receiptLags = faults.receiptLags
    approvedSoon = faults.approvedSoon
  }
}

/// Apple's own connection to its store: it retries until it gets an answer.
private struct PatientAppStoreLink: AppStoreLink {
  let appStore: WorldAppStore

  func reach<Answer: Sendable>(
    _ body: @escaping @Sendable (SimulatedAppStore) async throws -> Answer
  ) async throws -> Answer {
    try await appStore.insist(body)
  }
}

import PaymentPrimitives

/// Checks the store's queue for charges that may come without a callback.
struct QueueChecks {
  let policies: PurchasingPolicies
  let dependencies: Dependencies
  let store: StoreAccess

  func check(on client: isolated Purchasing) async {
    guard let entries = await store.entries() else { return }
    _ = await client.submitAll(entries, .queue(.foreground))
  }

  /// Checks the queue at the times that the policy sets, counted from now.
  func checkLater(on client: isolated Purchasing) async {
    var waited = TimeSpan.zero
    for mark in policies.looksAfterFailure {
      let pause = TimeSpan.milliseconds(mark.milliseconds - waited.milliseconds)
      guard (try? await dependencies.sleep(pause)) != nil else { return }
      waited = mark
      await check(on: client)
    }
  }
}

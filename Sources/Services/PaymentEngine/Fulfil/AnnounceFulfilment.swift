import PaymentModel
import PaymentPrimitives

extension PaymentEngine {
  /// Counts and logs what a committed fulfilment changed, and wakes the deliveries.
  package func announce(_ result: FulfilmentResult, _ app: AppPolicy) async {
    guard result.changed else { return }
    let payment = result.payment
    metrics.count(
      .paymentsTotal,
      [
        ("app", app.id.text), ("store", payment.key.store.rawValue), ("environment", payment.key.environment.rawValue),
        ("state", payment.state.name), ("rule", payment.match?.rule.rawValue ?? "none"),
      ])
    if result.isNewlyGranted {
      metrics.time(
        .purchaseToGrantSeconds,
        [
          ("app", app.id.text), ("store", payment.key.store.rawValue),
          ("environment", payment.key.environment.rawValue),
        ], milliseconds: (dependencies.now() - payment.facts.purchaseDate).milliseconds)
    }
    countObserved(payment, app)
    log(
      LogEvent(
        .info, "payment.\(payment.state.name)",
        [
          ("app", app.id.text), ("transaction", payment.key.transaction.text),
          ("environment", payment.key.environment.rawValue),
          ("order", payment.order?.description ?? "none"),
          ("rule", payment.match?.rule.rawValue ?? "none"),
        ]))
    await deliverySignal.signal(for: payment.key.appEnvironment)
  }
}

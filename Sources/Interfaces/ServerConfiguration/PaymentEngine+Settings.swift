import AppStoreIntegration
package import AppStoreProtocol
package import Cryptography
package import PaymentDatabase
package import PaymentEngine
package import PaymentModel
package import PaymentPrimitives
import WeChatPayIntegration

extension PaymentEngine {
  /// An engine that sells through both stores, by the settings of its apps.
  ///
  /// - Parameters:
  ///   - apps: the apps that it serves; nil for those of the settings. At a start the database may add retired ones.
  ///   - verifier: checks what Apple signs.
  ///   - exchanges: how the stores and the apps' backends are reached.
  package init(
    _ settings: [AppSettings], apps: AppDirectory? = nil, database: any PaymentDatabase, verifier: SignedDataVerifier,
    dependencies: Dependencies, exchanges: Exchanges, secret: Secret, erasureList: (any ErasureList)? = nil,
    retention: RetentionPolicy = RetentionPolicy(), limits: EngineLimits = EngineLimits(), metrics: Metrics = Metrics(),
    traces: Traces = .off, log: @escaping Log
  ) {
    let appStore = Dictionary(settings.compactMap { app in app.appStore.map { (app.id, $0) } }) { first, _ in first }
    let weChatPay = Dictionary(settings.compactMap { app in app.weChatPay.map { (app.id, $0) } }) { first, _ in first }
    let shared = dependencies.keepingTime(of: database)
    self.init(
      apps: apps ?? AppDirectory(settings), database: database,
      stores: [
        WeChatPayIntegration(
          access: weChatPay, exchanges: exchanges, dependencies: shared, metrics: metrics, traces: traces,
          log: log),
        AppStoreIntegration(
          access: appStore, verifier: verifier, exchanges: exchanges, dependencies: shared, metrics: metrics,
          traces: traces, log: log),
      ], dependencies: dependencies, exchanges: exchanges, secret: secret, erasureList: erasureList,
      retention: retention, limits: limits, metrics: metrics, traces: traces, log: log)
  }

  /// Uses the keys and policies of other settings for the calls to the stores that begin from now on.
  ///
  /// - Returns: where the access stays until the next start: `app[shop].wechat_pay`.
  package func replaceStoreAccess(by settings: [AppSettings]) async -> [String] {
    let appStore = Dictionary(settings.compactMap { app in app.appStore.map { (app.id, $0) } }) { first, _ in first }
    let weChatPay = Dictionary(settings.compactMap { app in app.weChatPay.map { (app.id, $0) } }) { first, _ in first }
    let kept = integration(AppStoreIntegration.self)?.replace(by: appStore) ?? []
    let others = await integration(WeChatPayIntegration.self)?.replace(by: weChatPay) ?? []
    return kept.map { "app[\($0)].app_store" } + others.map { "app[\($0)].wechat_pay" }
  }
}

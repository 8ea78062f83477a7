package import AppStoreIntegration
package import AppStoreProtocol
package import PaymentEngine
package import PaymentModel
package import PaymentPrimitives
package import WeChatPayIntegration

/// The configuration of one app: what the operator decides, and the access to the stores where it sells.
package struct AppSettings: Sendable {
  package var policy: AppPolicy
  /// Nil if it sells nothing through the App Store.
  package var appStore: AppStoreAccess?
  /// Nil if it sells nothing through WeChat Pay.
  package var weChatPay: WeChatPayAccess?

  package init(_ policy: AppPolicy, appStore: AppStoreAccess? = nil, weChatPay: WeChatPayAccess? = nil) {
    self.policy = policy
    self.appStore = appStore
    self.weChatPay = weChatPay
  }

  /// An app with the required settings and defaults for the rest.
  ///
  /// - Parameter identity: its identifiers at Apple; nil if it sells nothing through the App Store.
  package init(id: AppIdentifier, home: StoreEnvironment, identity: AppIdentity?, catalog: Catalog) {
    self.init(
      AppPolicy(id: id, home: home, catalog: catalog), appStore: identity.map { AppStoreAccess(identity: $0) })
  }

  package var id: AppIdentifier { policy.id }

  /// The policy with what follows from the access: which tasks the engine writes, and which account charges pay.
  package var servedPolicy: AppPolicy {
    var policy = policy
    policy.appStoreTasks = appStore?.server.map { server in
      AppStoreTaskPolicy(
        finishesTransactions: server.finishesTransactions, setsAppAccountToken: server.setsAppAccountToken)
    }
    policy.chargeAccount = weChatPay?.account
    return policy
  }
}

extension AppDirectory {
  /// The policies of configured apps.
  package init(_ settings: [AppSettings]) { self.init(settings.map(\.servedPolicy)) }
}

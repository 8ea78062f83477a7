package import PaymentEngine
package import PaymentPrimitives
package import WeChatPayProtocol

/// The access to an app's merchant account at WeChat Pay.
package struct WeChatPayAccess: Sendable {
  /// The merchant, with the key that signs requests and the newest APIv3 key.
  package var merchant: MerchantCredentials
  /// The merchant with earlier private keys, the newest first: they sign when WeChat Pay does not accept the newer one.
  package var formerMerchants: [MerchantCredentials] = []
  /// Former APIv3 keys: data encrypted with one of them can still be read.
  package var formerAPIv3Keys: [APIv3Key]
  /// The platform keys of the configuration; downloaded certificates are added to them.
  package var platformKeys: PlatformKeyRing
  /// Whether platform certificates are downloaded. New merchants have none, and use the platform public key only.
  package var downloadsCertificates: Bool
  /// WeChat's app id for each trade type that the app uses.
  package var appids: [TradeType: String]
  /// The scheme and host at which WeChat Pay reaches this server: `https://pay.example.com`.
  package var notifyOrigin: String
  /// The hosts to call, the preferred one first.
  package var hosts: [WeChatPayHost]
  /// How long an order can be paid.
  package var orderLifetime: TimeSpan
  /// Whether virtual goods may be sold on iOS by WeChat Pay; Apple's rules forbid it almost everywhere.
  package var sellsVirtualGoodsOnIOS: Bool

  /// Settings with the data that every merchant needs.
  package init(
    merchant: MerchantCredentials, platformKeys: PlatformKeyRing, appids: [TradeType: String], notifyOrigin: String
  ) {
    self.merchant = merchant
    self.formerAPIv3Keys = []
    self.platformKeys = platformKeys
    self.downloadsCertificates = false
    self.appids = appids
    self.notifyOrigin = notifyOrigin
    self.hosts = WeChatPayHost.mainland
    self.orderLifetime = .hours(2)
    self.sellsVirtualGoodsOnIOS = false
  }

  /// The environment of its payments: production only if all hosts are WeChat Pay's own.
  package var environment: StoreEnvironment { WeChatPayHost.environment(of: hosts) }

  /// The merchant with all its private keys, the newest first.
  var allMerchants: [MerchantCredentials] { [merchant] + formerMerchants }

  /// Whether a running client can go on with this access: the same merchant and apps at the same hosts.
  func canFollow(_ running: WeChatPayAccess) -> Bool {
    merchant.mchid == running.merchant.mchid && appids == running.appids && hosts == running.hosts
  }

  /// The URL to which WeChat Pay sends the notifications of an app.
  package func notifyURL(of app: AppIdentifier) -> String { notifyOrigin + "/notifications/wechat-pay/" + app.text }

  /// The account by which an operator's claim recognises a charge as the app's own.
  package var account: ChargeAccount {
    ChargeAccount(
      merchant: merchant.mchid,
      storeApps: Dictionary(uniqueKeysWithValues: appids.map { ($0.key.rawValue, $0.value) }))
  }
}

package import PaymentPrimitives
package import WeChatPayProtocol

/// What the configuration says of an app's merchant account at WeChat Pay.
package struct WeChatPaySettings: Sendable {
  /// The merchant, with the key that requests are signed by and the newest APIv3 key.
  package var merchant: MerchantCredentials
  /// APIv3 keys that were in force before: what was encrypted with one of them can still be read.
  package var formerAPIv3Keys: [APIv3Key]
  /// The platform's keys that the configuration names; downloaded certificates come to them.
  package var platformKeys: PlatformKeyRing
  /// Whether platform certificates are downloaded. New merchants have none, and use the platform public key alone.
  package var downloadsCertificates: Bool
  /// WeChat's app id for each cashier that the app uses.
  package var appids: [TradeType: String]
  /// Scheme and host by which WeChat Pay reaches this server: `https://pay.example.com`.
  package var notifyOrigin: String
  /// The hosts to ask, the preferred one first.
  package var hosts: [WeChatPayHost]
  /// How long an order can be paid.
  package var orderLifetime: TimeSpan
  /// Whether virtual goods may be sold on iOS by WeChat Pay; Apple's rules forbid it almost everywhere.
  package var sellsVirtualGoodsOnIOS: Bool
  /// What the payer reads for a product; without an entry its id.
  package var descriptions: [ProductIdentifier: String]

  /// Settings with what every merchant needs.
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
    self.descriptions = [:]
  }

  /// The world of its payments: production only where all hosts are WeChat Pay's own.
  package var environment: StoreEnvironment { WeChatPayHost.environment(of: hosts) }

  /// Where WeChat Pay sends the notifications of an app.
  package func notifyURL(of app: AppIdentifier) -> String { notifyOrigin + "/notifications/wechat-pay/" + app.text }

  func description(of product: ProductIdentifier) -> String { descriptions[product] ?? product.text }
}

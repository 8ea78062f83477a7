public import PaymentVocabulary
public import WeChatPayProtocol

/// What the configuration says of an app's merchant account at WeChat Pay.
public struct WeChatPaySettings: Sendable {
  /// The merchant, with the key that requests are signed by and the newest APIv3 key.
  public var merchant: MerchantCredentials
  /// APIv3 keys that were in force before: what was encrypted with one of them can still be read.
  public var formerAPIv3Keys: [APIv3Key]
  /// The platform's keys that the configuration names; downloaded certificates come to them.
  public var platformKeys: PlatformKeyRing
  /// Whether platform certificates are downloaded. New merchants have none, and use the platform public key alone.
  public var downloadsCertificates: Bool
  /// WeChat's app id for each cashier that the app uses.
  public var appids: [TradeType: String]
  /// Scheme and host by which WeChat Pay reaches this server: `https://pay.example.com`.
  public var notifyOrigin: String
  /// The hosts to ask, the preferred one first.
  public var hosts: [WeChatPayHost]
  /// How long an order can be paid.
  public var orderLifetime: TimeSpan
  /// Whether virtual goods may be sold on iOS by WeChat Pay; Apple's rules forbid it almost everywhere.
  public var sellsVirtualGoodsOnIOS: Bool
  /// What the payer reads for a product; without an entry its id.
  public var descriptions: [ProductIdentifier: String]

  /// Settings with what every merchant needs.
  public init(
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
  public var environment: StoreEnvironment { WeChatPayHost.environment(of: hosts) }

  /// Where WeChat Pay sends the notifications of an app.
  public func notifyURL(of app: AppIdentifier) -> String { notifyOrigin + "/notifications/wechat-pay/" + app.text }

  /// What the payer reads.
  func description(of product: ProductIdentifier) -> String { descriptions[product] ?? product.text }
}

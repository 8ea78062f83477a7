import Cryptography
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import SigningAuthorities
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

// The fixture of every world as a merchant of WeChat Pay. Its keys are made for tests, once per process for all
// worlds, because making a key takes some tenths of a second.

extension WorldShop {
  static let mchid = "1900000001"
  static let weChatAppId = "wx0000000000000001"
  private static let certificateSerial = "5157F09EFDC096DE15EBE81A47057A7200000001"
  private static let apiV3Key = "an APIv3 key made for tests 32 b"
  private static let merchantKey = RSAPrivateKey(
    randomBytes: Array("a merchant key made for tests: all the worlds".utf8))
  /// The platform keys of the WeChat Pay of all worlds.
  static let platformKeys = PreparedPlatformKeys(testKeySeed: Array(repeating: 0x57, count: 48))
  /// The backend's API key for refunds; made for tests.
  static let backendKey = "cfs_worldbackend_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

  /// The backend's key as the database stores it.
  static var backendKeyRow: APIKey {
    APIKey(
      id: "cfs_worldbackend", app: id, kind: .secret, digest: APIKeyText.digest(of: backendKey), label: "world",
      createdAt: SimulatedWorld.beginning, mayCredit: true, mayGiveEntitlements: true, mayErase: true)
  }

  /// The operator's API key; made for tests.
  static let operatorKey = "cfo_worldmanager_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

  /// The operator's key as the database stores it.
  static var operatorKeyRow: APIKey {
    APIKey(
      id: "cfo_worldmanager", app: id, kind: .operator, digest: APIKeyText.digest(of: operatorKey), label: "world",
      createdAt: SimulatedWorld.beginning)
  }

  /// The merchant as WeChat Pay has it registered.
  static var merchant: SimulatedMerchant {
    guard let certificate = SimulatedMerchant.Certificate(serial: certificateSerial, key: merchantKey.publicKey) else {
      preconditionFailure("the merchant of the world has a wrong serial number")
    }
    return SimulatedMerchant(
      mchid: mchid, certificates: [certificate], testAPIv3Key: apiV3Key, appids: [weChatAppId])
  }

  /// The WeChat Pay settings in the server's configuration.
  static func weChatPay(
    _ platform: (identifier: String, key: RSAPublicKey), _ plan: WeChatPlan
  ) throws -> WeChatPayAccess {
    var ring = PlatformKeyRing(merchantKey: merchantKey.publicKey)
    try ring.add(publicKey: platform.key, identifier: platform.identifier)
    var settings = WeChatPayAccess(
      merchant: try MerchantCredentials(
        mchid: mchid, certificateSerial: certificateSerial, privateKey: merchantKey,
        apiV3Key: try APIv3Key(Secret(apiV3Key.utf8))),
      platformKeys: ring, appids: [.app: weChatAppId], notifyOrigin: serverURL)
    settings.hosts = [WeChatPayHost("http://wechat.one"), WeChatPayHost("http://wechat.two")].compactMap(\.self)
    settings.orderLifetime = plan.orderLifetime
    return settings
  }
}

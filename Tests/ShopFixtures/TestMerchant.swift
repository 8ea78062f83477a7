package import Cryptography
package import HTTPMessages
package import PaymentPrimitives
import SigningAuthorities
import SimulatorCore
package import WeChatPayIntegration
import WeChatPayProtocol
package import WeChatPaySimulator

/// The shop's merchant at WeChat Pay.
package struct TestMerchant: Sendable {
  package static let mchid = "1900000001"
  package static let serial = "5157F09EFDC096DE15EBE81A47057A7200000001"
  package static let apiV3Key = "an APIv3 key made for tests 32 b"
  package static let key = RSAPrivateKey(randomBytes: Array("a merchant key made for tests, 48 bytes of nothing".utf8))
  package static let platformKeys = PreparedPlatformKeys(testKeySeed: Array(1...48))

  /// The platform's keys that the shop knows at the start.
  package enum PlatformKeys: Sendable { case publicKey, certificates, both, bothPublicKeys, secondPublicKey }

  private let key: RSAPrivateKey
  private let appids: [String]
  private let platformKeys: PreparedPlatformKeys

  package init(
    key: RSAPrivateKey = Self.key, appids: [String] = ["wx0000000000000001", "wx0000000000000002"],
    platformKeys: PreparedPlatformKeys = Self.platformKeys
  ) {
    self.key = key
    self.appids = appids
    self.platformKeys = platformKeys
  }

  /// A WeChat Pay that knows the merchant.
  ///
  /// - Parameter exchange: where it sends notifications.
  package func openWeChatPay(in dependencies: Dependencies, notifying exchange: HTTPExchange) async throws
    -> SimulatedWeChatPay
  {
    let weChatPay = try await SimulatedWeChatPay.open(
      log: VolatileSimulatorLog().log, dependencies: dependencies, exchange: exchange, keys: platformKeys)
    let certificate = SimulatedMerchant.Certificate(serial: Self.serial, key: key.publicKey)
    try await weChatPay.control.setMerchant(
      SimulatedMerchant(
        mchid: Self.mchid, certificates: certificate.map { [$0] } ?? [], testAPIv3Key: Self.apiV3Key, appids: appids))
    return weChatPay
  }

  /// The shop's access to a WeChat Pay, at two hosts.
  package func access(to weChatPay: SimulatedWeChatPay, knowing platformKey: PlatformKeys = .publicKey) async throws
    -> WeChatPayAccess
  {
    let (identifier, publicKey) = await weChatPay.platformPublicKey()
    var keyRing = PlatformKeyRing(merchantKey: key.publicKey)
    if platformKey == .bothPublicKeys || platformKey == .secondPublicKey {
      let second = await weChatPay.platformPublicKey(.secondPublicKey)
      try keyRing.add(publicKey: second.key, identifier: second.identifier)
    }
    if platformKey != .certificates, platformKey != .secondPublicKey {
      try keyRing.add(publicKey: publicKey, identifier: identifier)
    }
    var access = WeChatPayAccess(
      merchant: try MerchantCredentials(
        mchid: Self.mchid, certificateSerial: Self.serial, privateKey: key,
        apiV3Key: try APIv3Key(Secret(Self.apiV3Key.utf8))),
      platformKeys: keyRing,
      appids: [
        .app: "wx0000000000000001", .jsapi: "wx0000000000000002", .h5: "wx0000000000000001",
        .native: "wx0000000000000001",
      ], notifyOrigin: "https://pay.example.com")
    access.downloadsCertificates = platformKey == .certificates || platformKey == .both
    access.hosts = [WeChatPayHost("http://wechat.one"), WeChatPayHost("http://wechat.two")].compactMap(\.self)
    return access
  }
}

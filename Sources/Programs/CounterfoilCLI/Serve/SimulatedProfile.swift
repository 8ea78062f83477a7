package import AppStoreProtocol
package import Cryptography
import PaymentDatabase
import PaymentEngine
package import PaymentModel
package import PaymentPrimitives
import PaymentServer
package import ServerConfiguration
import StrictJSON

/// The ready-made shop of `counterfoil-lab run`: one app, four products, secrets made on the spot, all in one folder.
package enum SimulatedProfile {
  /// The default folder, if `--data` is not set.
  package static let folder = "data"
  package static let app: AppIdentifier = "demo"
  /// The app's identity at the simulated App Store.
  package static let identity = AppIdentity(bundleId: "com.example.demo", appAppleId: 1_000_000_001)
  /// The key for the signatures of the app's user tokens.
  package static let tokenKey: CredentialIdentifier = "demo-1"

  /// The products: one of each kind.
  package static let products: [Product] = [
    Product(
      id: "coins.100", kind: .consumable, grant: .units("coin", perPiece: 100),
      appStoreProducts: ["com.example.demo.coins100"], weChatPrice: Money(minorUnits: 600, currency: .cny)),
    Product(
      id: "premium", kind: .nonConsumable, grant: .entitlement("premium", period: nil),
      appStoreProducts: ["com.example.demo.premium"], weChatPrice: Money(minorUnits: 9800, currency: .cny)),
    Product(
      id: "club.monthly", kind: .autoRenewable, grant: .entitlement("club", period: nil),
      appStoreProducts: ["com.example.demo.club.monthly"]),
    Product(
      id: "season", kind: .nonRenewing, grant: .entitlement("season", period: .days(90)),
      appStoreProducts: ["com.example.demo.season"]),
  ]

  /// The descriptions that payers read in WeChat's cashier.
  private static let weChatDescriptions: [ProductIdentifier: String] = ["coins.100": "100 金币", "premium": "高级版"]

  package static func database(in folder: String) -> String { folder + "/counterfoil.db" }
  package static func simulatorLog(in folder: String) -> String { folder + "/simulator.log" }
  package static func root(in folder: String) -> String { folder + "/simulator-root.pem" }
  package static func tokenSecret(in folder: String) -> String { folder + "/user-token.secret" }
  package static func keys(in folder: String) -> String { folder + "/keys.json" }

  /// The configuration of a fixture that was started before; nil if there is none.
  package static func existing(in folder: String, _ platform: Platform) throws -> ServerConfiguration? {
    guard let secret = try platform.files.read(tokenSecret(in: folder), 4096),
      let root = try platform.files.read(root(in: folder), 64 << 10)
    else { return nil }
    return try configuration(
      in: folder, tokenSecret: secret, roots: try X509Certificate.certificates(inFile: root))
  }

  /// The configuration of a fixture with a simulator that signs under a root; creates missing files in its folder.
  package static func prepare(
    in folder: String, root: X509Certificate, _ platform: Platform
  ) throws -> ServerConfiguration {
    let path = tokenSecret(in: folder)
    let secret: [UInt8]
    if let kept = try platform.files.read(path, 4096) {
      secret = kept
    } else {
      secret = Array(Base64URL.encode(platform.dependencies.randomBytes(48)).utf8)
      try platform.files.replace(path, secret)
    }
    try platform.files.replace(
      self.root(in: folder), Array(PEM.text(label: "CERTIFICATE", bytes: root.der).utf8))
    return try configuration(in: folder, tokenSecret: secret, roots: [root])
  }

  private static func configuration(
    in folder: String, tokenSecret: [UInt8], roots: [X509Certificate]
  ) throws -> ServerConfiguration {
    var settings = AppSettings(
      id: app, home: .simulated, identity: identity, catalog: try Catalog(products))
    settings.policy.referenceFromApp = true
    settings.policy.descriptions = weChatDescriptions
    // Only a key that was made with the permission gives any.
    settings.policy.credits = [CreditCeiling(unit: "coin", perUserAndDay: 1000)]
    return ServerConfiguration(
      profile: .simulated, listen: ListenSettings(address: "127.0.0.1", port: 8080),
      database: .file(database(in: folder)), apps: [settings],
      userTokenKeys: [tokenKey: try UserTokenKey(app: app, method: .hs256(Secret(tokenSecret)))],
      trust: SignedDataConfiguration(profile: .development, anchors: roots))
  }
}

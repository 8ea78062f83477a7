import CounterfoilCLI
import Cryptography
import PaymentEngine
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

/// A simulated WeChat Pay assembled over a log file, with its interfaces and one merchant. The merchant's keys are in a
/// folder, as the merchant platform would issue them.
struct WeChatPayAssembly: Sendable {
  let service: SimulatedWeChatPay
  let face: WeChatPaySimulatorAPI

  /// The merchant number of the ready-made merchant.
  static let mchid = "1900000001"
  /// The merchant's app ids: one for apps, one for mini programs.
  static let appids = ["wx0000000000000001", "wx0000000000000002"]

  static func log(in folder: String) -> String { folder + "/wechat-pay.log" }
  /// The folder of the files that the merchant platform would issue.
  static func place(in folder: String) -> String { folder + "/wechat-pay" }
  static func privateKey(in folder: String) -> String { place(in: folder) + "/apiclient_key.pem" }
  static func certificate(in folder: String) -> String { place(in: folder) + "/apiclient_cert.pem" }
  static func apiV3Key(in folder: String) -> String { place(in: folder) + "/apiv3.key" }
  static func publicKey(in folder: String) -> String { place(in: folder) + "/pub_key.pem" }
  static func facts(in folder: String) -> String { place(in: folder) + "/merchant.json" }

  /// Opens a simulator on the log of a folder. A new log begins with a merchant; its files are written there.
  static func open(in folder: String, _ platform: Platform, report: @escaping Log) async throws -> WeChatPayAssembly {
    let (lines, append) = try platform.files.openLog(log(in: folder))
    let service = try await SimulatedWeChatPay.open(
      log: SimulatorLog(append: { try append($0) }, readAll: { lines }), dependencies: platform.dependencies,
      exchange: try platform.exchange(.anywhere), report: report)
    let isKnown = await service.merchants().contains { $0.mchid == mchid }
    if try platform.files.read(facts(in: folder), 64 << 10) == nil || !isKnown {
      try await prepare(service, in: folder, isKnown: isKnown, platform)
    }
    return WeChatPayAssembly(service: service, face: WeChatPaySimulatorAPI(service))
  }

  /// The facts are written last: if a start was killed before, the next one writes everything again.
  private static func prepare(
    _ service: SimulatedWeChatPay, in folder: String, isKnown: Bool, _ platform: Platform
  ) async throws {
    guard let kit = service.platform.merchantKit(mchid: mchid, appids: appids) else {
      throw CommandFailure("the number of the ready-made merchant is none.")
    }
    if !isKnown { try await service.control.setMerchant(kit.merchant) }
    let weChatPayKey = await service.platformPublicKey()
    try platform.files.makeFolder(place(in: folder))
    try platform.files.replace(privateKey(in: folder), Array(kit.testPrivateKeyPEM.utf8))
    try platform.files.replace(certificate(in: folder), Array(kit.certificatePEM.utf8))
    try platform.files.replace(apiV3Key(in: folder), Array(kit.testAPIv3Key.utf8))
    try platform.files.replace(
      publicKey(in: folder), Array(PEM.text(label: "PUBLIC KEY", bytes: weChatPayKey.key.spki).utf8))
    let facts = JSONValue.members([
      ("mchid", .string(mchid)), ("certificateSerial", .string(kit.certificateSerial)),
      ("appids", .array(appids.map { .string($0) })), ("publicKeyId", .string(weChatPayKey.identifier)),
    ])
    try platform.files.replace(self.facts(in: folder), facts.bytes + [0x0A])
  }

  /// Sends the ready-made merchant's notifications to a server on this machine, whatever host they name.
  func sendNotifications(to origin: String) async throws {
    guard var merchant = await service.merchants().first(where: { $0.mchid == Self.mchid }) else { return }
    merchant.notificationOrigin = origin
    try await service.control.setMerchant(merchant)
  }

  /// The server settings for the ready-made merchant, from the files in the folder.
  ///
  /// - Parameter origin: the address where this simulator listens.
  static func settings(in folder: String, origin: String, _ platform: Platform) throws -> WeChatPayAccess {
    func file(_ path: String) throws -> [UInt8] {
      guard let bytes = try platform.files.read(path, 64 << 10) else {
        throw CommandFailure("there is no file \(path).")
      }
      return bytes
    }
    guard let host = WeChatPayHost(origin),
      let certificate = try X509Certificate.certificates(inFile: file(certificate(in: folder))).first
    else { throw CommandFailure("the files of the simulated merchant in \(place(in: folder)) are damaged.") }
    let facts = try JSONFields(JSONReader.read(file(facts(in: folder))))
    let key = try RSAPrivateKey(file: Secret(file(privateKey(in: folder))))
    var keyRing = PlatformKeyRing(merchantKey: key.publicKey)
    try keyRing.add(
      publicKey: RSAPublicKey(file: file(publicKey(in: folder))),
      identifier: facts.string("publicKeyId", bytesMax: 64))
    var settings = WeChatPayAccess(
      merchant: try MerchantCredentials(
        mchid: mchid, certificate: certificate, privateKey: key,
        apiV3Key: APIv3Key(Secret(file(apiV3Key(in: folder))))),
      platformKeys: keyRing,
      appids: [.app: appids[0], .h5: appids[0], .native: appids[0], .jsapi: appids[1]], notifyOrigin: notifyOrigin)
    settings.hosts = [host]
    settings.downloadsCertificates = true
    return settings
  }

  /// WeChat Pay accepts only https; the simulator still sends to the server on this machine.
  static let notifyOrigin = "https://counterfoil.invalid"

  /// The same settings as a configuration file; paths are relative to its folder.
  static func configuration(origin: String, publicKeyIdentifier: String) -> String {
    """

    [app.wechat_pay]
    mchid = "\(mchid)"
    private_key = { file = "wechat-pay/apiclient_key.pem" }
    certificate_file = "wechat-pay/apiclient_cert.pem"
    api_v3_keys = [{ file = "wechat-pay/apiv3.key" }]
    appid = "\(appids[0])"
    appids = { jsapi = "\(appids[1])" }
    notify_origin = "\(notifyOrigin)"
    platform_certificates = "download"
    hosts = ["\(origin)"]

    [[app.wechat_pay.public_key]]
    id = "\(publicKeyIdentifier)"
    file = "wechat-pay/pub_key.pem"

    """
  }

  /// Sends notifications until the task is cancelled.
  func run() async { await NotificationSender(service).run() }
}

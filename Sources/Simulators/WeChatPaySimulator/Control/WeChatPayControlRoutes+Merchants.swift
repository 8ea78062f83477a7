import Cryptography
import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import WeChatPayProtocol

extension WeChatPayControlRoutes {
  static let overview: [WeChatPayControlRoute] = [
    WeChatPayControlRoute("GET", "", summary: "Lists all calls, with the time.") {
      call throws(CodedError<WeChatPaySimulatorErrorCode>) in
      call.answer(
        .members([
          ("simulator", "WeChat Pay"), ("now", .string(await call.service.now().iso8601)),
          ("publicKeyId", .string(call.service.platform.publicKeyIdentifier)),
          ("calls", WeChatPaySimulatorAPI.table.json),
        ]))
    },
    WeChatPayControlRoute("GET", "/keys", summary: "The platform's keys, and which of them sign.") {
      call throws(CodedError<WeChatPaySimulatorErrorCode>) in
      call.answer(await keys(call.service))
    },
    WeChatPayControlRoute(
      "PUT", "/keys", summary: "Changes which kinds of keys there are, and which of them sign.",
      takes: [
        ("mode?", "mixed, certificates, publicKey or certificatesExpired"),
        ("notifications?", "{from, to?, permille?, since?}: keys by name; since (milliseconds) lets it go on by day"),
        ("answers?", "the same for answers"),
      ]
    ) { call throws(CodedError<WeChatPaySimulatorErrorCode>) in
      let (mode, notifications, answers) = try call.read { fields throws(JSONFieldError) in
        (
          try fields.optionallyConverted("mode", "the name of a mode", PlatformKeyPolicy.Mode.init(rawValue:)),
          try signing(fields, "notifications"), try signing(fields, "answers")
        )
      }
      try await call.service.control.setKeyPolicy(mode: mode, notifications: notifications, answers: answers)
      return call.answer(await keys(call.service))
    },
    WeChatPayControlRoute(
      "POST", "/keys/certificates", summary: "Issues another platform certificate; it signs nothing yet."
    ) {
      call throws(CodedError<WeChatPaySimulatorErrorCode>) in
      let name = try await call.service.control.issueCertificate()
      return call.answer(.members([("name", .string(name.text))]), status: 201)
    },
    WeChatPayControlRoute(
      "POST", "/keys/public-keys",
      summary: "Makes a second public key; it signs nothing yet, unless a request names it."
    ) {
      call throws(CodedError<WeChatPaySimulatorErrorCode>) in
      let name = try await call.service.control.issuePublicKey()
      let (identifier, key) = await call.service.platformPublicKey(name)
      let pem = PEM.text(label: "PUBLIC KEY", bytes: key.spki)
      return call.answer(
        .members([("name", .string(name.text)), ("id", .string(identifier)), ("publicKey", .string(pem))]), status: 201)
    },
    WeChatPayControlRoute(
      "GET", "/public-key.pem", summary: "The platform public key, as the merchant platform gives it."
    ) {
      call throws(CodedError<WeChatPaySimulatorErrorCode>) in
      let pem = PEM.text(label: "PUBLIC KEY", bytes: await call.service.platformPublicKey().key.spki)
      return HTTPResponse(status: 200, fields: ["Content-Type": "application/x-pem-file"], body: Array(pem.utf8))
    },
  ]

  private static func signing(
    _ fields: JSONFields, _ name: String
  ) throws(JSONFieldError) -> PlatformKeyPolicy.Signing? {
    guard let fields = try fields.optionalFields(name) else { return nil }
    return try PlatformKeyPolicy.Signing(fields)
  }

  private static func keys(_ service: SimulatedWeChatPay) async -> JSONValue {
    let certificates = await service.platformCertificates()
    let publicKey = await service.platformPublicKey()
    return .members([
      ("policy", await service.keyPolicy().json), ("publicKeyId", .string(publicKey.identifier)),
      ("publicKey", .string(PEM.text(label: "PUBLIC KEY", bytes: publicKey.key.spki))),
      (
        "certificates",
        .array(
          certificates.map {
            .members([
              ("serial", .string(CertificateSerial(of: $0).text)),
              ("certificate", .string(PEM.text(label: "CERTIFICATE", bytes: $0.der))),
            ])
          })
      ),
    ])
  }

  static let merchants: [WeChatPayControlRoute] = [
    WeChatPayControlRoute("GET", "/merchants", summary: "All merchants.") {
      call throws(CodedError<WeChatPaySimulatorErrorCode>) in
      call.answer(.members([("merchants", .array(await call.service.merchants().map(\.json)))]))
    },
    WeChatPayControlRoute(
      "PUT", "/merchants/{mchid}", summary: "Adds a merchant, or replaces its data.",
      takes: [
        ("certificates", "[{certificate}] or [{serial, publicKey}], as PEM"), ("testAPIv3Key?", "32 bytes"),
        ("appids", "the app ids bound to the merchant"), ("isActive?", "otherwise true"),
        ("mayRefund?", "otherwise true"),
        ("notificationOrigin?", "where the merchant's notifications go instead of their own scheme and host"),
        ("keyMode?", "mixed, certificates, publicKey or certificatesExpired, for this merchant alone"),
        ("refundNotifyURL?", "where refunds without notify_url are told, as set in the merchant platform"),
      ]
    ) { call throws(CodedError<WeChatPaySimulatorErrorCode>) in
      let merchant = try call.read { fields throws(JSONFieldError) in try SimulatedMerchant(fields) }
      try await call.service.control.setMerchant(merchant)
      return call.answer(merchant.json)
    },
    WeChatPayControlRoute(
      "POST", "/merchants/{mchid}/kit", summary: "Makes a merchant with key, certificate and APIv3 key, all for tests.",
      takes: [("appids", "the app ids bound to the merchant"), ("notificationOrigin?", "as above")]
    ) { call throws(CodedError<WeChatPaySimulatorErrorCode>) in
      let (appids, origin) = try call.read { fields throws(JSONFieldError) in
        (
          try fields.strings("appids", countMax: WeChatPaySimulatorLimits.appidsMax, bytesMax: 32),
          try fields.optionallyConverted("notificationOrigin", "scheme and host without a path") {
            WeChatPayHost($0)?.origin
          }
        )
      }
      let mchid = call.parameters["mchid"] ?? ""
      guard let kit = call.service.platform.merchantKit(mchid: mchid, appids: appids) else {
        throw CodedError(.fieldInvalid, "mchid must be 1 to 32 digits.")
      }
      var merchant = kit.merchant
      merchant.notificationOrigin = origin
      try await call.service.control.setMerchant(merchant)
      return call.answer(
        .members([
          ("mchid", .string(mchid)), ("certificateSerial", .string(kit.certificateSerial)),
          ("certificate", .string(kit.certificatePEM)), ("testPrivateKey", .string(kit.testPrivateKeyPEM)),
          ("testAPIv3Key", .string(kit.testAPIv3Key)),
        ]), status: 201)
    },
  ]
}

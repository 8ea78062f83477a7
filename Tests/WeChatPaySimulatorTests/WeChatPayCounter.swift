import Cryptography
import HTTPMessages
import PaymentPrimitives
import SigningAuthorities
import SimulatorCore
import StrictJSON
import TestDoubles
import WeChatPayProtocol
import WeChatPaySimulator

/// A simulated WeChat Pay with one merchant, who calls it with the client's own codec; time stands still until a test
/// moves it.
struct WeChatPayCounter {
  static let mchid = "1900007291"
  static let appid = "wx2421b1c4370ec43b"
  static let payer = "oUpF8uMuAJO_M2pxb1Q9zNjWeS6o"
  static let apiV3KeyMadeForTests = "0123456789abcdefghijklmnopqrstuv"
  static let keyMadeForTests = RSAPrivateKey(randomBytes: Array("a merchant's key made for tests, worth nothing".utf8))
  static let platformKeys = PreparedPlatformKeys(testKeySeed: Array(1...48), certificates: 4)
  static let serial = "408B07E79B8269FEC3D5D3E6AB8ED163A6A380DB"
  static let notifyURL = "https://pay.example.com/notifications/wechat-pay/demo"
  /// Friday, 16:53:20 in Beijing.
  static let beginning = Timestamp(seconds: 1_760_000_000)

  let service: SimulatedWeChatPay
  let lines: VolatileSimulatorLog
  let time: ManualTime
  let server: StandInServer
  let chance: SeededBytes
  let merchant: MerchantCredentials
  var keys: PlatformKeyRing
  let publicKeyIdentifier: String

  init(
    lines: VolatileSimulatorLog = VolatileSimulatorLog(), time: ManualTime = ManualTime(Self.beginning),
    server: StandInServer = StandInServer(), seed: UInt64 = 1, log: SimulatorLog? = nil
  ) async throws {
    let chance = SeededBytes(seed: seed)
    let dependencies = Dependencies(
      now: { time.now }, randomBytes: { chance.bytes($0) }, sleep: { try await time.sleep($0) })
    service = try await SimulatedWeChatPay.open(
      log: log ?? lines.log, dependencies: dependencies, exchange: server.exchange, keys: Self.platformKeys)
    self.lines = lines
    self.time = time
    self.server = server
    self.chance = chance
    let key = try APIv3Key(Secret(Self.apiV3KeyMadeForTests.utf8))
    merchant = try MerchantCredentials(
      mchid: Self.mchid, certificateSerial: Self.serial, privateKey: Self.keyMadeForTests, apiV3Key: key)
    let platform = await service.platformPublicKey()
    publicKeyIdentifier = platform.identifier
    keys = PlatformKeyRing(merchantKey: Self.keyMadeForTests.publicKey)
    try keys.add(publicKey: platform.key, identifier: platform.identifier)
    for certificate in await service.platformCertificates() { try keys.add(certificate: certificate) }
    if await service.merchants().isEmpty { try await service.control.setMerchant(Self.simulated) }
  }

  static var simulated: SimulatedMerchant {
    SimulatedMerchant(
      mchid: mchid, certificates: [.init(serial: serial, key: keyMadeForTests.publicKey)].compactMap { $0 },
      testAPIv3Key: apiV3KeyMadeForTests, appids: [appid])
  }

  func restarted() async throws -> WeChatPayCounter {
    try await WeChatPayCounter(lines: lines, time: time, server: server, seed: 77)
  }

  // MARK: requests

  func request<Answer>(
    _ call: WeChatPayCall<Answer>, host: WeChatPayHost = .primary, at moment: Timestamp? = nil,
    platformKey: PlatformKeyIdentifier? = nil
  ) -> HTTPRequest {
    call.request(
      by: merchant, to: host, platformKey: platformKey ?? .publicKey(publicKeyIdentifier), at: moment ?? time.now,
      nonce: Nonce.text(randomBytes: chance.bytes(32)))
  }

  func ask<Answer>(
    _ call: WeChatPayCall<Answer>, host: WeChatPayHost = .primary
  ) async -> WeChatPayOutcome<Answer> {
    do throws(HTTPExchangeError) {
      let response = try await service.api.network.send(request(call, host: host), call.timeLimit)
      return call.outcome(of: response, keys: keys, at: time.now)
    } catch { return WeChatPayOutcome(error) }
  }

  /// Sends bytes that our codec would never make, with a correct signature.
  func ask(_ method: String, _ target: String, body: String = "") async -> HTTPResponse {
    let bytes = Array(body.utf8)
    let signature = merchant.authorization(
      method: method, target: target, body: bytes, at: time.now, nonce: Nonce.text(randomBytes: chance.bytes(32)))
    var fields: HTTPFields = [
      "User-Agent": "test", "Accept": "application/json", "Authorization": signature.authorization,
    ]
    if method == "POST" { fields.add("Content-Type", "application/json") }
    return await service.api.respond(to: HTTPRequest(method, target, fields: fields, body: bytes))
  }

  // MARK: orders

  static func order(
    _ number: String = "ORD20251009000001", total: Int64 = 600, _ cashier: PrepayOrder.Cashier = .app
  ) -> PrepayOrder {
    var order = PrepayOrder(
      appid: appid, mchid: mchid, description: "测试商品-钻石x60", outTradeNo: number, notifyURL: notifyURL, total: total,
      cashier: cashier)
    order.attach = "demo"
    return order
  }

  func prepay(_ order: PrepayOrder = order()) async throws -> WeChatPayOutcome<PrepayAnswer> {
    await ask(try .prepay(order))
  }

  func prepayId(_ order: PrepayOrder = order()) async throws -> String {
    guard case .prepayId(let id) = try await prepay(order).answer else { throw Missing(what: "a prepay id") }
    return id
  }

  func query(_ number: String = "ORD20251009000001") async -> WeChatPayOutcome<PaymentTransaction> {
    await ask(.transaction(outTradeNo: number, mchid: Self.mchid))
  }

  func close(_ number: String = "ORD20251009000001") async -> WeChatPayOutcome<CloseAccepted> {
    await ask(.close(outTradeNo: number, mchid: Self.mchid))
  }

  /// The parameters that the app gives to WeChat for a prepay id.
  func handOver(_ prepayId: String) throws -> CashierVisit {
    let order = OrderIdentifier(version7At: time.now, random: chance.bytes(10))
    let parameters = AppPaymentParameters(
      merchant: merchant, appId: Self.appid, prepayId: prepayId, order: order, at: time.now, nonce: "N0NCE")
    return .app(try CashierVisit.AppHandOver(parameters.json))
  }

  /// Opens an order and pays it.
  @discardableResult
  func paid(_ number: String = "ORD20251009000001", total: Int64 = 600) async throws -> PaymentTransaction {
    let visit = try handOver(try await prepayId(Self.order(number, total: total)))
    guard try await service.cashier.visit(visit, openid: Self.payer, .pay).errCode == 0 else {
      throw Missing(what: "a payment")
    }
    guard let transaction = await query(number).answer else { throw Missing(what: "an answer") }
    return transaction
  }

  func refundOrder(_ number: String, _ amount: Int64, total: Int64 = 600) -> RefundOrder {
    RefundOrder(
      charge: .outTradeNo("ORD20251009000001"), outRefundNo: number, notifyURL: Self.notifyURL, refund: amount,
      total: total)
  }

  // MARK: notifications

  /// Sends the due notifications, and reads each received one as a server does.
  func delivered() async throws -> [Result<WeChatPayNotification, NotificationFailure>] {
    await server.forget()
    await NotificationSender(service).sendDue()
    return await server.requests.map { read($0) }
  }

  /// The first of the delivered notifications.
  func firstDelivered() async throws -> Result<WeChatPayNotification, NotificationFailure> {
    guard let first = try await delivered().first else { throw Missing(what: "a notification") }
    return first
  }

  func read(_ request: HTTPRequest) -> Result<WeChatPayNotification, NotificationFailure> {
    do throws(NotificationFailure) {
      return .success(
        try WeChatPayNotification(
          fields: request.fields, body: request.body, keys: keys, apiV3Key: merchant.apiV3Key, at: time.now))
    } catch { return .failure(error) }
  }

  struct Missing: Error { let what: String }
}

extension WeChatPayOutcome {
  /// WeChat Pay's error code in a verified refusal, or in an answer that leaves the outcome open.
  var error: WeChatPayError? {
    switch result {
    case .refused(let error), .unknown(.undecided(let error)): error
    default: nil
    }
  }

  var uncertainty: WeChatPayUncertainty? {
    guard case .unknown(let uncertainty) = result else { return nil }
    return uncertainty
  }
}

extension HTTPResponse {
  var json: JSONValue? { try? JSONReader.read(body) }
  var word: String? { json?["code"]?.string }
}

import CounterfoilCLI
import Cryptography
import HTTPMessages
import PaymentPrimitives
import ShopFixtures
import SigningAuthorities
import SimulationKit
import SimulatorCore
import StrictJSON
import Synchronization
import WeChatPayProtocol
import WeChatPaySimulator

/// What was printed, and the handler that listens.
final class DoctorDesk: Sendable {
  struct State {
    var output = ""
    var errors = ""
    var handler: HTTPHandler?
    var stop: AsyncStream<Void>.Continuation?
  }

  let state = Mutex(State())
  var output: String { state.withLock { $0.output } }
  var errors: String { state.withLock { $0.errors } }

  func listener() -> Listener {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    state.withLock { $0.stop = continuation }
    return Listener(
      address: "127.0.0.1", port: 8080, run: { for await _ in stream {} }, stop: { continuation.finish() })
  }

  /// The connection from WeChat Pay to the handler that listens.
  var exchange: HTTPExchange {
    HTTPExchange { [self] request, _ throws(HTTPExchangeError) in
      guard let handler = state.withLock({ $0.handler }) else { throw .unreachable("nobody listens") }
      var request = request
      request.target = "/" + request.target.split(separator: "/").dropFirst(2).joined(separator: "/")
      return await handler(request, "101.226.103.1")
    }
  }
}

/// A merchant's configuration, and a simulated WeChat Pay. The doctor examines them.
struct DoctorFixture {
  static let merchantKey = RSAPrivateKey(randomBytes: Array("a merchant key made for tests: doctor".utf8))
  static let strangeKey = RSAPrivateKey(randomBytes: Array("another key made for tests: doctor".utf8))
  private static let merchant = TestMerchant(
    key: merchantKey, appids: ["wx0000000000000001"], platformKeys: PreparedPlatformKeys(testKeySeed: Array(2...49)))

  private let simulator = SimulatorFixture("doctor")
  let weChatPay: SimulatedWeChatPay
  let desk = DoctorDesk()
  let identifier: String
  let platformKey: RSAPublicKey
  var privateKey = DoctorFixture.merchantKey
  var serial = TestMerchant.serial
  var apiV3Key = TestMerchant.apiV3Key
  var usesPublicKey = true
  var isTaken = false
  var language = "en_US.UTF-8"
  /// The metrics of a server that already runs, one text after the other.
  var metrics: [String] = []

  init() throws {
    let dependencies = simulator.dependencies
    let exchange = desk.exchange
    let sender = try simulator.perform {
      try await Self.merchant.openWeChatPay(in: dependencies, notifying: exchange)
    }
    weChatPay = sender
    (identifier, platformKey) = try simulator.perform { await sender.platformPublicKey() }
    process.spawn { await NotificationSender(sender).run() }
  }

  var world: SimulatedWorld { simulator.world }
  var process: SimulatedProcess { simulator.process }

  private var toml: String {
    """
    profile = "simulated"
    [[app]]
    id = "shop"
    [[app.product]]
    id = "coins.100"
    kind = "consumable"
    units = { unit = "coin", amount = 100 }
    wechat_price_fen = 600
    [app.wechat_pay]
    mchid = "1900000001"
    private_key = { file = "merchant.pem" }
    certificate_serial = "\(serial)"
    api_v3_keys = [{ environment = "API_V3_KEY" }]
    appid = "wx0000000000000001"
    notify_origin = "https://pay.example.com"
    hosts = ["http://wechat.one", "http://wechat.two"]

    """ + (usesPublicKey ? "[[app.wechat_pay.public_key]]\nid = \"\(identifier)\"\nfile = \"platform.pem\"\n" : "")
  }

  private static func pem(_ label: String, _ der: [UInt8]) -> [UInt8] { Array(PEM.text(label: label, bytes: der).utf8) }

  func plan(_ faults: PlannedFault...) throws {
    let weChatPay = weChatPay
    try world.perform(in: process) { for fault in faults { try await weChatPay.control.plan(fault) } }
  }

  func turn(_ behaviour: WeChatPayBehaviour, to value: Int64) throws {
    let weChatPay = weChatPay
    try world.perform(in: process) { try await weChatPay.setBehaviour(behaviour, to: value) }
  }

  func setMode(_ mode: PlatformKeyPolicy.Mode) throws {
    let weChatPay = weChatPay
    try world.perform(in: process) {
      try await weChatPay.control.setKeyPolicy(
        mode: mode, notifications: mode == .certificates ? PlatformKeyPolicy.Signing(.certificate(1)) : nil)
    }
  }

  /// A customer buys something from the merchant, so that there is a bill.
  func sell() throws {
    let merchant = try MerchantCredentials(
      mchid: "1900000001", certificateSerial: serial, privateKey: privateKey,
      apiV3Key: try APIv3Key(Secret(apiV3Key.utf8)))
    let (weChatPay, dependencies) = (weChatPay, process.dependencies())
    try world.perform(in: process) {
      let body = try PrepayOrder(
        appid: "wx0000000000000001", mchid: "1900000001", description: "测试", outTradeNo: "DOCTOR0001",
        notifyURL: "https://pay.example.com/none", total: 100, cashier: .native
      ).body()
      let request = WeChatPayCall<PrepayAnswer>.prepay(.native, body: body).request(
        by: merchant, to: WeChatPayHost.primary, platformKey: nil, at: dependencies.now(),
        nonce: Nonce.text(randomBytes: dependencies.randomBytes(32)))
      let answer = try await weChatPay.api.network.send(request, .seconds(5))
      let code = try JSONReader.read(answer.body)["code_url"]?.string ?? ""
      let result = try await weChatPay.cashier.visit(.native(codeURL: code), openid: "o-1", .pay)
      guard result.reason == nil else { throw CancellationError() }
    }
  }

  /// Runs the doctor: the exit code, and outcomes by check (and subject).
  func examine(_ arguments: [String] = []) throws -> (code: Int32, found: [String: String], causes: [String: JSONValue])
  {
    let platform = platform
    let code = try world.perform(in: process) {
      await CommandLineProgram.counterfoil.run(
        arguments: ["doctor", "--config", "c.toml", "--json"] + arguments, platform: platform)
    }
    var found: [String: String] = [:]
    var causes: [String: JSONValue] = [:]
    for line in desk.output.split(separator: "\n") {
      let json = try JSONReader.read(line.utf8)
      let name = (json["check"]?.string ?? "") + (json["subject"]?.string.map { " " + $0 } ?? "")
      found[name] = json["outcome"]?.string
      causes[name] = json
    }
    return (code, found, causes)
  }

  func run(_ arguments: [String]) throws -> Int32 {
    let platform = platform
    return try world.perform(in: process) {
      await CommandLineProgram.counterfoil.run(arguments: arguments, platform: platform)
    }
  }

  private var platform: Platform {
    struct Closed: Error {}
    let files = [
      "c.toml": Array(toml.utf8), "merchant.pem": Self.pem("PRIVATE KEY", privateKey.pkcs8.withBytes { Array($0) }),
      "platform.pem": Self.pem("PUBLIC KEY", platformKey.spki),
    ]
    let variables = ["API_V3_KEY": apiV3Key, "LANG": language]
    let (desk, isTaken, network) = (desk, isTaken, weChatPay.api.network)
    let metrics = Mutex(metrics)
    let told = Told(metrics.withLock { $0 })
    return Platform(
      dependencies: process.dependencies(), monotonicNanoseconds: { 0 }, processorNanoseconds: { 0 },
      files: FileSystem(
        read: { path, _ in files[path] }, replace: { _, _ in }, remove: { _ in },
        makeFolder: { _ in throw Closed() }, names: { _ in throw Closed() }, openLog: { _ in throw Closed() }),
      environment: { variables[$0] }, print: { text in desk.state.withLock { $0.output += text } }, isTerminal: false,
      printError: { text in desk.state.withLock { $0.errors += text } },
      listen: { _, handler in
        guard !isTaken else { throw Closed() }
        desk.state.withLock { $0.handler = handler }
        return desk.listener()
      },
      exchange: { _ in
        HTTPExchange { request, limit throws(HTTPExchangeError) in
          guard request.target.hasSuffix("/metrics") else { return try await network.send(request, limit) }
          guard let text = told.next() else { throw .unreachable("no server") }
          return HTTPResponse(status: 200, fields: ["Content-Type": "text/plain"], body: Array(text.utf8))
        }
      },
      shutdown: { AsyncStream { $0.finish() } }, startSelf: { _, _ in throw Closed() }, programName: "counterfoil")
  }
}

/// Returns texts one after the other, and repeats the last one.
private final class Told: Sendable {
  private let texts: Mutex<[String]>
  init(_ texts: [String]) { self.texts = Mutex(texts) }
  func next() -> String? { texts.withLock { $0.count > 1 ? $0.removeFirst() : $0.first } }
}

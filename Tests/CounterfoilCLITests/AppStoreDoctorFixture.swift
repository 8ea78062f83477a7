import AppStoreProtocol
import AppStoreSimulator
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

/// An app with its key for Apple's servers, and a simulated App Store for both environments. The doctor examines them.
struct AppStoreDoctorFixture {
  static let bundleId = "com.example.shop"
  static let strangeKey = ECDSAPrivateKey(
    curve: .p256, randomBytes: Array("another In-App Purchase key made for tests: doctor".utf8))

  private let simulator = SimulatorFixture("doctor")
  let apple: SimulatedAppStore
  let way = NotificationWay()
  /// The `[app.app_store]` table; nil where there is none.
  var table: String?
  var head = "bundle_id = \"\(AppStoreDoctorFixture.bundleId)\"\napp_apple_id = 41234\n"
  var privateKey: ECDSAPrivateKey
  var skew = TimeSpan.zero
  var trustsRoot = true
  /// `ocsp` of `[app_store]`; nil where there is none.
  var ocsp: String?
  /// Whether Apple's answers state the time.
  var saysTime = true
  var language = "en_US.UTF-8"

  init(notificationURL: String? = "https://pay.example.com/notifications/app-store") throws {
    let (dependencies, exchange) = (simulator.dependencies, way.exchange)
    let apple = try simulator.perform {
      let apple = try await SimulatedAppStore.open(in: dependencies, notifying: exchange)
      try await apple.catalog.setApp(
        SimulatedApp(bundleId: Self.bundleId, appAppleId: 41234, notificationURL: notificationURL))
      return apple
    }
    self.apple = apple
    privateKey = apple.testAPIKey.testPrivateKey
    table = """
      [app.app_store]
      issuer_id = "\(apple.testAPIKey.key.issuerId.text)"
      key_id = "\(apple.testAPIKey.key.keyId)"
      private_key = { file = "SubscriptionKey.p8" }
      host = "http://apple.production"
      sandbox_host = "http://apple.sandbox"

      """
    process.spawn { await NotificationSender(apple).run() }
  }

  var world: SimulatedWorld { simulator.world }
  var process: SimulatedProcess { simulator.process }

  private var toml: String {
    """
    profile = "simulated"
    \(trustsRoot ? "trusted_roots = [\"root.pem\"]" : "")
    \(ocsp.map { "[app_store]\nocsp = \"\($0)\"" } ?? "")
    [[app]]
    id = "shop"
    \(head)
    [[app.product]]
    id = "coins.100"
    kind = "consumable"
    units = { unit = "coin", amount = 100 }
    app_store_product_ids = ["com.example.coins100"]
    \(table ?? "")
    """
  }

  func turn(_ behaviour: SimulatorBehaviour, to value: Int64) throws {
    let apple = apple
    try world.perform(in: process) { try await apple.setBehaviour(behaviour, to: value) }
  }

  /// Lets the certificates name their responder, and revokes the one that signs.
  func publishStatus(revoking: Bool = false) throws {
    let apple = apple
    try world.perform(in: process) {
      await apple.publishCertificateStatus(at: "http://apple.production")
      if revoking { _ = try await apple.certificates.revoke(.leaf, keepsSigning: true) }
    }
  }

  func plan(_ faults: PlannedAPIFault...) throws {
    let apple = apple
    try world.perform(in: process) { for fault in faults { try await apple.apiSettings.plan(fault) } }
  }

  /// What the doctor found, by check and subject.
  struct Findings {
    let code: Int32
    let printed: String
    var outcomes: [String: String] = [:]
    var lines: [String: JSONValue] = [:]

    var failed: [String] { outcomes.filter { $0.value == "failed" }.keys.sorted() }
    func text(_ name: String) -> String {
      (lines[name]?["cause"]?.string ?? "") + " → " + (lines[name]?["remedy"]?.string ?? "")
    }
  }

  func examine() throws -> Findings {
    let (code, printed) = try run(["doctor", "--config", "c.toml", "--json"])
    var findings = Findings(code: code, printed: printed)
    for line in printed.split(separator: "\n") {
      let json = try JSONReader.read(line.utf8)
      let name = (json["check"]?.string ?? "") + (json["subject"]?.string.map { " " + $0 } ?? "")
      findings.outcomes[name] = json["outcome"]?.string
      findings.lines[name] = json
    }
    return findings
  }

  func run(_ arguments: [String]) throws -> (code: Int32, printed: String) {
    let desk = DoctorDesk()
    let platform = platform(desk)
    let code = try world.perform(in: process) {
      await CommandLineProgram.counterfoil.run(arguments: arguments, platform: platform)
    }
    return (code, desk.output + desk.errors)
  }

  private func platform(_ desk: DoctorDesk) -> Platform {
    struct Closed: Error {}
    let files = [
      "c.toml": Array(toml.utf8),
      "SubscriptionKey.p8": privateKey.pkcs8.withBytes { Array(PEM.text(label: "PRIVATE KEY", bytes: $0).utf8) },
      "root.pem": Array(PEM.text(label: "CERTIFICATE", bytes: apple.authority.root.der).utf8),
    ]
    let (variables, exchange) = (["LANG": language], exchange)
    return Platform(
      dependencies: process.dependencies(skew: skew), monotonicNanoseconds: { 0 }, processorNanoseconds: { 0 },
      files: FileSystem(
        read: { path, _ in files[path] }, replace: { _, _ in }, remove: { _ in },
        makeFolder: { _ in throw Closed() }, names: { _ in throw Closed() }, openLog: { _ in throw Closed() }),
      environment: { variables[$0] }, print: { text in desk.state.withLock { $0.output += text } }, isTerminal: false,
      printError: { text in desk.state.withLock { $0.errors += text } },
      listen: { _, _ in throw Closed() }, exchange: { _ in exchange }, shutdown: { AsyncStream { $0.finish() } },
      startSelf: { _, _ in throw Closed() }, programName: "counterfoil")
  }

  /// The connection to Apple: two host names, and the `Date` that each server of Apple's takes from its own clock.
  private var exchange: HTTPExchange {
    let (network, now, saysTime) = (apple.serverAPI.network, process.dependencies().now, saysTime)
    return HTTPExchange { request, limit throws(HTTPExchangeError) in
      var request = request
      request.target = request.target
        .replacing("http://apple.production/", with: "https://api.storekit.apple.com/")
        .replacing("http://apple.sandbox/", with: "https://api.storekit-sandbox.apple.com/")
      var response = try await network.send(request, limit)
      if saysTime { response.fields.set("Date", Self.date(now())) }
      return response
    }
  }

  private static func date(_ now: Timestamp) -> String {
    let text = now.iso8601.prefix(19).split { "-T:".contains($0) }.map(String.init)
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let month = months[(Int(text[1]) ?? 1) - 1]
    return "Mon, \(text[2]) \(month) \(text[0]) \(text[3]):\(text[4]):\(text[5]) GMT"
  }
}

/// The connection for notifications from Apple to us, and its result.
final class NotificationWay: Sendable {
  private let end = Mutex<Result<Int, HTTPExchangeError>>(.success(200))

  func set(_ end: Result<Int, HTTPExchangeError>) { self.end.withLock { $0 = end } }

  var exchange: HTTPExchange {
    HTTPExchange { [self] _, _ throws(HTTPExchangeError) in
      HTTPResponse(status: try end.withLock { $0 }.get())
    }
  }
}

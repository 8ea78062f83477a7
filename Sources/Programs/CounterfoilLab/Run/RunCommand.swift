import AppStoreIntegration
import AppStoreProtocol
import AppStoreSimulator
import Counterfoil
import CounterfoilCLI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import PaymentServer
import SQLiteDatabase
import ServerConfiguration
import StrictJSON

/// `counterfoil-lab run`: server, simulated App Store and WeChat Pay in one process, on this machine only.
enum RunCommand {
  static let command = Command.of(
    "run", BilingualText("run the server beside both simulators", "运行服务器与两个模拟器"),
    usage: """
      usage: counterfoil-lab run [--data DIR] [--port N] [--database FILE] [--first-purchase] [--approvals]

      Runs a ready-made app with a simulated App Store and a simulated WeChat Pay, on this machine only, until SIGINT or
      SIGTERM. Everything is kept in its folder.

        --data DIR          its folder, instead of ./data
        --port N            where the server listens, 8080 by default; the simulators listen on the port after it, and
                            the console on the next one
        --database FILE     another database
        --first-purchase    make one purchase through it after the start and show the steps
        --approvals         a second operator must approve refunds of more than one yuan and a few other actions: a
                            second link signs that operator in

      Exit codes: 0 ended by a signal, 1 could not start, 2 wrong usage.

      """,
    valued: ServerFlags.valued, flags: ["first-purchase", "approvals"], program: "counterfoil-lab"
  ) { options, platform in try await run(options, platform) }

  private static func run(_ options: Options, _ platform: Platform) async throws -> Int32 {
    let folder = try options.one("data") ?? SimulatedProfile.folder
    let port = UInt16(try options.number("port", in: 0...65535) ?? 8080)
    if try options.one("address") != nil {
      throw UsageError("A simulated server listens on 127.0.0.1 only: --address is not taken.")
    }
    let shutdown = platform.shutdown()
    try platform.files.makeFolder(folder)
    let isQuiet = options.has("first-purchase")
    let log = JSONLog(platform, isSimulated: true, isQuiet: isQuiet).log
    let simulator = try await SimulatorAssembly.open(
      log: SimulatedProfile.simulatorLog(in: folder), platform, report: log)
    try simulator.writeAPIKey(in: folder, platform)
    let weChatPay = try await WeChatPayAssembly.open(in: folder, platform, report: log)
    // The port next to the server's own, so that one port reveals the other. It opens before the server, which calls
    // it.
    let page = LateSimulatorPage()
    let control = try platform.listen(
      ListenSettings(address: "127.0.0.1", port: port == 0 ? 0 : port &+ 1)
    ) { request, _ in
      guard !SimulatorPage.answers(request) else { return await page.respond(to: request) }
      return await simulator.respond(to: request, weChatPay)
    }
    await simulator.store.publishCertificateStatus(at: "http://127.0.0.1:\(control.port)")
    var configuration = try SimulatedProfile.prepare(
      in: folder, root: simulator.store.authority.root, platform)
    if let identity = configuration.apps[0].appStore?.identity {
      var access = try simulator.access(at: "http://127.0.0.1:\(control.port)", bundleId: identity.bundleId)
      access.userOffers = Set([SimulatedProfile.offer.identifier].compactMap { $0 })
      configuration.apps[0].appStore?.server = access
      configuration.apps[0].appStore?.verifyReceipt = simulator.receipts(at: access)
    }
    configuration.apps[0].weChatPay = try WeChatPayAssembly.settings(
      in: folder, origin: "http://127.0.0.1:\(control.port)", platform)
    if let database = try options.one("database") { configuration.database = try DatabaseLocation(naming: database) }
    let assembly = try await ServerAssembly.open(
      configuration, holder: "counterfoil-lab run", isQuiet: isQuiet, platform)
    do {
      let development = DevelopmentConsole(needsApprovals: options.has("approvals"))
      let console = try development.open(assembly, beside: port, platform)
      let local = try configuration.database.file.map {
        try assembly.access.listen(
          for: assembly.server, assembly.engine, database: $0, console: DevelopmentConsole.origin(of: console), platform
        )
      }
      try await serve(
        assembly, simulator, weChatPay: weChatPay, console: (development, console),
        beside: [control, local].compactMap(\.self), folder: folder, port: port, page: page,
        makesFirstPurchase: options.has("first-purchase"), shutdown: shutdown, platform: platform)
      if let file = configuration.database.file { assembly.access.end(database: file, platform) }
    } catch {
      if let file = configuration.database.file { assembly.access.end(database: file, platform) }
      await assembly.database.close()
      throw error
    }
    await assembly.database.close()
    platform.print("Stopped; everything that was answered is in \(folder).\n")
    return ExitCode.done
  }

  private static func serve(
    _ assembly: ServerAssembly, _ simulator: SimulatorAssembly, weChatPay: WeChatPayAssembly,
    console: (development: DevelopmentConsole, listener: Listener), beside: [Listener],
    folder: String, port: UInt16, page: LateSimulatorPage, makesFirstPurchase: Bool,
    shutdown: AsyncStream<Int32>, platform: Platform
  ) async throws {
    let server = try platform.listen(ListenSettings(address: "127.0.0.1", port: port)) { request, peer in
      await assembly.server.respond(to: request, from: peer)
    }
    let address = "http://127.0.0.1:\(server.port)"
    try await weChatPay.sendNotifications(to: address)
    try await SimulatedProfile.stock(
      simulator.store, notificationURL: address + "/notifications/app-store")
    let keys = try await DevelopmentKeys.of(assembly.engine, in: folder, platform)
    page.open(
      SimulatorPage(
        server: { await assembly.server.respond(to: $0, from: "127.0.0.1") },
        control: { await simulator.respond(to: $0, weChatPay) }, secretKey: keys.secret,
        dependencies: platform.dependencies))
    announce(server.port, control: beside[0].port, folder: folder, platform: platform)
    try await console.development.announceLinks(to: console.listener, assembly.engine, platform)
    await Serving.run(
      [server, console.listener] + beside,
      work: [{ await assembly.run() }, { await simulator.run() }, { await weChatPay.run() }], until: shutdown,
      afterStart: {
        guard makesFirstPurchase else { return }
        await FirstPurchase(
          address: address, folder: folder, keys: keys, simulator: simulator.store, weChatPay: weChatPay.service,
          platform: platform
        ).tell()
      })
  }

  /// `localhost`, where a browser allows passkeys; the listeners themselves bind to 127.0.0.1.
  private static func announce(_ port: UInt16, control: UInt16, folder: String, platform: Platform) {
    let words = BilingualText(
      """
      Counterfoil, SIMULATED: no real money. This machine only.
        server     http://localhost:\(port)          (/openapi.json lists its calls)
        simulator  http://localhost:\(control)/simulator   (App Store)
                   http://localhost:\(control)/simulator/wechat-pay
        page       http://localhost:\(control)/simulator/page   (buy, refund, complain, break things)
        data       \(folder)

      """,
      """
      Counterfoil，模拟模式：不涉及真实资金，仅限本机。
        服务器     http://localhost:\(port)          （接口列表见 /openapi.json）
        模拟器     http://localhost:\(control)/simulator   （App Store）
                   http://localhost:\(control)/simulator/wechat-pay   （微信支付）
        操作页面   http://localhost:\(control)/simulator/page   （购买、退款、投诉、制造故障）
        数据       \(folder)

      """)
    platform.print(words[CommandLineProgram.language(platform)])
  }
}

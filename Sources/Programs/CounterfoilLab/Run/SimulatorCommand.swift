import AppStoreSimulator
import CounterfoilCLI
import PaymentPrimitives
import ServerConfiguration

/// `counterfoil-lab simulator`: the simulated App Store and WeChat Pay alone, for whoever develops against them.
enum SimulatorCommand {
  static let command = Command.of(
    "simulator", BilingualText("run the simulated App Store and WeChat Pay alone", "单独运行模拟 App Store 与微信支付"),
    usage: """
      usage: counterfoil-lab simulator [--data DIR] [--port N]

      Runs a local App Store that keeps accounts, products, purchases and refunds, signs them as Apple does under a
      root of its own, and sends notifications on Apple's schedule; and beside it a local WeChat Pay, which answers
      API v3 below /v3, has a cashier's page at /cashier, and signs and notifies as WeChat Pay does. Both are
      controlled over HTTP (GET /simulator and GET /simulator/wechat-pay list the calls) and listen on 127.0.0.1
      only. What they know survives a restart.

        --data DIR          their folder (otherwise ./simulator); simulator-root.pem there is the root to trust,
                            app-store there holds a key of the App Store Server API,
                            wechat-pay there holds a merchant's keys and the platform public key
        --port N            otherwise 8081

      Exit codes: 0 ended by a signal, 1 could not start, 2 wrong usage.

      """,
    valued: ["data", "port"], program: "counterfoil-lab"
  ) { options, platform in
    let folder = try options.one("data") ?? "simulator"
    let port = UInt16(try options.number("port", in: 0...65535) ?? 8081)
    let shutdown = platform.shutdown()
    try platform.files.makeFolder(folder)
    let simulator = try await SimulatorAssembly.open(
      log: SimulatedProfile.simulatorLog(in: folder), platform,
      report: JSONLog(platform, isSimulated: true).log)
    try platform.files.replace(
      SimulatedProfile.root(in: folder), Array(simulator.store.authority.rootPEM.utf8))
    try simulator.writeAPIKey(in: folder, platform)
    let weChatPay = try await WeChatPayAssembly.open(
      in: folder, platform, report: JSONLog(platform, isSimulated: true).log)
    let listener = try platform.listen(ListenSettings(address: "127.0.0.1", port: port)) { request, _ in
      await simulator.respond(to: request, weChatPay)
    }
    await simulator.store.publishCertificateStatus(at: "http://127.0.0.1:\(listener.port)")
    let words = BilingualText(
      """
      Simulated App Store and WeChat Pay, no real money. This machine only.
        control  http://127.0.0.1:\(listener.port)/simulator
        root     \(SimulatedProfile.root(in: folder))
        API      http://127.0.0.1:\(listener.port)/app-store/production, /app-store/sandbox
        API key  \(SimulatorAssembly.apiKeys(in: folder))
        WeChat   http://127.0.0.1:\(listener.port)/simulator/wechat-pay
        merchant \(WeChatPayAssembly.place(in: folder))

      """,
      """
      模拟 App Store 与微信支付，不涉及真实资金，仅限本机。
        控制接口  http://127.0.0.1:\(listener.port)/simulator
        根证书    \(SimulatedProfile.root(in: folder))
        API       http://127.0.0.1:\(listener.port)/app-store/production、/app-store/sandbox
        API 密钥  \(SimulatorAssembly.apiKeys(in: folder))
        微信支付  http://127.0.0.1:\(listener.port)/simulator/wechat-pay
        商户文件  \(WeChatPayAssembly.place(in: folder))

      """)
    platform.print(words[CommandLineProgram.language(platform)])
    await Serving.run([listener], work: [{ await simulator.run() }, { await weChatPay.run() }], until: shutdown)
    return ExitCode.done
  }
}

import AppStoreIntegration
import AppStoreProtocol
import Diagnostics
import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import ServerConfiguration
import StrictJSON
import WeChatPayIntegration
import WeChatPayProtocol

/// `counterfoil doctor`: asks the stores whether the set-up is complete, and explains what to do if not.
enum DoctorCommand {
  static let command = Command.of(
    "doctor", BilingualText("check the connections to and from the stores", "检查与各商店之间的连接和配置"),
    usage: """
      usage: counterfoil doctor [--config FILE] [--app ID] [--json]

      Checks of each app, without touching money. Each has a permanent name, and reports passed, warned, failed or not
      applicable, the cause, and the remedy.

      The server: whether the proxies in front of it are known, whether each operator key has a role, its port is free,
      and the folders of its database and of its backups can be written. So run it as the user of the server. Of a
      database on PostgreSQL: TLS, version and encoding, rights, schema, durability, connections, clock, and what keeps
      it from cleaning up.

      App Store: the key, the trusted roots, both hosts, the clock, whether Apple accepts the key in production and the
      sandbox, a test notification and its way back, and whether Apple's signed data is valid for this app. Apple sends
      the test notification to the address at App Store Connect, so the server should be running there.

      WeChat Pay: both hosts, the clock, our signature and theirs, the platform certificates, the self-test with its
      notification, and yesterday's bill. The self-test's notification is awaited at the server's own address: by the
      server that runs there, or, where none runs, by this command, for a minute; anything else that arrives is not
      acknowledged, so it comes again.

        --config FILE       the server's configuration (otherwise COUNTERFOIL_CONFIG, or counterfoil.toml here)
        --app ID            that app alone
        --json              one JSON object a line

      Exit codes: 0 nothing failed, 1 a check failed, 2 wrong usage, or the configuration cannot be read.

      """,
    valued: ["config", "app"]
  ) { options, platform in
    let language = CommandLineProgram.language(platform)
    guard let path = try ServerFlags.configurationPath(options, platform) else {
      throw UsageError("there is no configuration: name one with --config, or write one with `counterfoil init`.")
    }
    let configuration = try ServerConfiguration.read(path, refusingDoubts: true, platform)
    let named = try options.one("app").map { AppIdentifier($0) }
    let apps = configuration.apps.filter { named == nil || $0.id == named }
    guard !apps.isEmpty else { throw UsageError("the configuration has no app \(named?.text ?? "").") }
    var failures = 0
    let ours =
      [
        await ProxyDoctor.finding(configuration) { try platform.exchange(.anywhere) },
        ConsoleDoctor.finding(configuration), await ProviderDoctor.finding(configuration, platform),
      ]
      + (await MachineDoctor(configuration: configuration, platform: platform).findings())
    failures += ours.count { $0.outcome == .failed }
    platform.print(
      options.has("json")
        ? ours.map { $0.json(app: nil, language).text + "\n" }.joined()
        : "counterfoil\n" + ours.map { $0.text(language) }.joined())
    for app in apps {
      let findings = try await examine(app, configuration, platform: platform)
      failures += findings.count { $0.outcome == .failed }
      if options.has("json") {
        platform.print(findings.map { $0.json(app: app.id.text, language).text + "\n" }.joined())
      } else {
        platform.print("\(app.id.text)\n" + findings.map { $0.text(language) }.joined())
      }
    }
    return failures == 0 ? ExitCode.done : ExitCode.failed
  }

  /// The findings for one app, store by store.
  private static func examine(
    _ app: AppSettings, _ configuration: ServerConfiguration, platform: Platform
  ) async throws -> [DoctorFinding] {
    try await [KeyDoctor.finding(for: app.id, configuration, platform)]
      + examineAppStore(app, configuration.trust, platform: platform)
      + examineWeChatPay(app, configuration.listen, platform: platform)
  }

  private static func examineAppStore(
    _ app: AppSettings, _ trust: SignedDataConfiguration, platform: Platform
  ) async throws -> [DoctorFinding] {
    guard let settings = app.appStore?.server else { return [AppStoreDoctor.finding(withoutKey: app)] }
    let kind: ExchangeKind = settings.hosts.areGenuine ? .publicOnly : .anywhere
    var doctor = AppStoreDoctor(
      settings, of: app, trust, exchange: try platform.exchange(kind), dependencies: platform.dependencies)
    await doctor.examine()
    return doctor.findings
  }

  private static func examineWeChatPay(
    _ app: AppSettings, _ listen: ListenSettings, platform: Platform
  ) async throws -> [DoctorFinding] {
    guard let settings = app.weChatPay else {
      return [
        .notApplicable(
          "wechat_pay", BilingualText("The app does not sell through WeChat Pay.", "该应用未配置微信支付。"))
      ]
    }
    let kind: ExchangeKind = settings.environment == .production ? .publicOnly : .anywhere
    var doctor = WeChatPayDoctor(settings, of: app.id, try platform.exchange(kind), dependencies: platform.dependencies)
    let inside = try platform.exchange(.anywhere)
    await doctor.examine { message, keys in
      let own = try? NotificationListener.listening(
        for: app.id, message, settings, keys: keys, now: platform.dependencies.now
      ) { answer in
        let listener = try platform.listen(listen) { request, _ in answer(request) }
        return (listener.run, listener.stop)
      }
      if let own { return own }
      let host = listen.address == "0.0.0.0" || listen.address == "::" ? "127.0.0.1" : listen.address
      return await NotificationListener.counting(at: "http://\(host):\(listen.port)", inside)
    }
    return doctor.findings
  }
}

extension DoctorFinding {
  fileprivate func text(_ language: Language) -> String {
    let word =
      switch outcome {
      case .passed: BilingualText("passed", "通过")
      case .warned: BilingualText("WARNING", "警告")
      case .failed: BilingualText("FAILED", "失败")
      case .notApplicable: BilingualText("not applicable", "不适用")
      }
    let head = "  \(check)" + (subject.map { " (\($0))" } ?? "") + ": \(word[language])"
    let lines = [head, "    " + cause[language]] + (remedy.map { ["    → " + $0[language]] } ?? [])
    // A cause may contain text that other servers sent.
    return lines.map { TerminalText.line($0) + "\n" }.joined()
  }
}

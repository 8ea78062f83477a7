import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import PaymentServer
import ServerConfiguration
import StrictJSON

/// `counterfoil serve`: the server.
package enum ServeCommand {
  package static let command = Command.of(
    "serve", BilingualText("run the server", "运行服务器"),
    usage: """
      usage: counterfoil serve [--config FILE] [--address IP] [--port N] [--database WHERE] [--without-asking]

      Runs the server until SIGINT or SIGTERM; then no new request is taken, running ones are answered, and it ends. A
      second signal ends it at once. Log lines go to the standard error output as JSON; COUNTERFOIL_LOG=quiet leaves
      warnings and errors. Once it listens it prints its address on the standard output, unless it is quiet.

      SIGHUP makes it read the configuration again with its secrets, and the files of [tls]. A file with an error
      changes nothing. `counterfoil config explain KEY` says which keys take effect then; those that need a restart are
      named in the log.

      A service manager may open the socket (LISTEN_FDS, with the name api). Then its address and port count.

        --config FILE       the configuration (otherwise COUNTERFOIL_CONFIG, or counterfoil.toml here)
        --address IP        where to listen, instead of the configuration's address
        --port N            its port
        --database WHERE    the database, instead of the configuration's: a file, or `postgresql://user@host/database`
        --without-asking    with a database restored from a backup: be ready before the stores have answered

      Exit codes: 0 ended by a signal, 1 could not start, 2 wrong usage or no configuration.

      """,
    valued: ServerFlags.valued, flags: ["without-asking"]
  ) { options, platform in
    guard let path = try ServerFlags.configurationPath(options, platform) else {
      throw CommandFailure(noConfiguration(CommandLineProgram.language(platform)), code: ExitCode.usage)
    }
    let flags = try ServerFlags.layers(options)
    let read: @Sendable () throws -> ServerConfiguration = {
      try ServerConfiguration.read(path, flags: flags, platform)
    }
    return try await serve(try read(), again: read, withoutAsking: options.has("without-asking"), platform)
  }

  private static func noConfiguration(_ language: Language) -> String {
    BilingualText(
      """
      there is no configuration. Two ways on:
        counterfoil init      writes counterfoil.toml to start from
        counterfoil-lab run   runs a ready-made shop with a simulated App Store, in ./data
      """,
      """
      没有配置文件。有两种办法：
        counterfoil init      生成可供修改的 counterfoil.toml
        counterfoil-lab run   运行带有模拟 App Store 的现成商店，数据在 ./data
      """)[language]
  }

  private static func address(of listener: Listener, _ settings: ListenSettings) -> String {
    let scheme = settings.certificate == nil ? "http" : "https"
    // A URL needs brackets around an IPv6 address.
    let host = listener.address.contains(":") ? "[\(listener.address)]" : listener.address
    return "\(scheme)://\(host):\(listener.port)"
  }

  /// For the user at the terminal; programs read the log.
  private static func announce(_ address: String, _ profile: DatabaseProfile, platform: Platform) {
    let words = BilingualText(
      "Counterfoil (\(profile.rawValue)) listens on \(address); Ctrl-C ends it.\n",
      "Counterfoil（\(profile.rawValue)）正在监听 \(address)；按 Ctrl-C 结束。\n")
    platform.print(words[CommandLineProgram.language(platform)])
  }

  /// With other nodes beside it, the balancer gets time to see that this one is no longer ready.
  private static func drain(_ engine: PaymentEngine, _ platform: Platform) async {
    if await engine.drain() { try? await platform.dependencies.sleep(.seconds(5)) }
  }

  private static func serve(
    _ configuration: ServerConfiguration, again read: @escaping @Sendable () throws -> ServerConfiguration,
    withoutAsking: Bool, _ platform: Platform
  ) async throws -> Int32 {
    let shutdown = platform.shutdown()
    let reloads = platform.reloads()
    let listen = try ListeningPlace(configuration, platform)
    let assembly = try await ServerAssembly.open(configuration, holder: "counterfoil serve", platform)
    let listener: Listener
    let local: Listener?
    let console: Listener?
    do {
      if withoutAsking { try await assembly.engine.skipQuestionsAboutBackupGap() }
      // Whom a restored backup brought back is gone before anybody can ask about them.
      try await assembly.engine.replayErasures()
      listener = try platform.listen(listen.settings) { request, peer in
        await assembly.server.respond(to: request, from: peer)
      }
      let opened = try configuration.console.map {
        (settings: $0, listener: try ConsoleListener.open($0, over: assembly, configuration.profile, on: platform))
      }
      console = opened?.listener
      local = try configuration.database.file.map {
        try assembly.access.listen(
          for: assembly.server, assembly.engine, database: $0,
          console: opened.map { ConsoleListener.origin(of: $0.settings, at: $0.listener) }, platform)
      }
    } catch {
      await assembly.database.close()
      throw error
    }
    let address = address(of: listener, configuration.listen)
    assembly.log(
      LogEvent(
        .info, "server.listening",
        [("address", address), ("profile", configuration.profile.rawValue), ("socket", listen.origin)]))
    for doubt in configuration.doubts + listen.doubts {
      assembly.log(LogEvent(.warning, "configuration.doubtful", [("why", doubt)]))
    }
    if platform.environment("COUNTERFOIL_LOG") != "quiet" {
      announce(address, configuration.profile, platform: platform)
    }
    let manager = ServiceNotification(platform)
    let reload = ReloadOnSignal(
      assembly: assembly, listener: listener, atStart: configuration, manager: manager, read: read)
    await Serving.run(
      [listener, local, console].compactMap(\.self),
      work: [
        { await assembly.run() }, { await reload.run(reloads) }, { await manager.watch(assembly.engine) },
      ], until: shutdown, afterStart: { manager.ready(at: address) },
      draining: { await drain(assembly.engine, platform) }, ending: { manager.stopping() })
    if let file = configuration.database.file { assembly.access.end(database: file, platform) }
    await assembly.sendLastTraces()
    await assembly.database.close()
    assembly.log(LogEvent(.info, "server.ended"))
    return ExitCode.done
  }
}

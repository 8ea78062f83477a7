package import CounterfoilCLI
import HTTPClient
import HTTPMessages
import HTTPServer
import PaymentPrimitives
import ServerConfiguration
import SystemPlatform

/// The platform of both programs: clocks, files, sockets and signals of the system.
package enum LivePlatform {
  package static let all: Platform = {
    var platform = withoutMachine
    platform.reloads = { ReloadSignals.received() }
    platform.processIdentifier = SystemProcess.identifier
    if let socket = SystemProcess.environment("NOTIFY_SOCKET") {
      platform.tellServiceManager = { NotifySocket.tell($0, at: socket) }
    }
    platform.inheritedSocket = { name in
      try InheritedSockets.received(named: ["api"])[name].map {
        ListeningSocket(descriptor: $0.descriptor, address: $0.address, port: $0.port)
      }
    }
    platform.folders = FolderSystem(
      move: { try Folders.move($0, to: $1) }, remove: { try Folders.remove($0) },
      freeBytes: { try Folders.freeBytes(of: $0) }, size: { Folders.size(of: $0) })
    platform.pause = SystemProcess.pause
    platform.lookUp = { NameLookup.addresses(of: $0, within: $1) }
    platform.machine.processorModel = SystemMachine.processorModel
    platform.machine.allocator = Allocator.name
    platform.machine.coreCount = SystemMachine.coreCount
    platform.machine.loadInHundredths = { SystemMachine.loadInHundredths }
    platform.machine.busyNanoseconds = { SystemMachine.busyNanoseconds }
    platform.machine.childrenNanoseconds = { SystemMachine.childrenNanoseconds }
    platform.machine.residentBytes = { SystemMachine.residentBytes() }
    platform.machine.synchronizationTimes = { folder, bytes, count in
      try SystemMachine.synchronizationTimes(in: folder, bytes: bytes, count: count)
    }
    return platform
  }()

  private static let withoutMachine = Platform(
    dependencies: .system, monotonicNanoseconds: SystemClock.monotonicNanoseconds,
    processorNanoseconds: SystemClock.processorNanoseconds, files: files,
    environment: SystemProcess.environment, print: { StandardStreams.output($0) },
    isTerminal: StandardStreams.outputIsTerminal, printError: { StandardStreams.error($0) }, listen: listen,
    exchange: exchange, shutdown: shutdown,
    startSelf: startSelf, programName: CommandLine.arguments.first ?? "counterfoil")

  private static let files: FileSystem = {
    var files = wholeFiles
    files.open = { path in
      do throws(CodedError<SystemErrorCode>) {
        let opened = try OpenedFile(path)
        return FilePieces { try opened.next() }
      } catch {
        guard error.code == .fileNotFound else { throw error }
        return nil
      }
    }
    files.isReadableByOthers = { Files.isReadableByOthers($0) }
    return files
  }()

  private static let wholeFiles = FileSystem(
    read: { path, bytesMax in
      do { return try Files.read(path, bytesMax: bytesMax) } catch let error as CodedError<SystemErrorCode> {
        guard error.code == .fileNotFound else { throw error }
        return nil
      }
    }, replace: { path, bytes in try Files.replace(path, with: bytes) },
    remove: { try Files.remove($0) }, makeFolder: { try Files.makeFolder($0) },
    names: { try Files.names(in: $0).sorted() },
    openLog: { path in
      // A year of a busy simulator is some hundred megabytes.
      let (log, lines) = try AppendOnlyLog.open(path, bytesMax: 2 << 30)
      return (lines, { try log.append($0) })
    })

  /// One client for the whole process: it keeps connections.
  private static let client = HTTPClient()

  private static func exchange(_ kind: ExchangeKind) throws -> HTTPExchange {
    try client.exchange(HTTPClientOptions(route: kind == .publicOnly ? .publicOnly : .anywhere))
  }

  private static func listen(
    _ settings: ListenSettings, _ handler: @escaping HTTPHandler
  ) throws -> Listener {
    let dependencies = Dependencies.system
    var server = HTTPServerSettings(
      address: settings.address, port: settings.port,
      certificate: settings.certificate.map { .init(chainFile: $0.chain, keyFile: $0.key) })
    server.limits.bodyBytesMax = settings.bodyBytesMax
    server.limits.drainLimit = settings.drainLimit
    server.limits.connectionSharePercent = settings.connectionSharePercent
    server.listeningDescriptor = settings.listeningDescriptor
    server.trustedProxies = settings.trustedProxies
    server.readsProxyProtocol = settings.readsProxyProtocol
    let listening = try HTTPServer(
      server,
      refuse: { error, _ in
        error.answer(
          requestIdentifier: dependencies.randomBytes(8).map { String($0, radix: 16) }.joined())
      }, answer: { request, peer in await handler(request, peer.host) })
    var listener = Listener(
      address: listening.address.host, port: listening.address.port,
      run: { _ = await listening.run() }, stop: { listening.stop() })
    listener.replaceCertificate = { chain, key in
      try listening.replaceCertificate(by: .init(chainFile: chain, keyFile: key))
    }
    return listener
  }

  private static func shutdown() -> AsyncStream<Int32> {
    let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
    let signals = ShutdownSignals.received()
    Task {
      for await signal in signals { continuation.yield(signal.exitStatus) }
      continuation.finish()
    }
    return stream
  }

  private static func startSelf(
    _ arguments: [String], _ environment: [String: String]
  ) throws -> ChildProcess {
    let child = try SystemChild.start(arguments: arguments, environment: environment)
    var process = ChildProcess(kill: { child.kill() }, end: { await child.end() })
    process.hasEnded = { child.hasGone() }
    process.residentBytes = { SystemMachine.residentBytes(of: child.identifier) }
    return process
  }
}

public import HTTPMessages
public import PaymentVocabulary

/// Everything that commands need of the real world, handed in by the program: a test hands in its own.
public struct Doors: Sendable {
  /// Time, chance, sleep.
  public var surroundings: Surroundings
  /// Nanoseconds of a clock that only runs forward; for measuring.
  public var monotonicNanoseconds: @Sendable () -> UInt64
  /// Nanoseconds of processor time that this process has used; for measuring.
  public var processorNanoseconds: @Sendable () -> UInt64
  /// Files.
  public var files: FileDoors
  /// The value of an environment variable.
  public var environment: @Sendable (String) -> String?
  /// Takes text for the standard output, with its line ends; what could steer a terminal is written out.
  public let print: @Sendable (String) -> Void
  /// Writes the last line of the standard output anew; only where that is a terminal.
  public let rewriteLine: @Sendable (String) -> Void
  /// Whether the standard output is a terminal, on which a line can be written anew.
  public var isTerminal: Bool
  /// Takes text for the standard error output, with its line ends; what could steer a terminal is written out.
  public let printError: @Sendable (String) -> Void
  /// Listens and answers.
  public var listen: @Sendable (ListenSettings, @escaping HTTPHandler) throws -> Listener
  /// Reaches other processes.
  public var exchange: @Sendable (ExchangeKind) throws -> HTTPExchange
  /// A stream whose first element says that the process is to end.
  public var shutdown: @Sendable () -> AsyncStream<Int32>
  /// Starts this program once more as a process of its own, with these arguments and this addition to the environment.
  public var startSelf: @Sendable (_ arguments: [String], _ environment: [String: String]) throws -> ChildProcess
  /// How this program was called, for commands that a person may copy.
  public var programName: String

  /// Doors as given.
  public init(
    surroundings: Surroundings, monotonicNanoseconds: @escaping @Sendable () -> UInt64,
    processorNanoseconds: @escaping @Sendable () -> UInt64, files: FileDoors,
    environment: @escaping @Sendable (String) -> String?, print: @escaping @Sendable (String) -> Void,
    isTerminal: Bool, printError: @escaping @Sendable (String) -> Void,
    listen: @escaping @Sendable (ListenSettings, @escaping HTTPHandler) throws -> Listener,
    exchange: @escaping @Sendable (ExchangeKind) throws -> HTTPExchange,
    shutdown: @escaping @Sendable () -> AsyncStream<Int32>,
    startSelf:
      @escaping @Sendable (_ arguments: [String], _ environment: [String: String]) throws -> ChildProcess,
    programName: String
  ) {
    self.surroundings = surroundings
    self.monotonicNanoseconds = monotonicNanoseconds
    self.processorNanoseconds = processorNanoseconds
    self.files = files
    self.environment = environment
    self.print = { print(TerminalText.escaped($0)) }
    self.rewriteLine = { print("\r\u{1B}[K" + TerminalText.line($0)) }
    self.isTerminal = isTerminal
    self.printError = { printError(TerminalText.escaped($0)) }
    self.listen = listen
    self.exchange = exchange
    self.shutdown = shutdown
    self.startSelf = startSelf
    self.programName = programName
  }
}

/// A process that was started.
public struct ChildProcess: Sendable {
  /// Kills it as `kill -9` does: nothing of it runs any more when this returns.
  public var kill: @Sendable () -> Void
  /// Asks it to end as Ctrl-C does, and waits until it has.
  public var end: @Sendable () async -> Void

  /// A process by its two handles.
  public init(kill: @escaping @Sendable () -> Void, end: @escaping @Sendable () async -> Void) {
    self.kill = kill
    self.end = end
  }
}

/// Answers a request that came from an address.
public typealias HTTPHandler = @Sendable (HTTPRequest, _ peer: String) async -> HTTPResponse

/// Files, as far as commands touch them. Errors are shown to the user as they describe themselves.
public struct FileDoors: Sendable {
  /// The bytes of a file of at most that many; nil when there is none.
  public var read: @Sendable (_ path: String, _ bytesMax: Int) throws -> [UInt8]?
  /// Puts bytes in the place of a file, whole or not at all; readable by its owner only.
  public var replace: @Sendable (_ path: String, _ bytes: [UInt8]) throws -> Void
  /// Removes a file; nothing happens when there is none.
  public var remove: @Sendable (_ path: String) throws -> Void
  /// Makes a folder and those above it.
  public var makeFolder: @Sendable (_ path: String) throws -> Void
  /// The names of the files in a folder, sorted.
  public var names: @Sendable (_ path: String) throws -> [String]
  /// Opens a file of lines that only grows: its lines, and what appends one and returns once it will survive.
  public var openLog:
    @Sendable (_ path: String) throws -> (lines: [[UInt8]], append: @Sendable ([UInt8]) throws -> Void)

  /// Opens a file of any size, to be read piece by piece; nil when there is none. Refuses until it is handed in.
  public var open: @Sendable (_ path: String) throws -> FilePieces? = { path in
    throw CommandFailure("\(path): files are not read piece by piece here.", code: ExitCode.usage)
  }

  /// Files by their doors.
  public init(
    read: @escaping @Sendable (_ path: String, _ bytesMax: Int) throws -> [UInt8]?,
    replace: @escaping @Sendable (_ path: String, _ bytes: [UInt8]) throws -> Void,
    remove: @escaping @Sendable (_ path: String) throws -> Void,
    makeFolder: @escaping @Sendable (_ path: String) throws -> Void,
    names: @escaping @Sendable (_ path: String) throws -> [String],
    openLog:
      @escaping @Sendable (_ path: String) throws -> (
        lines: [[UInt8]], append: @Sendable ([UInt8]) throws -> Void
      )
  ) {
    self.read = read
    self.replace = replace
    self.remove = remove
    self.makeFolder = makeFolder
    self.names = names
    self.openLog = openLog
  }
}

/// A file that is read piece by piece.
public struct FilePieces: Sendable {
  /// The next bytes; none at its end.
  public var next: @Sendable () throws -> [UInt8]

  /// A file by what reads on in it.
  public init(next: @escaping @Sendable () throws -> [UInt8]) { self.next = next }
}

/// Where and how to listen.
public struct ListenSettings: Hashable, Sendable {
  /// An IP address.
  public var address: String
  /// A port; 0 for any that is free.
  public var port: UInt16
  /// PEM files of certificate chain and key, for TLS.
  public var certificate: (chain: String, key: String)? {
    get { chainFile.flatMap { chain in keyFile.map { (chain, $0) } } }
    set {
      chainFile = newValue?.chain
      keyFile = newValue?.key
    }
  }
  /// The largest body that is read at all.
  public var bodyBytesMax: Int
  /// How long running requests may go on after the end was asked for.
  public var drainLimit: TimeSpan
  /// The proxies in front. Client addresses are trusted from them alone.
  public var trustedProxies = TrustedProxies()
  /// Whether connections of theirs begin with a PROXY protocol header.
  public var readsProxyProtocol = false
  /// The share of the connections, in percent, that one address may hold.
  public var connectionSharePercent = 25

  private var chainFile: String?
  private var keyFile: String?

  /// An address and port without TLS.
  public init(address: String, port: UInt16) {
    self.address = address
    self.port = port
    self.bodyBytesMax = 1 << 20
    self.drainLimit = .seconds(30)
  }
}

/// An open ear.
public struct Listener: Sendable {
  /// The address as it is reached.
  public var address: String
  /// The port as it is bound.
  public var port: UInt16
  /// Answers until `stop` is called or the task is cancelled, then until running requests are answered.
  public var run: @Sendable () async -> Void
  /// Asks it to end.
  public var stop: @Sendable () -> Void

  /// An ear by its parts.
  public init(
    address: String, port: UInt16, run: @escaping @Sendable () async -> Void,
    stop: @escaping @Sendable () -> Void
  ) {
    self.address = address
    self.port = port
    self.run = run
    self.stop = stop
  }
}

/// Which other processes may be reached.
public enum ExchangeKind: Hashable, Sendable {
  /// Public addresses only, whatever name leads there.
  case publicOnly
  /// Any address.
  case anywhere
}

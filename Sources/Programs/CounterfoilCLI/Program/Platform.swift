package import HTTPMessages
package import PaymentPrimitives

/// Everything that commands need of the real world, handed in by the program: a test hands in its own.
package struct Platform: Sendable {
  package var surroundings: Dependencies
  /// Nanoseconds of a clock that only runs forward; for measuring.
  package var monotonicNanoseconds: @Sendable () -> UInt64
  /// Nanoseconds of processor time that this process has used; for measuring.
  package var processorNanoseconds: @Sendable () -> UInt64
  package var files: FileSystem
  /// The value of an environment variable.
  package var environment: @Sendable (String) -> String?
  /// Takes text for the standard output, with its line ends; what could steer a terminal is written out.
  package let print: @Sendable (String) -> Void
  /// Writes the last line of the standard output anew; only where that is a terminal.
  package let rewriteLine: @Sendable (String) -> Void
  /// Whether the standard output is a terminal, on which a line can be written anew.
  package var isTerminal: Bool
  /// Takes text for the standard error output, with its line ends; what could steer a terminal is written out.
  package let printError: @Sendable (String) -> Void
  package var listen: @Sendable (ListenSettings, @escaping HTTPHandler) throws -> Listener
  package var exchange: @Sendable (ExchangeKind) throws -> HTTPExchange
  /// A stream whose first element says that the process is to end.
  package var shutdown: @Sendable () -> AsyncStream<Int32>
  /// Starts this program once more as a process of its own, with these arguments and this addition to the environment.
  package var startSelf: @Sendable (_ arguments: [String], _ environment: [String: String]) throws -> ChildProcess
  /// How this program was called, for commands that a person may copy.
  package var programName: String

  package init(
    surroundings: Dependencies, monotonicNanoseconds: @escaping @Sendable () -> UInt64,
    processorNanoseconds: @escaping @Sendable () -> UInt64, files: FileSystem,
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

package struct ChildProcess: Sendable {
  /// Kills it as `kill -9` does: nothing of it runs any more when this returns.
  package var kill: @Sendable () -> Void
  /// Asks it to end as Ctrl-C does, and waits until it has.
  package var end: @Sendable () async -> Void

  /// A process by its two handles.
  package init(kill: @escaping @Sendable () -> Void, end: @escaping @Sendable () async -> Void) {
    self.kill = kill
    self.end = end
  }
}

/// Answers a request that came from an address.
package typealias HTTPHandler = @Sendable (HTTPRequest, _ peer: String) async -> HTTPResponse

/// Files, as far as commands touch them. Errors are shown to the user as they describe themselves.
package struct FileSystem: Sendable {
  /// The bytes of a file of at most that many; nil when there is none.
  package var read: @Sendable (_ path: String, _ bytesMax: Int) throws -> [UInt8]?
  /// Puts bytes in the place of a file, whole or not at all; readable by its owner only.
  package var replace: @Sendable (_ path: String, _ bytes: [UInt8]) throws -> Void
  /// Removes a file; nothing happens when there is none.
  package var remove: @Sendable (_ path: String) throws -> Void
  /// Makes a folder and those above it.
  package var makeFolder: @Sendable (_ path: String) throws -> Void
  /// The names of the files in a folder, sorted.
  package var names: @Sendable (_ path: String) throws -> [String]
  /// Opens a file of lines that only grows: its lines, and what appends one and returns once it will survive.
  package var openLog:
    @Sendable (_ path: String) throws -> (lines: [[UInt8]], append: @Sendable ([UInt8]) throws -> Void)

  /// Opens a file of any size, to be read piece by piece; nil when there is none. Refuses until it is handed in.
  package var open: @Sendable (_ path: String) throws -> FilePieces? = { path in
    throw CommandFailure("\(path): files are not read piece by piece here.", code: ExitCode.usage)
  }

  package init(
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
package struct FilePieces: Sendable {
  /// The next bytes; none at its end.
  package var next: @Sendable () throws -> [UInt8]

  /// A file by what reads on in it.
  package init(next: @escaping @Sendable () throws -> [UInt8]) { self.next = next }
}

package struct ListenSettings: Hashable, Sendable {
  package var address: String
  /// A port; 0 for any that is free.
  package var port: UInt16
  /// PEM files of certificate chain and key, for TLS.
  package var certificate: (chain: String, key: String)? {
    get { chainFile.flatMap { chain in keyFile.map { (chain, $0) } } }
    set {
      chainFile = newValue?.chain
      keyFile = newValue?.key
    }
  }
  /// The largest body that is read at all.
  package var bodyBytesMax: Int
  /// How long running requests may go on after the end was asked for.
  package var drainLimit: TimeSpan
  /// The proxies in front. Client addresses are trusted from them alone.
  package var trustedProxies = TrustedProxies()
  /// Whether connections of theirs begin with a PROXY protocol header.
  package var readsProxyProtocol = false
  /// The share of the connections, in percent, that one address may hold.
  package var connectionSharePercent = 25

  private var chainFile: String?
  private var keyFile: String?

  /// An address and port without TLS.
  package init(address: String, port: UInt16) {
    self.address = address
    self.port = port
    self.bodyBytesMax = 1 << 20
    self.drainLimit = .seconds(30)
  }
}

package struct Listener: Sendable {
  /// The address as it is reached.
  package var address: String
  /// The port as it is bound.
  package var port: UInt16
  /// Answers until `stop` is called or the task is cancelled, then until running requests are answered.
  package var run: @Sendable () async -> Void
  package var stop: @Sendable () -> Void

  package init(
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
package enum ExchangeKind: Hashable, Sendable {
  /// Public addresses only, whatever name leads there.
  case publicOnly
  case anywhere
}

package import HTTPMessages
package import PaymentPrimitives
package import ServerConfiguration

/// Everything that commands need from the real world. The program passes it in; a test passes in its own.
package struct Platform: Sendable {
  package var dependencies: Dependencies
  /// Nanoseconds of a clock that only goes forward; for durations.
  package var monotonicNanoseconds: @Sendable () -> UInt64
  /// Nanoseconds of processor time that this process has used; for measurements.
  package var processorNanoseconds: @Sendable () -> UInt64
  package var files: FileSystem
  package var folders = FolderSystem.refusing
  package var environment: @Sendable (String) -> String?
  /// Takes text for the standard output, with its line ends; control characters for terminals are escaped.
  package let print: @Sendable (String) -> Void
  /// Rewrites the last line of the standard output; only on a terminal.
  package let rewriteLine: @Sendable (String) -> Void
  /// Whether the standard output is a terminal, on which a line can be rewritten.
  package var isTerminal: Bool
  /// Takes text for the standard error output, with its line ends; control characters for terminals are escaped.
  package let printError: @Sendable (String) -> Void
  package var listen: @Sendable (ListenSettings, @escaping HTTPHandler) throws -> Listener
  /// The socket of that name that a service manager opened for this process, if there is one.
  package var inheritedSocket: @Sendable (_ name: String) throws -> ListeningSocket? = { _ in nil }
  package var exchange: @Sendable (ExchangeKind) throws -> HTTPExchange
  /// A stream; its first element asks the process to end.
  package var shutdown: @Sendable () -> AsyncStream<Int32>
  /// A stream; each element asks a server to read its configuration again.
  package var reloads: @Sendable () -> AsyncStream<Void> = { AsyncStream { $0.finish() } }
  /// Gives the addresses of a server's name; nil if they do not come within the span. Without it a library looks up.
  package var lookUp: (@Sendable (_ name: String, _ span: TimeSpan) -> [String]?)?
  /// Passes a moment on the calling thread, about 0.12 ms; nil if this program never waits in this way.
  package var pause: (@Sendable () -> Void)?
  /// Tells the service manager something, if one listens.
  package var tellServiceManager: @Sendable (String) -> Void = { _ in }
  package var processIdentifier = 0
  /// Starts this program as a second process, with these arguments and these additional environment variables.
  package var startSelf: @Sendable (_ arguments: [String], _ environment: [String: String]) throws -> ChildProcess
  /// The name or path of this program, for commands that a user may copy.
  package var programName: String
  /// The machine below, for measurements; unknown until it is set.
  package var machine = Machine()

  package init(
    dependencies: Dependencies, monotonicNanoseconds: @escaping @Sendable () -> UInt64,
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
    self.dependencies = dependencies
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
  /// Kills the process like `kill -9`: it has ended when this returns.
  package var kill: @Sendable () -> Void
  /// Asks the process to end like Ctrl-C, and waits until it has ended.
  package var end: @Sendable () async -> Void
  /// Whether the process has ended.
  package var hasEnded: @Sendable () -> Bool = { false }
  /// The memory that the running process holds, in bytes; nil where the system does not tell.
  package var residentBytes: @Sendable () -> Int? = { nil }

  package init(kill: @escaping @Sendable () -> Void, end: @escaping @Sendable () async -> Void) {
    self.kill = kill
    self.end = end
  }
}

/// Answers a request from an address.
package typealias HTTPHandler = @Sendable (HTTPRequest, _ peer: String) async -> HTTPResponse

/// The file functions that commands use. Errors are shown to the user with their own descriptions.
package struct FileSystem: Sendable {
  /// The bytes of a file of at most this size; nil if there is none.
  package var read: @Sendable (_ path: String, _ bytesMax: Int) throws -> [UInt8]?
  /// Replaces a file, completely or not at all; only its owner can read it.
  package var replace: @Sendable (_ path: String, _ bytes: [UInt8]) throws -> Void
  /// Removes a file; does nothing if there is none.
  package var remove: @Sendable (_ path: String) throws -> Void
  /// Creates a folder and its parent folders.
  package var makeFolder: @Sendable (_ path: String) throws -> Void
  /// The names of the files in a folder, sorted.
  package var names: @Sendable (_ path: String) throws -> [String]
  /// Opens a file of lines that only grows. Returns its lines, and a function that appends one and returns once it is
  /// durable.
  package var openLog:
    @Sendable (_ path: String) throws -> (lines: [[UInt8]], append: @Sendable ([UInt8]) throws -> Void)

  /// Whether users other than the owner and its group can read a file.
  package var isReadableByOthers: @Sendable (_ path: String) -> Bool = { _ in false }
  /// Opens a file of any size for reading in pieces; nil if there is none. Throws until a function is set.
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

/// A file that is read in pieces.
package struct FilePieces: Sendable {
  /// The next bytes; empty at its end.
  package var next: @Sendable () throws -> [UInt8]

  package init(next: @escaping @Sendable () throws -> [UInt8]) { self.next = next }
}

/// A socket that listens already.
package struct ListeningSocket: Sendable {
  package var descriptor: Int32
  package var address: String
  package var port: UInt16

  package init(descriptor: Int32, address: String, port: UInt16) {
    self.descriptor = descriptor
    self.address = address
    self.port = port
  }
}

package struct Listener: Sendable {
  /// The address under which the listener is reached.
  package var address: String
  /// The port as bound.
  package var port: UInt16
  /// Answers until `stop` is called or the task is cancelled, then until running requests are answered.
  package var run: @Sendable () async -> Void
  package var stop: @Sendable () -> Void
  /// Reads these files of certificate chain and key, for the connections that begin from now on. An error leaves the
  /// old certificate in force.
  package var replaceCertificate: @Sendable (_ chain: String, _ key: String) throws -> Void = { chain, _ in
    throw CommandFailure("\(chain): this listener has no certificate.")
  }

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

/// The other processes that may be reached.
package enum ExchangeKind: Hashable, Sendable {
  /// Public addresses only, whatever name resolves to them.
  case publicOnly
  case anywhere
}

import Foundation
import PaymentPrimitives
import SystemPlatform
import Testing

/// A folder for one test, which works on its own thread: a busy disk must not delay the tests on Swift's pool.
private func withFolder<Result: Sendable>(_ body: @Sendable (String) throws -> Result) async throws -> Result {
  try await withTaskExecutorPreference(OwnThreads()) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("door-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.path)
  }
}

@Suite struct `A file` {
  @Test func `that is missing, is a folder or is too large is not read`() async throws {
    try await withFolder { folder in
      #expect(throws: CodedError<SystemErrorCode>(.fileNotFound)) { try Files.read(folder + "/none", bytesMax: 10) }
      #expect(throws: CodedError<SystemErrorCode>(.fileUnreadable)) { try Files.read(folder, bytesMax: 10) }
      try Files.replace(folder + "/a", with: [1, 2, 3])
      #expect(throws: CodedError<SystemErrorCode>(.fileTooLarge)) { try Files.read(folder + "/a", bytesMax: 2) }
      #expect(try Files.read(folder + "/a", bytesMax: 3) == [1, 2, 3])
    }
  }

  @Test func `without an end is read only up to the limit`() {
    #expect(throws: CodedError<SystemErrorCode>(.fileTooLarge)) { try Files.read("/dev/zero", bytesMax: 1000) }
  }

  @Test func `is replaced completely, belongs to its owner only, and leaves no other file`() async throws {
    try await withFolder { folder in
      let path = folder + "/a"
      try Files.replace(path, with: Array(repeating: 1, count: 100_000))
      try Files.replace(path, with: [2])
      #expect(try Files.read(path, bytesMax: 10) == [2])
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      #expect(try Files.names(in: folder) == ["a"])
    }
  }

  @Test func `is readable by others only if every folder above lets them through`() async throws {
    try await withFolder { folder in
      let inside = folder + "/secrets"
      try Files.makeFolder(inside)
      let path = inside + "/key"
      try Files.replace(path, with: [1])
      #expect(!Files.isReadableByOthers(path) && !Files.isReadableByOthers(folder + "/none"))
      try Files.replace(path, with: [1], mode: 0o644)
      #expect(!Files.isReadableByOthers(path), "its folder is closed")
      for place in [folder, inside] {
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place)
      }
      #expect(Files.isReadableByOthers(path))
      try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: path)
      #expect(Files.isReadableByOthers(folder + "/link"), "what counts is the file behind the link")
      try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
      #expect(!Files.isReadableByOthers(path))
    }
  }

  @Test func `that cannot be replaced stays as it is, and no other file is left`() async throws {
    try await withFolder { folder in
      let path = folder + "/a"
      try Files.makeFolder(path + "/inside")
      #expect(throws: CodedError<SystemErrorCode>(.fileUnwritable)) { try Files.replace(path, with: [1]) }
      #expect(throws: CodedError<SystemErrorCode>(.fileUnwritable)) { try Files.replace(folder + "/no/a", with: [1]) }
      #expect(try Files.names(in: folder) == ["a"])
      #expect(try Files.names(in: path) == ["inside"])
    }
  }

  @Test func `is removed, even if it is missing`() async throws {
    try await withFolder { folder in
      try Files.replace(folder + "/a", with: [1])
      try Files.remove(folder + "/a")
      try Files.remove(folder + "/a")
      #expect(try Files.names(in: folder).isEmpty)
      #expect(throws: CodedError<SystemErrorCode>(.fileUnwritable)) { try Files.remove(folder) }
    }
  }

  @Test func `that is not a folder cannot be used as one`() async throws {
    try await withFolder { folder in
      try Files.makeFolder(folder + "/b/c/d")
      try Files.makeFolder(folder + "/b/c/d")
      #expect(try Files.names(in: folder + "/b/c") == ["d"])
      try Files.replace(folder + "/a", with: [1])
      #expect(throws: CodedError<SystemErrorCode>(.fileUnwritable)) { try Files.makeFolder(folder + "/a") }
      #expect(throws: CodedError<SystemErrorCode>(.fileUnwritable)) { try Files.makeFolder(folder + "/a/b") }
      #expect(throws: CodedError<SystemErrorCode>(.fileNotFound)) { try Files.names(in: folder + "/none") }
    }
  }
}

@Suite struct `A log that only grows` {
  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test func `drops an incomplete last line, and continues after the last complete one`() async throws {
    try await withFolder { folder in
      let path = folder + "/log"
      try Files.replace(path, with: bytes("one\n\ntwo\na line that was torn in the middle"))
      do {
        let (log, lines) = try AppendOnlyLog.open(path, bytesMax: 100)
        #expect(lines == [bytes("one"), [], bytes("two")])
        try log.append(bytes("three"))
      }
      #expect(try Files.read(path, bytesMax: 100) == bytes("one\n\ntwo\nthree\n"))
    }
  }

  @Test func `can be opened only once at a time`() async throws {
    try await withFolder { folder in
      let path = folder + "/log"
      do {
        let first = try AppendOnlyLog.open(path, bytesMax: 100)
        #expect(first.lines.isEmpty)
        #expect(throws: CodedError<SystemErrorCode>(.fileInUse)) { try AppendOnlyLog.open(path, bytesMax: 100) }
        try first.log.append(bytes("a"))
      }
      #expect(try AppendOnlyLog.open(path, bytesMax: 100).lines == [bytes("a")])
    }
  }

  @Test func `is not opened if it is too large or its folder is missing`() async throws {
    try await withFolder { folder in
      try Files.replace(folder + "/log", with: bytes("0123456789\n"))
      #expect(throws: CodedError<SystemErrorCode>(.fileTooLarge)) {
        try AppendOnlyLog.open(folder + "/log", bytesMax: 10)
      }
      #expect(try AppendOnlyLog.open(folder + "/log", bytesMax: 11).lines.count == 1)
      #expect(throws: CodedError<SystemErrorCode>(.fileUnwritable)) {
        try AppendOnlyLog.open(folder + "/no/log", bytesMax: 10)
      }
    }
  }

  @Test func `keeps its lines when the disk is full in the middle of a line, and continues`() async {
    await #expect(processExitsWith: .success) {
      try await withFolder { folder in
        // The system then writes up to that size, and fails as it does on a full disk.
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: 100, rlim_max: 100)
        #if canImport(Glibc)
          #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
        #else
          #expect(setrlimit(RLIMIT_FSIZE, &limit) == 0)
        #endif
        let path = folder + "/log"
        do {
          let (log, _) = try AppendOnlyLog.open(path, bytesMax: 1000)
          try log.append(Array(repeating: 0x61, count: 50))
          #expect(throws: CodedError<SystemErrorCode>(.fileUnwritable)) {
            try log.append(Array(repeating: 0x62, count: 70))
          }
          try log.append(Array(repeating: 0x63, count: 10))
        }
        #expect(try Files.read(path, bytesMax: 1000).count == 62)
        let lines = try AppendOnlyLog.open(path, bytesMax: 1000).lines
        #expect(lines.map(\.count) == [50, 10])
      }
    }
  }
}

@Suite struct `The real dependencies` {
  private let real = Dependencies.system

  @Test func `stop waiting when the task is cancelled`() async {
    let task = Task { try await Dependencies.system.sleep(.days(1)) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    let early = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await Dependencies.system.sleep(.zero)
    }
    await #expect(throws: CancellationError.self) { try await early.value }
  }

  @Test func `wait at least as long as asked, and not for a past moment`() async throws {
    let start = SystemClock.monotonicNanoseconds()
    try await real.sleep(.milliseconds(20))
    #expect(SystemClock.monotonicNanoseconds() - start >= 20_000_000)
    try await real.sleep(.milliseconds(-5))
  }

  @Test func `return a time in this century, and clocks that go forward`() {
    #expect(real.now() > Timestamp(seconds: 1_750_000_000))
    #expect(real.now() < Timestamp(seconds: 4_102_444_800))
    let before = (SystemClock.monotonicNanoseconds(), SystemClock.processorNanoseconds())
    #expect(SystemClock.monotonicNanoseconds() >= before.0)
    #expect(SystemClock.processorNanoseconds() >= before.1)
  }

  @Test func `return as many random bytes as requested, and never the same`() {
    for count in [0, 1, 7, 8, 9, 10, 32, 1000] { #expect(real.randomBytes(count).count == count) }
    let drawn = (0..<1000).map { _ in real.randomBytes(10) }
    #expect(Set(drawn).count == 1000)
    // Every byte takes many values: none stays zero.
    for index in 0..<10 { #expect(Set(drawn.map { $0[index] }).count > 200) }
  }

  @Test func `know the environment and the process`() {
    #expect(SystemProcess.environment("PATH")?.isEmpty == false)
    #expect(SystemProcess.environment("NO_SUCH_VARIABLE_IN_ANY_ENVIRONMENT") == nil)
    #expect(SystemProcess.identifier == Int(getpid()))
    let limit = SystemProcess.raiseOpenFilesLimit()
    #expect(limit >= 256)
    #expect(SystemProcess.raiseOpenFilesLimit() == limit)
  }
}

@Suite struct `A signal to shut down` {
  @Test(arguments: ShutdownSignal.allCases)
  func `is delivered once, and the process continues`(signal: ShutdownSignal) async {
    let number = signal.rawValue
    await #expect(processExitsWith: .success) { [number = number as Int32] in
      let stream = ShutdownSignals.received()
      kill(getpid(), number)
      var found: [ShutdownSignal] = []
      for await signal in stream { found.append(signal) }
      #expect(found.map(\.rawValue) == [number])
    }
  }

  @Test func `ends the process at once when it arrives again`() async {
    await #expect(processExitsWith: .exitCode(130)) {
      let stream = ShutdownSignals.received()
      kill(getpid(), SIGTERM)
      for await _ in stream {}
      kill(getpid(), SIGINT)
      try await Dependencies.system.sleep(.hours(1))
    }
  }
}

@Suite struct `A process of this program` {
  @Test(arguments: [nil, "/no/such/program"])
  func `is refused if its executable cannot be started`(program: String?) {
    #expect(throws: CodedError<SystemErrorCode>(.childUnstartable)) {
      try SystemChild.start(program: program, arguments: [], environment: [:])
    }
  }

  @Test func `gets the arguments and the added environment, and is removed when it has ended`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("door-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // The file gets its name once it is complete: a redirection makes it before anything is written.
    let script = "printf '%s' \"$GREETING $0\" > \"$PLACE.new\"; mv \"$PLACE.new\" \"$PLACE\"; exec sleep 600"
    let child = try SystemChild.start(
      program: "/bin/sh", arguments: ["-c", script, "you"],
      environment: ["GREETING": "hello", "PLACE": folder.path + "/said"])
    while try Files.names(in: folder.path) != ["said"] { await Task.yield() }
    await child.end()
    child.kill()
    #expect(try String(decoding: Files.read(folder.path + "/said", bytesMax: 100), as: UTF8.self) == "hello you")
  }
}

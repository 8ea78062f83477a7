import CounterfoilCLI
import HTTPMessages
import PaymentPrimitives
import ServerConfiguration

/// The server side of a measurement over HTTP; the client is a separate process.
enum LoadServer {
  /// Lets a client send all calls of a file, and returns their cost in this process.
  ///
  /// - Throws: `CommandFailure` if one of them does not get the expected answer: the figure is then invalid.
  static func measure(
    _ calls: (path: String, count: Int), connections: Int, _ platform: Platform, handler: @escaping HTTPHandler
  ) async throws -> FulfilCost {
    let listener = try platform.listen(.onThisMachine, handler)
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await listener.run() }
      defer { listener.stop() }
      let before = platform.processorNanoseconds()
      let result = try await LoadClient.run(
        calls.path, to: "http://127.0.0.1:\(listener.port)", connections: connections, platform)
      let processor = platform.processorNanoseconds() - before
      guard result.taken == calls.count else {
        throw CommandFailure("\(result.taken) of \(calls.count) were answered as they should be.")
      }
      return FulfilCost(count: calls.count, wall: result.nanoseconds, processor: processor)
    }
  }
}

extension ListenSettings {
  /// For a client on this machine, which may hold all connections.
  static var onThisMachine: ListenSettings {
    var settings = ListenSettings(address: "127.0.0.1", port: 0)
    settings.drainLimit = .seconds(1)
    settings.connectionSharePercent = 100
    return settings
  }
}

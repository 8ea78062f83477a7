import PaymentPrimitives

/// Runs listeners and standing work until the process is asked to end, then ends them in the right order: no new
/// request is taken, running ones are answered, and only then the standing work stops and the database is closed.
package enum Serving {
  /// Runs until the first shutdown signal, or until a listener ends by itself.
  ///
  /// - Parameters:
  ///   - work: standing work; cancelled when all listeners are drained.
  ///   - afterStart: what is done once while everything runs; its end ends nothing.
  package static func run(
    _ listeners: [Listener], work: [@Sendable () async -> Void], until shutdown: AsyncStream<Int32>,
    afterStart: @escaping @Sendable () async -> Void = {}
  ) async {
    await withTaskGroup(of: Void.self) { standing in
      for piece in work { standing.addTask { await piece() } }
      await withTaskGroup(of: Bool.self) { serving in
        for listener in listeners {
          serving.addTask {
            await listener.run()
            return true
          }
        }
        serving.addTask {
          for await _ in shutdown { break }
          return true
        }
        serving.addTask {
          await afterStart()
          return false
        }
        // Whatever ends first, a signal or a listener, ends all.
        while let isOver = await serving.next(), !isOver {}
        for listener in listeners { listener.stop() }
        serving.cancelAll()
        while await serving.next() != nil {}
      }
      standing.cancelAll()
    }
  }
}

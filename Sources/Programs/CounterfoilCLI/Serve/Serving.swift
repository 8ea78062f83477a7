import PaymentPrimitives

/// Runs listeners and background work until the process is asked to end. Then it ends them in this order: it accepts no
/// new requests, answers the running ones, stops the background work, and closes the database.
package enum Serving {
  /// Runs until the first shutdown signal, or until a listener ends on its own.
  ///
  /// - Parameters:
  ///   - work: background work; cancelled when all listeners are drained.
  ///   - afterStart: runs once while everything is running; its end does not end anything else.
  ///   - draining: runs when the end begins, while requests are still answered.
  ///   - ending: called afterwards, before the listeners stop.
  package static func run(
    _ listeners: [Listener], work: [@Sendable () async -> Void], until shutdown: AsyncStream<Int32>,
    afterStart: @escaping @Sendable () async -> Void = {}, draining: @escaping @Sendable () async -> Void = {},
    ending: @escaping @Sendable () -> Void = {}
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
        // The first end, of a signal or a listener, ends everything.
        while let isOver = await serving.next(), !isOver {}
        await draining()
        ending()
        for listener in listeners { listener.stop() }
        serving.cancelAll()
        while await serving.next() != nil {}
      }
      standing.cancelAll()
    }
  }
}

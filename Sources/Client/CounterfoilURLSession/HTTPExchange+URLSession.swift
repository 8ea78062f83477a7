public import HTTPMessages
public import PaymentPrimitives

extension HTTPExchange {
  /// The network through `URLSession`, for `Purchasing`.
  ///
  ///     let purchasing = try Purchasing(
  ///       configuration, queue: queue, vault: vault, exchange: .urlSession(), surroundings: .ofThisDevice)
  ///
  /// One request, one answer: it follows no redirect, caches nothing, and keeps or sends no cookie or stored
  /// credential. The time limit of each request covers the whole exchange. The system checks certificates (X15).
  ///
  /// - Parameters:
  ///   - answerBytesMax: the largest body of an answer, unpacked, in bytes; a larger one is unreadable. Answers of
  ///   Counterfoil's server are far below 1 MiB.
  ///   - dependencies: its `sleep` measures the time limit.
  public static func urlSession(
    answerBytesMax: Int = 1 << 20, dependencies: Dependencies = .ofThisDevice
  ) -> HTTPExchange {
    let door = URLSessionExchange(answerBytesMax: answerBytesMax)
    return HTTPExchange { request, limit throws(HTTPExchangeError) in
      guard !Task.isCancelled else { throw .cancelled }
      let (number, answer) = try await door.begin(request, within: limit)
      let outcome = await withTaskGroup(of: ExchangeOutcome?.self) { group in
        group.addTask {
          for await outcome in answer { return outcome }
          return nil
        }
        group.addTask {
          try? await dependencies.sleep(limit)
          return nil
        }
        let first = await group.next() ?? nil
        group.cancelAll()
        return first
      }
      // In any case: on Linux URLSession sometimes never answers an early cancellation.
      await door.forget(number)
      guard let outcome else {
        throw Task.isCancelled ? .cancelled : .outcomeUnknown("No answer came within \(limit.milliseconds) ms.")
      }
      return try outcome.get()
    }
  }
}

typealias ExchangeOutcome = Result<HTTPResponse, HTTPExchangeError>

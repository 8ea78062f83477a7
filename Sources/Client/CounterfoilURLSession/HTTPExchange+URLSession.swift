public import HTTPMessages
public import PaymentPrimitives

extension HTTPExchange {
  /// The network through `URLSession`: what an app hands to `Purchasing`.
  ///
  ///     let purchasing = try Purchasing(
  ///       configuration, queue: queue, vault: vault, exchange: .urlSession(), surroundings: .ofThisDevice)
  ///
  /// One request, one answer: no redirect is followed, nothing is cached, no cookie and no credential is kept or sent.
  /// The time limit of each request covers the whole exchange. Certificates are checked as the system does it (X15).
  ///
  /// - Parameters:
  ///   - answerBytesMax: the largest body of an answer, unpacked; a larger one is unreadable. Our server's are far
  ///     below 1 MiB.
  ///   - surroundings: whose `sleep` measures the time limit.
  public static func urlSession(
    answerBytesMax: Int = 1 << 20, surroundings: Dependencies = .ofThisDevice
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
          try? await surroundings.sleep(limit)
          return nil
        }
        let first = await group.next() ?? nil
        group.cancelAll()
        return first
      }
      // Whatever URLSession makes of it: on Linux it was seen never to answer an early cancellation.
      await door.forget(number)
      guard let outcome else {
        throw Task.isCancelled ? .cancelled : .outcomeUnknown("No answer came within \(limit.milliseconds) ms.")
      }
      return try outcome.get()
    }
  }
}

/// What becomes of one exchange.
typealias ExchangeOutcome = Result<HTTPResponse, HTTPExchangeError>

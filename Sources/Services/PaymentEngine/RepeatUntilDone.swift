package import PaymentPrimitives

extension PaymentEngine {
  /// Repeats a step until it returns true, or the task is cancelled. After an error it logs and pauses.
  ///
  /// - Parameters:
  ///   - event: the log event of an error.
  ///   - pause: how long it waits after an error.
  ///   - step: takes what is due, and waits if nothing is; true if there will never be anything to do again.
  package func repeatUntilDone(
    loggingErrors event: String, pause: TimeSpan, _ step: () async throws -> Bool
  ) async {
    while !Task.isCancelled {
      do {
        if try await step() { return }
      } catch is CancellationError {
        return
      } catch {
        log(LogEvent(.error, event, [("error", "\(error)")]))
        guard (try? await dependencies.sleep(pause)) != nil else { return }
      }
    }
  }
}

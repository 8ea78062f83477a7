/// Starts the listener of a vendor's endless stream: it must outlive every single call, from the launch of the app on.
/// It also starts the vendor calls with a time limit, because any of them may never end.
///
/// An app needs only the default. A simulation passes its own, so that the work runs in its simulated process.
public struct AdapterStart: Sendable {
  /// Starts work and returns at once.
  public let start: @Sendable (@escaping @Sendable () async -> Void) -> Void

  /// A starter that runs work with this closure.
  public init(_ start: @escaping @Sendable (@escaping @Sendable () async -> Void) -> Void) {
    self.start = start
  }

  /// Starts the work as a task of its own. It ends with the process: the listener runs for as long as the app lives.
  public static let asTask = AdapterStart { work in Task { await work() } }
}

/// Starts what listens to a vendor's endless stream: it must outlive every single call, from the launch of the app on.
/// It also starts the calls of a vendor that are waited for with a limit, because none of them promises to end.
///
/// An app needs nothing but the default. A simulated world hands in its own, so that the work runs in its process.
public struct AdapterStart: Sendable {
  /// Starts work and returns at once.
  public let start: @Sendable (@escaping @Sendable () async -> Void) -> Void

  /// Starts work in that way.
  public init(_ start: @escaping @Sendable (@escaping @Sendable () async -> Void) -> Void) {
    self.start = start
  }

  /// As a task of its own. It ends with the process: a vendor's stream is listened to for as long as the app lives.
  public static let asTask = AdapterStart { work in Task { await work() } }
}

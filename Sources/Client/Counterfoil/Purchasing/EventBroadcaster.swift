/// Sends each event to every listener.
final class EventBroadcaster {
  /// Events that one listener may leave unread. Older ones are then dropped; `openOrders` stays correct.
  private static let unreadMax = 256
  /// Maximum listeners at a time: enough for screens, and a bound on a faulty loop.
  private static let listenersMax = 64

  private let log: SupportLog
  private var listeners: [Int: AsyncStream<PurchaseEvent>.Continuation] = [:]
  private var lastNumber = 0
  /// Parts of the client that hear each event at once.
  private var observers: [(PurchaseEvent) -> Void] = []
  /// Counts the events after which a user's entitlements may differ.
  private(set) var changes = 0

  init(log: SupportLog) { self.log = log }

  /// A new listener's events: these first, then everything new.
  func stream(beginningWith first: [PurchaseEvent]) -> AsyncStream<PurchaseEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: PurchaseEvent.self, bufferingPolicy: .bufferingNewest(Self.unreadMax))
    for event in first { continuation.yield(event) }
    guard listeners.count < Self.listenersMax else {
      log.write(.warning, "client.events.tooManyListeners")
      continuation.finish()
      return stream
    }
    lastNumber += 1
    listeners[lastNumber] = continuation
    return stream
  }

  func addObserver(_ observer: @escaping (PurchaseEvent) -> Void) { observers.append(observer) }

  func emit(_ event: PurchaseEvent) {
    for observer in observers { observer(event) }
    if event.mayChangeEntitlements { changes += 1 }
    for number in listeners.keys.sorted() {
      // A listener that has ended is noticed only when an event is sent to it.
      if case .terminated = listeners[number]?.yield(event) { listeners[number] = nil }
    }
  }
}

extension PurchaseEvent {
  /// Whether the user's entitlements may differ after it.
  var mayChangeEntitlements: Bool {
    switch self {
    case .fulfilled, .orderGranted, .notGranted: true
    default: false
    }
  }
}

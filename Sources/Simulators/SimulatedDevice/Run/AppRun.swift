import Synchronization

/// One process of the app on a device, as the system's frameworks see it. Its observers and iterators end with it,
/// without notice (rule DEV-1).
package final class AppRun: Sendable {
  /// The process that runs the current task: the framework stand-ins find their device through it.
  @TaskLocal package static var current: AppRun?

  /// The calling process. Without one there is no device, which is a mistake in the test.
  package static var here: AppRun {
    guard let run = current else { preconditionFailure("a framework was called outside of `AppRun.start`") }
    return run
  }

  package let device: Device
  /// The number of this process among the app's processes on this device, counted from 1.
  package let number: Int
  private let enter: @Sendable (@escaping @Sendable () async -> Void) -> Void
  private let state = Mutex(State())

  private struct State {
    var isDead = false
    var lastObserver = 0
    var observers: [Int: @Sendable (QueueUpdate) -> Void] = [:]
    var hadObserver = false
    var iterators: [AsyncStream<DeviceTransaction>.Continuation] = []
    var hadIterator = false
    var intents: [DevicePayment] = []
    var intentIterator: AsyncStream<DevicePayment>.Continuation?
    var countries: [AsyncStream<String>.Continuation] = []
    var objects: [Int: any AnyObject & Sendable] = [:]
    /// An object that outlives the end of the process: the last jobs of a killed process still refer to it.
    var lasting: (any AnyObject & Sendable)?
  }

  init(
    _ device: Device, number: Int, enter: @escaping @Sendable (@escaping @Sendable () async -> Void) -> Void
  ) {
    self.device = device
    self.number = number
    self.enter = enter
  }

  package func start(_ body: @escaping @Sendable () async -> Void) {
    enter { await AppRun.$current.withValue(self) { await body() } }
  }

  package var isDead: Bool { state.withLock { $0.isDead } }

  /// Ends the process. The caller must also stop its jobs.
  package func end() {
    state.withLock {
      $0.isDead = true
      $0.observers = [:]
      $0.iterators = []
      $0.countries = []
      $0.objects = [:]
    }
    device.messages.appEnded()
    device.queues.ended(self)
  }

  // MARK: StoreKit 1

  /// Attaches an observer. The first of a process gets all unfinished entries (rule SK1-7); a later one does not.
  ///
  /// - Returns: its number, to detach it.
  package func attach(_ observer: @escaping @Sendable (QueueUpdate) -> Void) -> Int {
    let (number, isFirst) = state.withLock { state in
      state.lastObserver += 1
      state.observers[state.lastObserver] = observer
      defer { state.hadObserver = true }
      return (state.lastObserver, !state.hadObserver)
    }
    if isFirst { device.refresh.firstObserverCame(self) }
    return number
  }

  package func detach(_ number: Int) { state.withLock { $0.observers[number] = nil } }

  /// Whether an observer is attached (rules SK1-1, SK1-8).
  package var isObserved: Bool { state.withLock { !$0.observers.isEmpty } }

  /// Tells the observers, in a job of the process.
  func tell(_ news: QueueUpdate) {
    guard !isDead else { return }
    start {
      let observers = self.state.withLock { $0.observers }
      for number in observers.keys.sorted() { observers[number]?(news) }
    }
  }

  /// The object that stands for an entry: the same for the entry's whole life in this process.
  package func object<Object: AnyObject & Sendable>(for handle: Int, make: () -> Object) -> Object {
    state.withLock { state in
      if let known = state.objects[handle] as? Object { return known }
      let new = make()
      state.objects[handle] = new
      return new
    }
  }

  /// The one object of the process that is never released before its last job: a global actor. A task that waits for a
  /// global actor does not retain it.
  package func lastingObject<Object: AnyObject & Sendable>(make: () -> Object) -> Object {
    state.withLock { state in
      if let known = state.lasting as? Object { return known }
      let new = make()
      state.lasting = new
      return new
    }
  }

  // MARK: StoreKit 2

  /// A new iterator over `Transaction.updates`: the first of a process gets all unfinished transactions (rule SK2-6).
  package func iterateUpdates() -> AsyncStream<DeviceTransaction> {
    let (stream, continuation) = AsyncStream.makeStream(of: DeviceTransaction.self)
    let isFirst = state.withLock { state in
      state.iterators.append(continuation)
      defer { state.hadIterator = true }
      return !state.hadIterator
    }
    if isFirst { device.refresh.firstIteratorCame(self) }
    return stream
  }

  /// Whether an iterator exists; without one nothing is delivered, and nothing is lost (rule SK2-7).
  var isIterated: Bool { state.withLock { !$0.iterators.isEmpty } }

  /// The purchases that the customer begins outside the app; those before the iteration come first (rule SK2-19).
  package func iterateIntents() -> AsyncStream<DevicePayment> {
    let (stream, continuation) = AsyncStream.makeStream(of: DevicePayment.self)
    let waiting = state.withLock { state in
      state.intentIterator = continuation
      defer { state.intents = [] }
      return state.intents
    }
    for intent in waiting { continuation.yield(intent) }
    return stream
  }

  func intend(_ payment: DevicePayment) {
    let iterator = state.withLock { state in
      if state.intentIterator == nil { state.intents.append(payment) }
      return state.intentIterator
    }
    iterator?.yield(payment)
    tell(.promoted(payment))
  }

  /// The countries of the App Store from now on (rule SK2-30).
  package func iterateCountries() -> AsyncStream<String> {
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    state.withLock { $0.countries.append(continuation) }
    return stream
  }

  func tellCountry(_ country: String) {
    guard !isDead else { return }
    for iterator in state.withLock({ $0.countries }) { iterator.yield(country) }
    tell(.storefrontChanged)
  }

  func yield(_ transaction: DeviceTransaction) {
    guard !isDead else { return }
    for iterator in state.withLock({ $0.iterators }) { iterator.yield(transaction) }
  }
}

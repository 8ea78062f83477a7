import CounterfoilAPI
import PaymentPrimitives

/// Reads entitlements, keeps the last answer for times without a network, and tells listeners of changes
/// (docs/decisions/0206-kept-entitlements-with-their-age.md).
final class Entitlements {
  /// Screens that listen at a time, and a bound on a faulty loop.
  private static let listenersMax = 64

  private let app: AppIdentifier
  private let dependencies: Dependencies
  private let tasks: BackgroundTasks
  private let server: ServerConnection
  private let records: VaultRecords
  private let session: UserSession
  private let log: SupportLog
  private let orders: OpenOrders
  private var listeners: [Int: AsyncStream<EntitlementSnapshot>.Continuation] = [:]
  private var lastListener = 0
  /// The last snapshot that listeners got, and its user.
  private var told: (user: UserIdentifier, entitlements: [Entitlement])?
  private let events: EventBroadcaster
  /// The events that the kept answer knows of. An answer of an earlier run has missed none of this one.
  private var changesSeen = 0
  private var isReading = false

  init(_ resources: PurchasingResources, _ state: PurchasingState) {
    app = resources.configuration.app
    dependencies = resources.dependencies
    tasks = resources.tasks
    server = resources.server
    records = resources.records
    session = state.session
    log = state.log
    events = state.events
    orders = state.orders
  }

  /// The kept answer about the signed-in user, if it is at most that old.
  nonisolated(nonsending) func kept(at most: TimeSpan, of user: UserIdentifier) async -> EntitlementSnapshot? {
    guard await orders.areLoaded(), let kept = await records.keptEntitlements, kept.user == user,
      let snapshot = kept.snapshot(at: dependencies.now()), snapshot.age <= most
    else { return nil }
    return snapshot
  }

  /// The kept answer, if nothing has happened since that may have changed it.
  nonisolated(nonsending) func current(at most: TimeSpan, of user: UserIdentifier) async -> EntitlementSnapshot? {
    changes != changesSeen || most <= .zero ? nil : await kept(at: most, of: user)
  }

  /// The events so far that may have changed an answer: read it before the server is asked.
  var changes: Int { events.changes }

  /// Keeps an answer of the server, and tells the listeners if it differs from the last one.
  nonisolated(nonsending) func keep(
    _ entitlements: [Entitlement], _ statedAt: Timestamp?, of user: UserIdentifier, since changes: Int
  ) async -> EntitlementSnapshot {
    let now = dependencies.now()
    let kept = KeptEntitlements(
      app: app, user: user, entitlements: entitlements, statedAt: statedAt ?? now, writtenAt: now)
    changesSeen = changes
    do throws(VaultFailure) {
      try await records.keep(kept)
    } catch {
      // The answer itself is good; without a network it will be missing.
      log.vaultFailed(error)
    }
    let snapshot = EntitlementSnapshot(entitlements, statedAt: kept.statedAt)
    tell(snapshot, of: user)
    return snapshot
  }

  // MARK: changes

  func add(_ listener: AsyncStream<EntitlementSnapshot>.Continuation) {
    guard listeners.count < Self.listenersMax else {
      log.write(.warning, "client.entitlements.tooManyListeners")
      return listener.finish()
    }
    lastListener += 1
    listeners[lastListener] = listener
  }

  /// Asks the server for those who listen.
  nonisolated(nonsending) func readIfSomebodyListens() async {
    guard !listeners.isEmpty, !isReading else { return }
    isReading = true
    await tasks.addIsolated { await $0.rights.readForListeners() }
  }

  nonisolated(nonsending) private func readForListeners() async {
    defer { isReading = false }
    guard let user = session.user else { return }
    let (server, changes) = (self.server, changes)
    guard case .answered(let answer) = await session.asUser(user, { await server.entitlements(as: $0) }),
      session.user == user
    else { return }
    _ = await keep(answer.entitlements, answer.at, of: user, since: changes)
  }

  private func tell(_ snapshot: EntitlementSnapshot, of user: UserIdentifier) {
    guard told?.user != user || told?.entitlements != snapshot.entitlements else { return }
    told = (user, snapshot.entitlements)
    for number in listeners.keys.sorted() {
      if case .terminated = listeners[number]?.yield(snapshot) { listeners[number] = nil }
    }
  }
}

extension Purchasing {
  /// The entitlements of the signed-in user, from the device if its last answer of the server is young enough.
  ///
  /// The device keeps the last answer with its time. It is returned without a request if it is at most `maximumAge`
  /// old and nothing happened since that may have changed it (a grant, a refund, a restore). Otherwise the server is
  /// asked. If it cannot be reached, the last answer is returned while it is at most `unreachableAge` old. An
  /// entitlement whose end has passed meanwhile is `expired` in it.
  ///
  ///     let rights = try await purchasing.entitlements(maximumAge: .minutes(5), unreachableAge: .days(3))
  ///     if rights.givesAccess(to: "club") { … }
  ///
  /// - Parameters:
  ///   - maximumAge: how old an answer may be that needs no request.
  ///   - unreachableAge: how old an answer may be while the server cannot be reached; default: `maximumAge`.
  /// - Throws: as `entitlements`. None of its errors means that the user has none.
  public func entitlements(
    maximumAge: TimeSpan, unreachableAge: TimeSpan? = nil
  ) async throws(PurchasingError) -> EntitlementSnapshot {
    guard await hasStarted() else { throw PurchasingError(.notRunning, "Call `start()` first.") }
    guard let user = state.session.user else { throw PurchasingError(.notSignedIn, "Call `setUser(_:)` first.") }
    if let current = await rights.current(at: maximumAge, of: user) { return current }
    let (server, changes) = (resources.server, rights.changes)
    do throws(PurchasingError) {
      let answer = try await askAboutUser { await server.entitlements(as: $0) }
      return await rights.keep(answer.entitlements, answer.at, of: user, since: changes)
    } catch {
      guard error.code == .serverUnreachable, state.session.user == user,
        let kept = await rights.kept(at: unreachableAge ?? maximumAge, of: user)
      else { throw error }
      state.log.write(.warning, "client.entitlements.kept", with: [("age", "\(kept.age.milliseconds / 1000)")])
      return kept
    }
  }

  /// The changes of the signed-in user's entitlements, as the server states them. While there is a listener, the client
  /// asks after each grant, refund and restore that it sees, and after another user signs in. A kept answer comes
  /// first; it may be old, see its `age`.
  public func entitlementUpdates() async -> AsyncStream<EntitlementSnapshot> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: EntitlementSnapshot.self, bufferingPolicy: .bufferingNewest(1))
    if let user = state.session.user, let kept = await rights.kept(at: .days(36_500), of: user) {
      continuation.yield(kept)
    }
    rights.add(continuation)
    await rights.readIfSomebodyListens()
    return stream
  }
}

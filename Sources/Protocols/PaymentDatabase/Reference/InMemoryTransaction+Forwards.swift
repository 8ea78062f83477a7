import PaymentModel
import PaymentPrimitives

extension InMemoryTransaction {
  // MARK: questions

  func forward(of notification: String, in appEnvironment: AppEnvironment) throws -> NotificationForward? {
    try proceed()
    return rows.forwards[place(notification, appEnvironment)]
  }

  func dueForwards(at now: Timestamp, of app: AppIdentifier, limit: Int) throws -> [NotificationForward] {
    try proceed()
    return open(of: app)
      .filter { $0.state == .pending && $0.readyAt <= now }
      .sorted { ordered($0.readyAt, $0, before: $1.readyAt, b: $1) }
      .limited(to: limit)
  }

  func nextForwardTime(of app: AppIdentifier) throws -> Timestamp? {
    try proceed()
    return open(of: app).filter { $0.state == .pending }.map(\.readyAt).min()
  }

  func openForwards(of app: AppIdentifier, limit: Int) throws -> [NotificationForward] {
    try proceed()
    return open(of: app).sorted { ordered($0.createdAt, $0, before: $1.createdAt, b: $1) }.limited(to: limit)
  }

  func forwardBacklog(of app: AppIdentifier) throws -> DeliveryBacklog {
    try proceed()
    let pending = open(of: app).filter { $0.state == .pending }
    return DeliveryBacklog(
      pending: pending.count, parked: open(of: app).count - pending.count,
      oldestPending: pending.map(\.createdAt).min())
  }

  private func open(of app: AppIdentifier) -> [NotificationForward] {
    rows.forwards.values.filter { $0.appEnvironment.app == app && $0.body != nil }
  }

  private func ordered(
    _ moment: Timestamp, _ a: NotificationForward, before other: Timestamp, b: NotificationForward
  ) -> Bool {
    let (first, second) = (a.appEnvironment.environment.rawValue, b.appEnvironment.environment.rawValue)
    guard moment == other, first == second else { return (moment, first) < (other, second) }
    return precedes(a.notification, b.notification)
  }

  private func place(_ notification: String, _ appEnvironment: AppEnvironment) -> ScopedText {
    ScopedText(appEnvironment: appEnvironment, scope: "", text: ExactText(notification))
  }

  // MARK: writes

  func insert(_ forward: NotificationForward) throws {
    try proceed()
    let place = place(forward.notification, forward.appEnvironment)
    guard rows.forwards[place] == nil else { throw conflict(on: "notification that is passed on") }
    try require(rows.notifications[place] != nil, "A notification to be passed on is not there.")
    set(\.forwards, place, value: forward)
  }

  func update(_ forward: NotificationForward) throws {
    try proceed()
    let place = place(forward.notification, forward.appEnvironment)
    let before = rows.forwards[place]
    try require(
      before.map { $0.createdAt == forward.createdAt && (forward.body == nil || $0.hasBody(of: forward)) } ?? false,
      "A notification to be passed on is missing or is another.")
    set(\.forwards, place, value: forward)
  }
}

extension NotificationForward {
  fileprivate func hasBody(of other: NotificationForward) -> Bool {
    guard let mine = body, let its = other.body else { return false }
    return mine.utf8.elementsEqual(its.utf8)
  }
}

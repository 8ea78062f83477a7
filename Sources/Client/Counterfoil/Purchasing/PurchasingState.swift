/// What one run of a client knows, each part of it with one owner.
///
/// The parts are classes that are not `Sendable`: they stay on the actor of their `Purchasing`, so a call to them
/// needs no `await`, and nothing can happen between two of them.
struct PurchasingState {
  let log: SupportLog
  let session: UserSession
  let store: StoreAccess
  let events: EventBroadcaster
  let orders: OpenOrders
  let claims: RecordClaims
  let flows: PurchaseFlows
  let sheets: OpenedSheets
  let submissions: SubmissionStates

  init(_ resources: PurchasingResources) {
    let configuration = resources.configuration
    log = SupportLog(configuration.log, now: resources.dependencies.now)
    session = UserSession(
      configuration, dependencies: resources.dependencies, tasks: resources.tasks, log: log)
    store = StoreAccess(
      resources.queue, policies: configuration.policies, tasks: resources.tasks, log: log)
    events = EventBroadcaster(log: log)
    orders = OpenOrders(resources.records, session: session, events: events, log: log)
    claims = RecordClaims()
    flows = PurchaseFlows(claims: claims)
    sheets = OpenedSheets()
    submissions = SubmissionStates(now: resources.dependencies.now)
  }
}

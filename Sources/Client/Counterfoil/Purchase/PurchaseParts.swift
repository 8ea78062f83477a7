/// The parts that carry out purchases, and that follow their orders until these are closed.
struct PurchaseParts {
  let process: PurchaseProcess
  let appStore: AppStoreCheckout
  let weChat: WeChatCheckout
  let polling: WeChatPolling
  let closing: OrderClosing
  let reports: StoreReports
  let queueChecks: QueueChecks
  let delivery: DeliveryWait
  let hints: ForegroundHints

  init(_ resources: PurchasingResources, _ state: PurchasingState, finishing: StoreFinishing) {
    let policies = resources.configuration.policies
    let (dependencies, tasks, server) = (resources.dependencies, resources.tasks, resources.server)
    closing = OrderClosing(
      dependencies: dependencies, server: server, log: state.log, session: state.session, store: state.store,
      records: resources.records, orders: state.orders, claims: state.claims)
    polling = WeChatPolling(resources, state, closing: closing)
    reports = StoreReports(resources, state, finishing: finishing)
    queueChecks = QueueChecks(policies: policies, dependencies: dependencies, store: state.store)
    delivery = DeliveryWait(
      policies: policies, dependencies: dependencies, server: server, session: state.session,
      events: state.events)
    hints = ForegroundHints(
      hintAfter: policies.hintAfter, dependencies: dependencies, tasks: tasks, flows: state.flows,
      events: state.events)
    let room = VaultRoom(
      dependencies: dependencies, server: server, session: state.session, store: state.store,
      records: resources.records, orders: state.orders, claims: state.claims, closing: closing)
    let placement = OrderPlacement(
      app: resources.configuration.app, dependencies: dependencies, server: server, session: state.session,
      records: resources.records, orders: state.orders, claims: state.claims, flows: state.flows, room: room,
      store: state.store)
    appStore = AppStoreCheckout(
      queue: resources.queue, policies: policies, dependencies: dependencies, tasks: tasks, server: server,
      log: state.log, session: state.session, store: state.store, orders: state.orders, flows: state.flows,
      sheets: state.sheets, states: state.submissions)
    weChat = WeChatCheckout(
      app: resources.weChat, policies: policies, dependencies: dependencies, tasks: tasks, server: server,
      log: state.log, session: state.session, records: resources.records, orders: state.orders,
      claims: state.claims, flows: state.flows, placement: placement, closing: closing, polling: polling,
      events: state.events)
    process = PurchaseProcess(
      policies: policies, dependencies: dependencies, tasks: tasks, store: state.store, orders: state.orders,
      flows: state.flows, states: state.submissions, placement: placement, closing: closing,
      offers: OfferSigning(server: server, session: state.session), appStore: appStore, weChat: weChat,
      polling: polling)
  }
}

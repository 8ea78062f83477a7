/// What happens to the world: user sessions, kills, network cuts, refunds.
struct Workload: Sendable {
  let sessions: PhoneSessions
  let restarts: ServerRestarts
  let faults: StoreFaults
  let subscribers: SubscriberActs
  let debits: BackendDebits
  let credits: BackendCredits
  let merges: UserMerges
  let limits: BackendLimits
  let promotions: BackendPromotions
  let erasures: UserErasures
  let operators: OperatorPresses
  let complaints: CustomerComplaints
  let otherShop: OtherShopSales
  let sandbox: SandboxSales
  let claims: OperatorClaims
  private let context: SimulationContext
  private let servers: [WorldServer]
  private let phones: [WorldPhone]
  private let kills: ProcessKills
  private let cuts: NetworkCuts
  private let closings: OrderClosings
  private let refunds: AppStoreRefunds
  private let weChatPayRefunds: WeChatPayRefunds
  private let catalog: CatalogChanges
  private let cheat: CheatingUser
  private let floods: ServerFloods

  init(
    context: SimulationContext, appStore: WorldAppStore, weChatPay: WorldWeChatPay, servers: [WorldServer],
    backend: WorldBackend, phones: [WorldPhone], database: WorldDatabase
  ) {
    self.context = context
    self.servers = servers
    self.phones = phones
    sessions = PhoneSessions(context: context)
    restarts = ServerRestarts(context: context, appStore: appStore, weChatPay: weChatPay, servers: servers)
    faults = StoreFaults(context: context, appStore: appStore, weChatPay: weChatPay)
    subscribers = SubscriberActs(context: context, appStore: appStore)
    debits = BackendDebits(context: context, backend: backend)
    credits = BackendCredits(context: context, backend: backend)
    merges = UserMerges(context: context)
    limits = BackendLimits(context: context, database: database)
    promotions = BackendPromotions(context: context)
    erasures = UserErasures(context: context, servers: servers, restarts: restarts)
    let purchases = ClaimablePurchases(appStore: appStore, phones: phones)
    operators = OperatorPresses(
      context: context, database: database, backend: backend, servers: servers, restarts: restarts,
      claims: ConsoleClaims(context: context, database: database, purchases: purchases))
    complaints = CustomerComplaints(context: context, weChatPay: weChatPay, servers: servers, restarts: restarts)
    otherShop = OtherShopSales(context: context, appStore: appStore)
    sandbox = SandboxSales(context: context, appStore: appStore, phones: phones)
    claims = OperatorClaims(context: context, appStore: appStore, purchases: purchases)
    kills = ProcessKills(
      context: context, appStore: appStore, weChatPay: weChatPay, backend: backend, restarts: restarts)
    cuts = NetworkCuts(context: context, phones: phones)
    closings = OrderClosings(context: context, phones: phones)
    refunds = AppStoreRefunds(context: context, appStore: appStore, backend: backend)
    weChatPayRefunds = WeChatPayRefunds(context: context, weChatPay: weChatPay)
    catalog = CatalogChanges(
      context: context, appStore: appStore, weChatPay: weChatPay, servers: servers, backend: backend,
      restarts: restarts, otherShop: otherShop)
    cheat = CheatingUser(context: context, appStore: appStore, phones: phones)
    floods = ServerFloods(context: context, appStore: appStore, weChatPay: weChatPay, servers: servers)
  }

  /// Runs the whole fault phase; every process runs again when it returns.
  func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for phone in phones { group.addTask { try await sessions.day(of: phone) } }
      for (number, server) in servers.enumerated() {
        group.addTask { try await kills.killServer(server, number) }
      }
      group.addTask { try await kills.killAppStore() }
      group.addTask { try await kills.killBackend() }
      group.addTask { try await cuts.run() }
      group.addTask { try await refunds.refundCharges() }
      group.addTask { try await closings.closeOrders() }
      group.addTask { try await kills.killWeChatPay() }
      group.addTask { try await weChatPayRefunds.run() }
      group.addTask { try await closings.closeWeChatPayOrders() }
      group.addTask { try await subscribers.run() }
      group.addTask { try await refunds.refundInStories() }
      group.addTask { try await debits.run() }
      group.addTask { try await catalog.changeProducts() }
      group.addTask { try await otherShop.run() }
      // A task without work would still add a step, and change the trace of every world.
      if !context.plan.catalog.kinds.isEmpty { group.addTask { try await catalog.mistakeKinds() } }
      if context.plan.crowd.isOtherTended { group.addTask { try await catalog.changeOtherApp() } }
      group.addTask { try await cheat.run() }
      if context.plan.sandbox.purchases > 0 { group.addTask { try await sandbox.run() } }
      if context.plan.bookkeeping.credits > 0 { group.addTask { try await credits.run() } }
      // The users of the sandbox must be able to order.
      if context.plan.bookkeeping.limits > 0, context.plan.sandbox.purchases == 0 {
        group.addTask { try await limits.run() }
      }
      if context.plan.bookkeeping.promotions > 0 { group.addTask { try await promotions.run() } }
      if context.plan.bookkeeping.complaints > 0, !context.plan.weChat.phones.isEmpty {
        group.addTask { try await complaints.run() }
      }
      if context.plan.bookkeeping.presses > 0 { group.addTask { try await operators.run() } }
      // The records of testers name users as they were.
      if context.plan.bookkeeping.merges > 0, context.plan.sandbox.purchases == 0 {
        group.addTask { try await merges.run() }
      }
      if !context.plan.flood.floods.isEmpty { group.addTask { try await floods.run() } }
      try await group.waitForAll()
    }
  }
}

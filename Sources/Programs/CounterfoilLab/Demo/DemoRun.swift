import AppStoreSimulator
import Counterfoil
import CounterfoilCLI
import Cryptography
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration
import StrictJSON
import Synchronization

struct DemoRun: Sendable {
  let plan: DemoPlan
  let platform: Platform
  private let progress = DemoProgress()

  init(_ plan: DemoPlan, _ platform: Platform) {
    self.plan = plan
    self.platform = platform
  }

  func run() async throws -> DemoResult {
    let stage = try await DemoStage.build(plan, platform)
    let listeners = [stage.receiverListener, stage.controlListener]
    let outcome = Mutex<Result<Void, any Error>>(.success(()))
    await withTaskGroup(of: Void.self) { group in
      for listener in listeners { group.addTask { await listener.run() } }
      group.addTask { await stage.simulator.run() }
      group.addTask { await stage.weChatPay.run() }
      do { try await runPurchases(stage) } catch { outcome.withLock { $0 = .failure(error) } }
      for listener in listeners { listener.stop() }
      group.cancelAll()
    }
    await stage.server.end()
    try outcome.withLock { $0 }.get()
    return try await collectResult(stage)
  }

  /// Shoppers buy while the server is killed repeatedly. Then the run waits for the last deliveries.
  private func runPurchases(_ stage: DemoStage) async throws {
    try await stage.waitUntilReady(platform)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<plan.shoppers {
        group.addTask { try await shop(number, stage) }
      }
      group.addTask { try await killServer(stage) }
      try await group.waitForAll()
    }
    if platform.isTerminal, !plan.isJSON { platform.print("\n") }
    printLine(BilingualText("All purchases are done; waiting for the last deliveries.", "所有购买已完成，正在等待最后的发货通知。"))
    try await waitForBookings(stage)
  }

  /// The purchases of one shopper. Every second app run gets no callback for its purchase; every third is killed and
  /// started again.
  private func shop(_ number: Int, _ stage: DemoStage) async throws {
    let account = AppleAccountIdentifier("shopper\(number)")
    try await stage.simulator.store.catalog.setAccount(
      SimulatedAppleAccount(id: account, environment: .production))
    let shopper = Shopper(
      user: UserIdentifier("user\(number)"),
      phone: try .with(account: account, folder: plan.folder + "/phones/\(number)", platform),
      server: stage.address, tokenSecret: stage.tokenSecret, exchange: stage.exchange,
      dependencies: platform.dependencies)
    for turn in 0..<plan.purchases {
      let getsCallback = turn % 2 == 0
      let app = try shopper.launch(at: stage.simulator.store, hearsOfPurchases: getsCallback)
      let timeLimit: TimeSpan = turn % 3 == 2 ? .milliseconds(150) : getsCallback ? .seconds(5) : .seconds(1)
      let bought = await buy(shopper, app, timeLimit: timeLimit)
      progress.purchases.withLock { $0 += 1 }
      if !bought { await relaunch(shopper, stage) }
      await DemoWeChatShopper(stage, platform, user: "android\(number)").buy(turn: turn)
      report()
    }
    await relaunch(shopper, stage)
  }

  /// Buys once, within a time limit. Then the app is closed, even if the purchase is not complete.
  private func buy(_ shopper: Shopper, _ app: Purchasing, timeLimit: TimeSpan) async -> Bool {
    let dependencies = platform.dependencies
    return await withTaskGroup(of: Bool?.self) { group in
      group.addTask {
        let outcome = try? await shopper.use(app) { try await $0.purchase("coins.100") }
        if case .fulfilled = outcome { return true }
        return false
      }
      group.addTask {
        try? await dependencies.sleep(timeLimit)
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first == true
    }
  }

  /// Starts the app again, which recovers its unfinished purchases.
  private func relaunch(_ shopper: Shopper, _ stage: DemoStage) async {
    for _ in 0..<30 {
      let report = try? await shopper.use(try shopper.launch(at: stage.simulator.store)) {
        await $0.recover(.launch)
      }
      guard let report, report.isComplete, report.waiting == 0 else {
        try? await platform.dependencies.sleep(.milliseconds(300))
        continue
      }
      if report.fulfilled > 0 { progress.recovered.withLock { $0 += report.fulfilled } }
      return
    }
  }

  /// Kills the server repeatedly, spread over all purchases, each time shortly after one of them.
  private func killServer(_ stage: DemoStage) async throws {
    let all = plan.shoppers * plan.purchases
    for kill in 0..<plan.kills {
      let threshold = all * kill / plan.kills
      while progress.purchases.withLock({ $0 }) < threshold { try await platform.dependencies.sleep(.milliseconds(20)) }
      let pause = 50 + Int64(platform.dependencies.randomNumber(below: 300))
      try await platform.dependencies.sleep(.milliseconds(pause))
      try stage.server.killAndRestart()
      progress.kills.withLock { $0 += 1 }
      report()
    }
  }

  /// Waits until the backend has booked every charge, or until nothing has changed for a long time.
  private func waitForBookings(_ stage: DemoStage) async throws {
    for _ in 0..<600 {
      let charged = await stage.simulator.store.charges().count + stage.weChatPaid().count
      if Set(stage.receiver.booked.values.map(\.transaction)).count >= charged { return }
      try await platform.dependencies.sleep(.milliseconds(200))
    }
  }

  private func collectResult(_ stage: DemoStage) async throws -> DemoResult {
    var result = DemoResult()
    let byWeChatPay = await stage.weChatPaid()
    result.chargedByWeChatPay = byWeChatPay.count
    result.charged = Set(await stage.simulator.store.charges().map(\.transaction.id.text)).union(byWeChatPay)
    let booked = stage.receiver.booked.values.map(\.transaction)
    result.delivered = Set(booked)
    result.doubled = booked.count - result.delivered.count
    result.kills = progress.kills.withLock { $0 }
    result.recoveredByRelaunch = progress.recovered.withLock { $0 }
    result.repeatedDeliveries = stage.receiver.repeats
    result.forged = stage.receiver.forged
    let opened = try await OpenDatabase.reading(stage.configuration, platform)
    let reader = opened.payments
    let audit = try await PaymentAudit(atRest: true).run(on: reader)
    result.granted = audit.paymentsByState["fulfilled"] ?? 0
    result.violations = audit.violations.map(\.description)
    let first = try await reader.read { database in
      try database.payments(after: nil, limit: 100_000).map {
        try database.evidence(of: $0.key).first?.origin
      }
    }
    result.firstByClient = first.count { $0 == .client }
    result.firstByNotification = first.count { $0 == .notification }
    result.firstByQuestion = first.count { $0 == .storeAnswer }
    await opened.close()
    return result
  }

  private func report() {
    let purchases = progress.purchases.withLock { $0 }
    let kills = progress.kills.withLock { $0 }
    let text = BilingualText(
      "purchases \(purchases) of \(plan.shoppers * plan.purchases), server killed \(kills) times",
      "已购买 \(purchases)/\(plan.shoppers * plan.purchases)，服务器已被终止 \(kills) 次")
    // Two shoppers that finish at the same time report the same text.
    let isNew = progress.lastReport.withLock { lastReport in
      defer { lastReport = text.english }
      return lastReport != text.english
    }
    guard isNew else { return }
    guard platform.isTerminal, !plan.isJSON else { return printLine(text) }
    // On a terminal, the progress rewrites one line.
    platform.rewriteLine(text[CommandLineProgram.language(platform)])
  }

  private func printLine(_ text: BilingualText) {
    guard !plan.isJSON else { return }
    platform.print(text[CommandLineProgram.language(platform)] + "\n")
  }
}

private final class DemoProgress: Sendable {
  let purchases = Mutex(0)
  let kills = Mutex(0)
  let recovered = Mutex(0)
  let lastReport = Mutex("")
}

import CounterfoilCLI
import HTTPMessages
import PaymentPrimitives
import PaymentServer
import SQLiteDatabase

/// `counterfoil-lab bench notified`: how soon a store's notification is answered, beside what the disk takes.
enum BenchNotifiedCommand {
  struct Settings: Sendable {
    let notifications: Int
    let perSecond: Int
    let folder: String
  }

  /// What the row allows besides its bound, in milliseconds.
  private static let allowedMilliseconds = 100.0
  private static let synchronizedBytes = 8192
  private static let connections = 16

  static let command = Command.of(
    "bench notified", BilingualText("measure how soon notifications are answered", "测量通知的应答时间"),
    usage: """
      usage: counterfoil-lab bench notified [--notifications N] [--rate N] [--data DIR] [--json]

      Measures row 8 of docs/specification/numbers.md: a store's notifications of new payments come at a steady rate;
      how long the slowest of 1000 waits for its answer, which comes after the commit, against how long the slowest of
      1000 calls of fdatasync takes in the same run.

        --notifications N   how many, 1000 to 100000 (otherwise 2000)
        --rate N            of them a second, 1 to 1000 (otherwise 100)
        --data DIR          where everything lies (otherwise ./bench-data); removed afterwards
        --json              one JSON object a line

      Exit codes: 0 measured, 1 the run does not reconcile, or the work failed, 2 wrong usage.

      """,
    valued: ["notifications", "rate", "data"], program: "counterfoil-lab"
  ) { options, platform in
    let settings = Settings(
      notifications: Int(try options.number("notifications", in: 1000...100_000) ?? 2000),
      perSecond: Int(try options.number("rate", in: 1...1000) ?? 100), folder: try options.one("data") ?? "bench-data")
    try await BenchReport().measure(isJSON: options.has("json"), in: settings.folder, platform) { report in
      try await run(settings, platform, into: report)
    }
    return ExitCode.done
  }

  static func run(_ settings: Settings, _ platform: Platform, into report: BenchReport) async throws {
    let shop = try FulfilShop(platform)
    let (path, calls) = (settings.folder + "/notified.db", settings.folder + "/notified")
    try platform.files.makeFolder(settings.folder)
    try platform.removeDatabase(at: path)
    let open = try await shop.open(path)
    var times: [UInt64] = []
    let result: LoadClient.Result
    do {
      let paid = try await PaidPurchases.make(settings.notifications, at: .weChatPay, shop, open: open)
      try LoadClient.write(paid.calls, to: calls, platform)
      // Half of them before and half afterwards: a disk changes its pace within seconds.
      let half = settings.notifications / 2
      times += try platform.machine.synchronizationTimes(settings.folder, synchronizedBytes, half)
      result = try await answered(settings, by: open, calls: calls, platform)
      times += try platform.machine.synchronizationTimes(settings.folder, synchronizedBytes, half)
    } catch {
      await open.database.close()
      throw error
    }
    await open.database.close()
    if let difference = try await FulfilReconciliation.difference(path, paid: settings.notifications, shop) {
      throw CommandFailure("the notifications do not reconcile: \(difference).")
    }
    try platform.removeDatabase(at: path)
    try platform.removeCalls(at: calls)
    tell(result.latencies, beside: times, settings, to: report)
  }

  private static func answered(
    _ settings: Settings, by open: OpenShop, calls: String, _ platform: Platform
  ) async throws -> LoadClient.Result {
    let server = open.server
    let listener = try platform.listen(.onThisMachine) { request, peer in
      await server.respond(to: request, from: peer)
    }
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await listener.run() }
      defer { listener.stop() }
      let result = try await LoadClient.run(
        calls, to: "http://127.0.0.1:\(listener.port)", connections: connections,
        pace: .once(perSecond: settings.perSecond), platform)
      guard result.taken == settings.notifications else {
        throw CommandFailure("\(result.taken) of \(settings.notifications) notifications were taken.")
      }
      return result
    }
  }

  private static func tell(
    _ latencies: [UInt64], beside times: [UInt64], _ settings: Settings, to report: BenchReport
  ) {
    report.note(
      "\(settings.notifications) notifications of new payments, \(settings.perSecond) a second, the client in a second "
        + "process. They reconcile: paid = granted = deliveries made, nothing doubled, the audit finds nothing.")
    let (answered, synchronized) = (milliseconds(latencies, perMille: 999), milliseconds(times, perMille: 999))
    report.row(
      .notification, "notifications answered at p99.9, against fdatasync of 8 kB at p99.9",
      ratios: Ratios([answered / max(synchronized, 0.001)]),
      alternative: answered <= allowedMilliseconds ? "within \(Int(allowedMilliseconds)) ms" : nil)
    report.detail("ms until a notification is answered, at p99.9", Ratios([answered]))
    report.detail(
      "ms until a notification is answered, at the median", Ratios([milliseconds(latencies, perMille: 500)]))
    report.detail("ms of an fdatasync of 8 kB, at p99.9", Ratios([synchronized]))
    report.detail("ms of an fdatasync of 8 kB, at the median", Ratios([milliseconds(times, perMille: 500)]))
  }

  private static func milliseconds(_ nanoseconds: [UInt64], perMille: Int) -> Double {
    let sorted = nanoseconds.sorted()
    return sorted.isEmpty ? 0 : Double(sorted[min(sorted.count - 1, sorted.count * perMille / 1000)]) / 1e6
  }
}

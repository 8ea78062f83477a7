import HTTPMessages
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// The state that a scenario is judged by: the server's database, its own answers, and the backend's bookings.
/// Messages during the run do not count.
struct ScenarioLedger: Sendable {
  let context: SimulationContext
  let database: any PaymentDatabase
  let backend: WorldBackend

  private var appEnvironment: AppEnvironment { context.appEnvironment }

  func coins(of user: UserIdentifier) async throws -> Int64 {
    try await database.read { try $0.balances(of: user, in: appEnvironment) }.first { $0.unit == "coin" }?.amount ?? 0
  }

  /// A user's active entitlements, as the server reports them to the user's app.
  func rights(of user: UserIdentifier) async throws -> Set<String> {
    let list = try await answer(to: "/v1/entitlements", for: user)["entitlements"]?.array ?? []
    return Set(list.filter { Self.givesAccess($0["state"]?.string) }.compactMap { $0["entitlement"]?.string })
  }

  private static func givesAccess(_ state: String?) -> Bool { state == "active" || state == "gracePeriod" }

  /// The server's answer about one entitlement of a user; nil if they never had it.
  func right(_ name: String, of user: UserIdentifier) async throws -> JSONValue? {
    try await answer(to: "/v1/entitlements", for: user)["entitlements"]?.array?
      .first { $0["entitlement"]?.string == name }
  }

  private func answer(to path: String, for user: UserIdentifier) async throws -> JSONValue {
    let request = HTTPRequest(
      "GET", WorldShop.serverURL + path,
      fields: ["Authorization": "Bearer \(WorldShop.userToken(for: user, at: context.world.now))"])
    let response = try await context.exchange(from: .backend, to: .server).send(request, .seconds(20))
    return try JSONReader.read(response.body)
  }

  func payments() async throws -> [Payment] { try await database.read { try $0.payments(after: nil, limit: 10_000) } }

  /// The grants of all payments, including reversed ones.
  func grants() async throws -> [Grant] {
    try await database.read { database in
      try database.payments(after: nil, limit: 10_000).compactMap { try database.grant($0.key) }
    }
  }

  /// All orders.
  func orders() async throws -> [Order] { try await database.read { try $0.orders(after: nil, limit: 10_000) } }

  /// The number of booked deliveries, by kind.
  var told: [String: Int] { Dictionary(backend.book.entries.map { ($0.type, 1) }, uniquingKeysWith: +) }

  /// Whether the server has stored a notification.
  func keeps(_ uuid: String) async throws -> Bool {
    try await database.read { try $0.notification(uuid, in: appEnvironment) } != nil
  }
}

extension Order {
  var isPaid: Bool {
    if case .paid = state { true } else { false }
  }
}

import HTTPMessages
import Markup
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives

// Endpoints, store notifications, products, users, health: what each page reads.
extension ConsolePages {
  private static let rowsMax = 50
  /// The orders whose users one page shows.
  static let ordersOfUsers = 200
  /// Payments that are held because nobody configured their product, as far as they are counted.
  private static let heldMax = 500

  func showEndpoints(_ visit: AppVisit) async throws -> HTTPResponse {
    let page = EndpointPage(visit: visit, endpoints: try await engine.endpoints(of: visit.app), now: visit.visit.now)
    return console.page(EndpointPage.title[visit.language], page.markup, for: visit, at: .endpoints)
  }

  func showNotifications(_ visit: AppVisit) async throws -> HTTPResponse {
    let app = visit.app.id
    var query = NotificationQuery(appEnvironment: try console.environment(visit), limit: Self.rowsMax)
    query.store = visit.visit.query("store").flatMap(Store.init(rawValue:))
    query.effect = visit.visit.query("state").flatMap(ReceivedNotification.Effect.init(rawValue:))
    query.type = visit.visit.query("type")
    query.before = visit.visit.query("after").flatMap { Int64($0) }.map { max(1, $0) }
    let asked = query
    let (page, counts, forwards) = try await engine.read { reader in
      (
        try reader.notifications(asked), try reader.countOfKeptNotifications(in: asked.appEnvironment),
        try reader.openForwards(of: app, limit: Self.rowsMax)
      )
    }
    func link(_ after: String?) -> LinkTarget {
      let kept = ["store", "state", "type", "environment"].compactMap { name in
        visit.visit.query(name).map { (name: name, value: $0) }
      }
      return visit.link("notifications", query: kept + (after.map { [(name: "after", value: $0)] } ?? []))
    }
    let list = NotificationList(
      visit: visit, page: page, keptCounts: counts, forwards: forwards,
      next: page.next.map { link(String($0)) }, first: query.before.map { _ in link(nil) })
    return console.page(NotificationList.title[visit.language], list.markup, for: visit, at: .notifications)
  }

  func showNotification(_ id: String, _ visit: AppVisit) async throws -> HTTPResponse {
    let named = try visit.visit.query("environment").map { _ in [try console.environment(visit)] }
    let (notification, forward) = try await engine.readNotification(id, in: named ?? visit.app.everyEnvironment)
    if visit.showsPersonal {
      try await console.noteSeen("notification", id, in: notification.appEnvironment.environment, for: visit)
    }
    let page = NotificationView(visit: visit, notification: notification, forward: forward)
    return console.page(NotificationList.title[visit.language], page.markup, for: visit, at: .notifications)
  }

  func showProducts(_ visit: AppVisit) async throws -> HTTPResponse {
    let realms = visit.app.userEnvironments
    let ever = Timestamp(milliseconds: .max)
    let held = try await engine.read { reader in
      try realms.flatMap {
        try reader.payments(inState: "held", firstSeenBefore: ever, in: $0, limit: Self.heldMax)
      }
    }
    let unknown = Dictionary(grouping: held.filter { $0.state == .held(.productUnknown) }, by: \.facts.storeProduct)
    let page = CatalogPage(
      visit: visit,
      unknown: unknown.map { (product: $0.key, count: $0.value.count) }.sorted { $0.product.text < $1.product.text })
    return console.page(CatalogPage.title[visit.language], page.markup, for: visit, at: .products)
  }

  func showUsers(_ visit: AppVisit) async throws -> HTTPResponse {
    let realm = try console.environment(visit)
    let after = visit.visit.query("after")
    let page = try await engine.listOrders(
      ListFilter(), in: realm, after: after.flatMap { OrderPosition(written: $0) }, limit: Self.ordersOfUsers)
    func link(_ after: String?) -> LinkTarget {
      let query = [("environment", visit.visit.query("environment")), ("after", after)]
      return visit.link("users", query: query.compactMap { name, value in value.map { (name, $0) } })
    }
    let list = UserList(
      visit: visit, realm: realm, rows: UserList.rows(of: page.items.map(\.order)),
      next: page.next.map { link($0.written) }, first: after.map { _ in link(nil) })
    return console.page(UserList.title[visit.language], list.markup, for: visit, at: .users)
  }

  func showHealth(_ visit: AppVisit) async throws -> HTTPResponse {
    let page = HealthPage(
      visit: visit, health: try await engine.tellHealth(of: visit.app), version: settings.version,
      now: visit.visit.now)
    return console.page(HealthPage.title[visit.language], page.markup, for: visit, at: .health)
  }
}

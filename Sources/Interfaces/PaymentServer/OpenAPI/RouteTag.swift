import StrictJSON

/// The chapters of `/openapi.json`; a client that is made from it has one class or module for each.
enum RouteTag: String, CaseIterable {
  case orders
  case payments
  case refunds
  case rights
  case wallet
  case offers
  case deliveries
  case notifications
  case operators
  case machine

  init(of route: Route) {
    let parts = route.path.split(separator: "/").map(String.init)
    self =
      switch parts[0] {
      case "v1": Self(ofAPI: parts)
      case "notifications": .notifications
      default: .machine
      }
  }

  private init(ofAPI parts: [String]) {
    self =
      switch parts[1] {
      case "operator", "reports": .operators
      case "payments": .payments
      case "deliveries", "events": .deliveries
      case "app-store": .offers
      case "orders": parts.contains { $0.hasPrefix("refund") } ? .refunds : .orders
      case "users" where parts.contains("orders"): .orders
      case "users" where parts.contains("refund-ratio"): .refunds
      case "users" where parts.contains("{unit}") || parts.contains("consumption-consent"): .wallet
      case "users" where parts.contains("spending-limits"): .wallet
      default: .rights
      }
  }

  /// The tag with its description.
  var json: JSONValue { .members([("name", .string(rawValue)), ("description", .string(meaning))]) }

  private var meaning: String {
    switch self {
    case .orders: "What a user is about to buy, at either store."
    case .payments: "What a client brings back from a store."
    case .refunds: "Giving money back at WeChat Pay, and how much was given back."
    case .rights: "Products for sale, and what users have."
    case .wallet: "What users spend, and what Apple may know of it."
    case .offers: "Signed offers of the App Store."
    case .deliveries: "What the backend is told, for backends that ask for it; and everything that happens, as a feed."
    case .notifications: "What the stores send."
    case .operators: "What operators read and decide, and reports."
    case .machine: "For machines: health, counters, this document."
    }
  }
}

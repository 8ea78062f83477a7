package import PaymentPrimitives

/// The configured apps; the same on every node.
package struct AppDirectory: Sendable {
  package let all: [AppPolicy]
  /// What the database promises and the configuration does not provide, as found at start.
  package let gaps: [ConfigurationGap]
  private let byIdentifier: [AppIdentifier: AppPolicy]

  /// A directory of apps; if two share an id, the first one counts.
  package init(_ apps: [AppPolicy], gaps: [ConfigurationGap] = []) {
    self.gaps = gaps
    all = apps.sorted { $0.id < $1.id }
    byIdentifier = Dictionary(apps.map { ($0.id, $0) }) { first, _ in first }
  }

  package subscript(_ id: AppIdentifier) -> AppPolicy? { byIdentifier[id] }
}

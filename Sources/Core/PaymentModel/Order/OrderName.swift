package import PaymentPrimitives

/// The name by which a caller refers to an order: its id or the app's own number.
package enum OrderName: Hashable, Sendable {
  case id(OrderIdentifier)
  case reference(String)
  /// A text that reads as an id, but may be the app's own number: many apps number their orders by UUIDs or by 32
  /// digits. The id is looked up first.
  case idOrReference(OrderIdentifier, String)

  /// A name as a caller writes it, in a path or a list.
  package init(_ text: String) {
    self = OrderIdentifier(text).map { .idOrReference($0, text) } ?? .reference(text)
  }

  /// The id that it may be.
  package var identifier: OrderIdentifier? {
    switch self {
    case .id(let id), .idOrReference(let id, _): id
    case .reference: nil
    }
  }

  /// The app's own number that it may be.
  package var referenceText: String? {
    switch self {
    case .id: nil
    case .reference(let text), .idOrReference(_, let text): text
    }
  }
}

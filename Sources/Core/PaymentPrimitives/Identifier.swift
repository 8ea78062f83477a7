/// A textual identifier of one kind of object, so that a user is never passed where a product is expected.
///
/// Equality and order are those of the UTF-8 bytes: no case folding, no Unicode normalisation. Swift's `String`
/// equality treats two differently encoded user ids as the same user.
public struct Identifier<Subject>: Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
  /// The identifier as text.
  public let text: String

  /// An identifier from its text; the text is not changed.
  public init(_ text: String) { self.text = text }

  public init(stringLiteral value: StaticString) { self.text = value.description }

  public var description: String { text }
}

extension Identifier: Hashable, Comparable {
  public static func == (a: Identifier, b: Identifier) -> Bool {
    haveSameBytes(a.text, b.text)
  }

  public static func < (a: Identifier, b: Identifier) -> Bool {
    a.text.utf8.lexicographicallyPrecedes(b.text.utf8)
  }

  public func hash(into hasher: inout Hasher) {
    var text = self.text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

/// What typed identifiers identify; never instantiated.
public enum IdentifierSubject {
  /// A configured app.
  public enum App {}
  /// A catalog entry of ours.
  public enum Product {}
  /// A product as a store knows it.
  public enum StoreProduct {}
  /// A user of the app, as its backend identifies them.
  public enum User {}
  /// A transaction as the store numbers it.
  public enum Transaction {}
  /// A delivery to the app's backend.
  public enum Delivery {}
  /// A unit that balances count, such as coins.
  public enum Unit {}
  /// An entitlement that a user can have.
  public enum Entitlement {}
  /// A key or token signer.
  public enum Credential {}
}

/// Names one configured app; part of every key.
public typealias AppIdentifier = Identifier<IdentifierSubject.App>
/// Names one catalog entry, with our own id.
public typealias ProductIdentifier = Identifier<IdentifierSubject.Product>
/// Names a product at a store: Apple's `productId`.
public typealias StoreProductIdentifier = Identifier<IdentifierSubject.StoreProduct>
/// Names a user, 1 to 255 bytes, as the app's backend or token says.
public typealias UserIdentifier = Identifier<IdentifierSubject.User>
/// Names a store transaction: Apple's `transactionId`, WeChat Pay's `transaction_id`.
public typealias TransactionIdentifier = Identifier<IdentifierSubject.Transaction>
/// Names a delivery: `dlv_` and base32 of a hash, the same after a restore or on a second node.
public typealias DeliveryIdentifier = Identifier<IdentifierSubject.Delivery>
/// Names what a balance counts.
public typealias UnitName = Identifier<IdentifierSubject.Unit>
/// Names an entitlement.
public typealias EntitlementName = Identifier<IdentifierSubject.Entitlement>
/// Names a signing key (`kid`) or an API key (its prefix); unique over all apps.
public typealias CredentialIdentifier = Identifier<IdentifierSubject.Credential>

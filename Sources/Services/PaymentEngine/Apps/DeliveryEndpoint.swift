package import CounterfoilAPI
package import Cryptography
package import PaymentPrimitives

/// A backend's address for signed webhooks (Standard Webhooks).
package struct DeliveryEndpoint: Sendable {
  /// Its name in logs and metrics.
  package var name: String
  /// An `https` (or, where allowed, `http`) URL.
  package var url: String
  /// The environments from which it receives deliveries; the home of the app unless it lists others.
  package var environments: Set<StoreEnvironment>
  /// The signing secrets, newest first; during a rotation the message carries one signature per secret.
  package var secrets: [Secret]
  /// The events that it receives beside those of grants.
  package var types: Set<EventType>
  /// Whether the URL may point into a private network or to this machine. Otherwise such an address is refused.
  package var mayBeInside: Bool

  package init(
    name: String, url: String, environments: Set<StoreEnvironment>, secrets: [Secret]
  ) {
    self.name = name
    self.url = url
    self.environments = environments
    self.secrets = secrets
    self.types = []
    self.mayBeInside = false
  }
}

/// The address of another system that receives the store's notifications unchanged.
package struct ForwardTarget: Hashable, Sendable {
  /// An `https` (or, where allowed, `http`) URL.
  package var url: String
  /// Whether the URL may point into a private network or to this machine. Otherwise such an address is refused.
  package var mayBeInside: Bool

  package init(url: String, mayBeInside: Bool = false) {
    self.url = url
    self.mayBeInside = mayBeInside
  }
}

package import PaymentModel
import PaymentPrimitives
package import StrictJSON

extension OwnershipClaim {
  /// The form that is stored with a question to a store.
  package var json: JSONValue {
    .members([
      ("user", .string(user.text)), ("proof", .string(proof.rawValue)),
      ("orders", .array(orders.map { .string($0.text) })), ("sameRun", sameRun.map { .string($0.text) }),
      ("restore", isRestore ? .bool(true) : nil),
    ])
  }

  /// A stored claim; nil if the text is not a claim.
  package init?(text: String?) {
    guard let json = text.flatMap({ try? JSONReader.read($0.utf8) }), let user = json["user"]?.string,
      let proof = json["proof"]?.string.flatMap(Presentation.DeviceProof.init(rawValue:))
    else { return nil }
    self.init(
      user: UserIdentifier(user), proof: proof,
      orders: (json["orders"]?.array ?? []).compactMap { $0.string.map { OrderName($0) } },
      sameRun: json["sameRun"]?.string.map { OrderName($0) })
    isRestore = json["restore"]?.bool ?? false
  }
}

extension OrderName {
  fileprivate var text: String {
    switch self {
    case .id(let id): id.appAccountToken
    case .reference(let text), .idOrReference(_, let text): text
    }
  }
}

import PaymentModel
import PaymentPrimitives
import CounterfoilAPI
import StrictJSON

extension OwnershipClaim {
  /// The claim of a signed-in user, beside evidence that proves the device as `proof` says.
  init(of request: SubmitAppStorePayment.Request, by user: UserIdentifier, proof: Presentation.DeviceProof) {
    self.init(
      user: user, proof: proof, orders: request.orderNames.map { OrderName($0) },
      sameRun: request.sameRunName.map { OrderName($0) })
    isRestore = request.isRestore
  }

  /// The form that is stored with a question to Apple.
  var json: JSONValue {
    .members([
      ("user", .string(user.text)), ("proof", .string(proof.rawValue)),
      ("orders", .array(orders.map { .string($0.text) })), ("sameRun", sameRun.map { .string($0.text) }),
      ("restore", isRestore ? .bool(true) : nil),
    ])
  }

  /// A stored claim; nil if the text is not a claim.
  init?(text: String?) {
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

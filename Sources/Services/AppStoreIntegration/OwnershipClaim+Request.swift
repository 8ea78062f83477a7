import CounterfoilAPI
import PaymentEngine
import PaymentModel
import PaymentPrimitives

extension OwnershipClaim {
  /// The claim of a signed-in user, beside evidence that proves the device as `proof` says.
  init(of request: SubmitAppStorePayment.Request, by user: UserIdentifier, proof: Presentation.DeviceProof) {
    self.init(
      user: user, proof: proof, orders: request.orderNames.map { OrderName($0) },
      sameRun: request.sameRunName.map { OrderName($0) })
    isRestore = request.isRestore
  }
}

import AppStoreProtocol
import CounterfoilAPI
import PaymentEngine
import PaymentModel
import PaymentPrimitives

extension PaymentEngine {
  /// Handles a validly signed receipt of iOS 6 if the signer cannot be shown to be Apple. It asks Apple by
  /// transaction number. If that finds nothing, it asks `verifyReceipt`.
  func answerUnproven(
    _ text: String, _ transaction: TransactionIdentifier, request: SubmitAppStorePayment.Request,
    from user: UserIdentifier?, for app: AppPolicy
  ) async throws -> SubmitAppStorePayment.Response {
    var question = request
    question.transaction = transaction
    do {
      return try await answerQuestion(about: question, from: user, for: app)
    } catch let error as CodedError<EngineErrorCode> where error.code == .transactionUnknown {
      guard let user, let answer = await askVerifyReceipt(aboutUnproven: text, of: transaction, by: user, for: app)
      else {
        throw error
      }
      switch answer {
      case .later: return SubmitAppStorePayment.Response(payments: [pending(transaction)])
      case .unknownToApple: throw error
      case .facts(let facts, let evidence):
        var update = PaymentUpdate(facts: facts, evidence: evidence, origin: .storeAnswer)
        update.isHeldByClient = true
        update.isTokenUnseen = facts.token == nil
        update.isWhole = false
        update.claim = OwnershipClaim(of: request, by: user, proof: .missing)
        let result = try await fulfil(update, for: app)
        return SubmitAppStorePayment.Response(payments: [PaymentAnswer(result, asked: facts.key, by: user, app)])
      }
    }
  }
}

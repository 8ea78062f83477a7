package import AppStoreProtocol
package import PaymentEngine
import PaymentModel
package import PaymentPrimitives

extension PaymentEngine {
  /// Lets Apple put off the renewal dates of all active subscribers to a product of Apple. Apple takes an identifier
  /// once, so a repetition with the same identifier tells how far the first request is.
  ///
  /// - Parameters:
  ///   - storefronts: only subscribers of these; nil for all.
  ///   - environment: nil for the app's own.
  /// - Throws: `productUnknown`; `storeNotConfigured`; `extensionNotPossible` with Apple's reason;
  ///   `appStoreUnanswered`: then ask again with the same identifier.
  package func extendAllSubscribers(
    to product: StoreProductIdentifier, _ request: RenewalExtensionRequest, storefronts: [String]?,
    in environment: StoreEnvironment?, for app: AppPolicy, reason: OperatorReason
  ) async throws -> MassExtendRenewalDateStatusResponse {
    let call: AppStoreServerCall<MassExtendRenewalDateResponse>
    do throws(CodedError<AppStoreServerRequestErrorCode>) {
      call = try .extendAllRenewalDates(of: product, request, storefronts: storefronts)
    } catch { throw CodedError<EngineErrorCode>(.extensionNotPossible, error.code.meaning.english) }
    let gateway = try extendingGateway(of: product, app)
    let outcome = await gateway.send(call, environment: environment ?? app.home, priority: .reconciliation).outcome
    switch outcome {
    case .answered:
      log(
        LogEvent(
          .info, "appStore.subscribersExtended",
          [
            ("app", app.id.text), ("product", product.text), ("days", "\(request.days)"),
            ("request", request.identifier), ("operator", reason.name), ("reason", reason.text),
          ]))
    case .refused(let error) where error.number == .known(.invalidRequestIdentifier): break  // Asked before.
    case .refused(let error): throw CodedError<EngineErrorCode>(.extensionNotPossible, "\(error)")
    case .unknown(let why):
      throw CodedError<EngineErrorCode>(.appStoreUnanswered, "Ask again with the same identifier. \(why.summary)")
    }
    return try await massExtension(of: product, identifier: request.identifier, in: environment, for: app)
  }

  private func extendingGateway(
    of product: StoreProductIdentifier, _ app: AppPolicy
  ) throws -> AppStoreGateway {
    guard app.catalog.product(for: product) != nil else { throw CodedError<EngineErrorCode>(.productUnknown) }
    return try extendingGateway(of: app)
  }

  /// How far an extension for all subscribers is.
  ///
  /// - Throws: `productUnknown`; `storeNotConfigured`; `extensionUnknown`; `appStoreUnanswered`.
  package func massExtension(
    of product: StoreProductIdentifier, identifier: String, in environment: StoreEnvironment?, for app: AppPolicy
  ) async throws -> MassExtendRenewalDateStatusResponse {
    let gateway = try extendingGateway(of: product, app)
    let call: AppStoreServerCall<MassExtendRenewalDateStatusResponse>
    do throws(CodedError<AppStoreServerRequestErrorCode>) {
      call = try .massExtensionStatus(of: product, identifier: identifier)
    } catch { throw CodedError<EngineErrorCode>(.extensionUnknown) }
    switch await gateway.send(call, environment: environment ?? app.home, priority: .reconciliation).outcome {
    case .answered(let status): return status
    case .refused(let error) where error.status == 404: throw CodedError<EngineErrorCode>(.extensionUnknown)
    case .unknown(.undecided(let error)) where error.status == 404: throw CodedError<EngineErrorCode>(.extensionUnknown)
    case .refused(let error): throw CodedError<EngineErrorCode>(.appStoreUnanswered, "\(error)")
    case .unknown(let why): throw CodedError<EngineErrorCode>(.appStoreUnanswered, why.summary)
    }
  }
}

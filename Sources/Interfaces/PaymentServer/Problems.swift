import CounterfoilAPI
import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import StrictJSON

/// Turns a thrown error into an answer: `application/problem+json` with a stable code in the caller's language.
enum Problems {
  /// Characters of an unforeseen error in the log: enough to find it.
  private static let errorCharactersMax = 500

  static func response(to error: any Error, _ call: Call) -> HTTPResponse {
    switch error {
    case let error as CodedError<ServerErrorCode>:
      var response = problem(error, status: error.code.status, call)
      switch error.code {
      case .methodNotAllowed: response.fields.set("Allow", call.allowed)
      // RFC 6750, section 3: only the scheme if no credential came, otherwise also the error.
      case .credentialMissing: response.fields.set("WWW-Authenticate", "Bearer")
      case .credentialInvalid, .tokenExpired, .keyExpired:
        response.fields.set("WWW-Authenticate", "Bearer error=\"invalid_token\"")
      case .notAllowed, .roleNotAllowed: response.fields.set("WWW-Authenticate", "Bearer error=\"insufficient_scope\"")
      // RFC 9110, section 15.5.16: the accepted media type.
      case .mediaTypeNotTaken: response.fields.set("Accept", "application/json")
      case .targetUnreadable, .routeUnknown, .bodyTooLarge, .bodyUnreadable, .fieldInvalid, .fieldUnknown, .userMissing,
        .userNotAllowed, .tooManyRequests, .stopping, .internal:
        break
      }
      return response
    case let error as CodedError<EngineErrorCode>:
      return problem(error, status: error.code.status, call)
    case is CancellationError:
      return problem(CodedError<ServerErrorCode>(.stopping), status: ServerErrorCode.stopping.status, call)
    default:
      // The details may contain anything: they go to the log under the request's id, never to the caller.
      call.server.log(
        LogEvent(
          .error, "http.failed",
          [("requestId", call.requestId), ("error", String("\(error)".prefix(errorCharactersMax)))]))
      return problem(CodedError<ServerErrorCode>(.internal), status: 500, call)
    }
  }

  private static func problem<Code: ErrorCode>(
    _ error: CodedError<Code>, status: Int, _ call: Call
  ) -> HTTPResponse {
    var body = ProblemBody(
      status: status, code: error.code.rawValue, title: error.code.meaning[call.language],
      detail: error.details.isEmpty ? nil : error.details,
      remedy: error.code.remedy[call.language], requestId: call.requestId)
    if error.code.retry == .later { body.retryAfter = .seconds(1) }
    var response = HTTPResponse(
      status: status,
      fields: [
        "Content-Type": ProblemBody.mediaType, "Content-Language": call.language.rawValue,
      ],
      json: body.json)
    if let after = body.retryAfter {
      response.fields.set("Retry-After", String(after.milliseconds / 1000))
    }
    return response
  }
}

extension EngineErrorCode {
  var status: Int {
    switch self {
    case .productUnknown, .orderUnknown, .paymentUnknown, .deliveryUnknown, .transactionUnknown,
      .keyUnknown, .notificationUnknown, .dayNotCompared, .orderNumberUnknown, .extensionUnknown, .eventUnknown,
      .refundUnknown, .userUnknown, .complaintUnknown, .promotionalUnknown:
      404
    case .productRetired, .productNotSoldAtStore, .quantityNotAllowed, .storeNotConfigured, .weChatPayOrderInvalid,
      .weChatPayPrepayRefused, .refundTooLarge, .creditUnitUnknown, .mergeWithItself,
      .entitlementUnknown, .promotionalEndNotAllowed:
      422
    case .tooManyOpenOrders, .refundNotPossible, .idempotencyKeyReused, .referenceAlreadyUsed, .paymentNotClaimable,
      .actNotPossible, .extensionNotPossible, .refundNotRedirected, .complaintNotChanged, .complaintOutcomeUnknown,
      .insufficientBalance, .balanceFrozen, .balanceNotInDebt, .creditCeilingReached, .userAlreadyMerged,
      .mergeTargetMerged, .userTooLarge, .spendingLimitReached, .promotionalLimitReached, .erasureNotPossible,
      .userBeingErased:
      409
    case .referenceNotAllowed, .virtualGoodsNeedInAppPurchase, .offerNotAllowed: 403
    case .dayUnknown, .offerNotSignable, .evidenceUnreadable, .evidenceMissing, .notificationUnreadable: 400
    case .invariantBroken: 500
    case .verificationBusy, .notificationNotOurs, .outcomeUnknown, .storeUnavailable, .billNotReady,
      .backupGapOpen, .appStoreUnanswered, .weChatPayUnanswered, .nodeDraining, .erasureListUnavailable:
      503
    }
  }
}

import StrictJSON

/// The schemas of all request bodies, by name.
enum RequestSchemas {
  static let all =
    Schemas.requests + Schemas.walletRequests + UserSchemas.requests + PromotionalSchemas.requests
    + ComplaintSchemas.requests + OperatorListSchemas.requests
}

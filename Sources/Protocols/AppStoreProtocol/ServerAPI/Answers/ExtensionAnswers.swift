package import PaymentPrimitives
package import StrictJSON

// Apple's answers about extensions of renewal dates.

/// The answer to Extend a Subscription Renewal Date.
package struct ExtendRenewalDateResponse: PayloadPart {
  package var originalTransactionId: String?
  package var webOrderLineItemId: String?
  /// Whether the date was put off.
  package var success: Bool
  /// The new end of the current period.
  package var effectiveDate: Timestamp?

  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    originalTransactionId = try fields.text("originalTransactionId")
    webOrderLineItemId = try fields.text("webOrderLineItemId")
    success = try fields.stated("success", fields.flag("success"))
    effectiveDate = try fields.date("effectiveDate")
  }

  /// The value as JSON, in the form that Apple sends.
  package var json: JSONValue {
    .members([
      ("originalTransactionId", .text(originalTransactionId)), ("webOrderLineItemId", .text(webOrderLineItemId)),
      ("success", .flag(success)), ("effectiveDate", .date(effectiveDate)),
    ])
  }
}

/// The answer to Extend Subscription Renewal Dates for All Active Subscribers: the request was taken, not yet done.
package struct MassExtendRenewalDateResponse: PayloadPart {
  package var requestIdentifier: String?

  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    requestIdentifier = try fields.text("requestIdentifier")
  }

  /// The value as JSON, in the form that Apple sends.
  package var json: JSONValue { .members([("requestIdentifier", .text(requestIdentifier))]) }
}

/// How far a mass extension is.
package struct MassExtendRenewalDateStatusResponse: PayloadPart {
  package var requestIdentifier: String?
  package var complete: Bool
  package var completeDate: Timestamp?
  /// Subscribers whose date was put off; nil until it is complete.
  package var succeededCount: Int64?
  package var failedCount: Int64?

  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    requestIdentifier = try fields.text("requestIdentifier")
    complete = try fields.stated("complete", fields.flag("complete"))
    completeDate = try fields.date("completeDate")
    succeededCount = try fields.integer("succeededCount")
    failedCount = try fields.integer("failedCount")
  }

  /// The value as JSON, in the form that Apple sends.
  package var json: JSONValue {
    .members([
      ("requestIdentifier", .text(requestIdentifier)), ("complete", .flag(complete)),
      ("completeDate", .date(completeDate)), ("succeededCount", .integer(succeededCount)),
      ("failedCount", .integer(failedCount)),
    ])
  }
}

package import StrictJSON

/// An API fault that a test can plan. The names are permanent.
package enum AppStoreAPIFault: String, CaseIterable, Hashable, Sendable {
  // MARK: before the call takes effect
  case unreachable
  /// The connection breaks before the server processes the request.
  case loseRequest
  /// 401.
  case unauthorized
  /// 404 with 4040010: the transaction is unknown, for this call.
  case notFound
  /// 404 with 4040002: the account is not found yet.
  case notFoundYet
  /// 429 until one minute from now.
  case rateLimited
  /// 500 with 5000000.
  case internalError
  /// 500 with 5000001.
  case internalErrorRetryable
  /// A gateway answers 502 with HTML.
  case htmlError

  // MARK: verifyReceipt only
  /// 21002: the same as for an unreadable receipt.
  case receiptUnreadable
  /// 21005: the service is down.
  case receiptServiceDown
  /// 21009: a failure at Apple.
  case receiptServiceFailed
  /// 21010: the customer's account no longer exists.
  case receiptAccountGone
  /// 21100, marked as retryable.
  case receiptDataRetryable
  /// 21199, marked as not retryable.
  case receiptDataFinal

  // MARK: after the call took effect
  /// The answer is lost.
  case loseAnswer
  /// 500 with 5000000 instead of the answer.
  case internalErrorAfterEffect
  case slow
  /// The body of the answer ends early.
  case cutAnswer
}

/// A planned fault.
package struct PlannedAPIFault: Hashable, Sendable {
  package var fault: AppStoreAPIFault
  /// The operation that it applies to; nil: any.
  package var operation: AppStoreAPIOperation?
  package var skip: Int64
  /// How often it occurs; nil: always.
  package var count: Int64?

  /// A fault that occurs in the next matching calls.
  ///
  /// - Parameters:
  ///   - skip: the matching calls that pass first.
  ///   - count: the number of failing calls; nil: all.
  package init(
    _ fault: AppStoreAPIFault, of operation: AppStoreAPIOperation? = nil, skip: Int64 = 0, count: Int64? = 1
  ) {
    (self.fault, self.operation, self.skip, self.count) = (fault, operation, skip, count)
  }

  init(_ fields: JSONFields) throws(JSONFieldError) {
    fault = try fields.converted("fault", "the name of a fault", AppStoreAPIFault.init(rawValue:))
    operation = try fields.optionallyConverted(
      "operation", "the name of an operation", AppStoreAPIOperation.init(rawValue:))
    skip = try fields.optionalInteger("skip", in: 0...1_000_000) ?? 0
    count =
      try fields.value("count") == .string("always") ? nil : fields.optionalInteger("count", in: 1...1_000_000) ?? 1
  }

  /// The fault as the log and the control API write it.
  package var json: JSONValue {
    .members([
      ("fault", .string(fault.rawValue)), ("operation", operation.map { .string($0.rawValue) }),
      ("skip", skip == 0 ? nil : .integer(skip)), ("count", count.map { .integer($0) } ?? "always"),
    ])
  }
}

extension [PlannedAPIFault] {
  /// Applies the first fault that matches the operation and has no calls left to skip.
  ///
  /// - Returns: that fault. The list also changes when a fault only skips a call.
  mutating func strike(_ operation: AppStoreAPIOperation) -> AppStoreAPIFault? {
    for index in indices
    where self[index].operation ?? operation == operation && self[index].fault.concerns(operation) {
      guard self[index].skip == 0 else {
        self[index].skip -= 1
        continue
      }
      let fault = self[index].fault
      if let count = self[index].count {
        self[index].count = count - 1
        if count == 1 { remove(at: index) }
      }
      return fault
    }
    return nil
  }
}

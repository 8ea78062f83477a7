package import StrictJSON

/// What can go wrong with a call of the API on demand. The names are permanent.
package enum AppStoreAPIFault: String, CaseIterable, Hashable, Sendable {
  // MARK: before anything is done
  case unreachable
  /// The connection breaks before the request is processed.
  case loseRequest
  /// 401.
  case unauthorized
  /// 404 with 4040010: the transaction is not known, for once.
  case notFound
  /// 404 with 4040002: the account is not found for now.
  case notFoundYet
  /// 429, for a minute.
  case rateLimited
  /// 500 with 5000000.
  case internalError
  /// 500 with 5000001.
  case internalErrorRetryable
  /// A gateway answers 502 with HTML.
  case htmlError

  // MARK: verifyReceipt alone
  /// 21002, as for a receipt that cannot be read.
  case receiptUnreadable
  /// 21005: the service is down.
  case receiptServiceDown
  /// 21009: a failure at Apple.
  case receiptServiceFailed
  /// 21010: the customer's account does not exist any more.
  case receiptAccountGone
  /// 21100, with the word that asking again helps.
  case receiptDataRetryable
  /// 21199, with the word that it does not.
  case receiptDataFinal

  // MARK: after everything is done
  /// The answer never comes.
  case loseAnswer
  /// 500 with 5000000 in the place of the answer.
  case internalErrorAfterEffect
  case slow
  /// The body of the answer ends early.
  case cutAnswer
}

/// A fault that waits for its occasion.
package struct PlannedAPIFault: Hashable, Sendable {
  package var fault: AppStoreAPIFault
  /// With which call; nil: with any.
  package var operation: AppStoreAPIOperation?
  package var skip: Int64
  /// How often it strikes; nil: for ever.
  package var count: Int64?

  /// A fault that strikes at the next so many occasions.
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

  /// The fault as the log and the control API have it.
  package var json: JSONValue {
    .members([
      ("fault", .string(fault.rawValue)), ("operation", operation.map { .string($0.rawValue) }),
      ("skip", skip == 0 ? nil : .integer(skip)), ("count", count.map { .integer($0) } ?? "always"),
    ])
  }
}

extension [PlannedAPIFault] {
  /// Lets the first fault strike whose occasion this is; the others wait.
  ///
  /// - Returns: what strikes; the list has changed also where one was only passed over.
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

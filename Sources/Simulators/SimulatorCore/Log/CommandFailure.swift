package import PaymentPrimitives

/// What is wrong with a simulator's log.
package enum LogFailure: Error, Equatable {
  /// It could not be written or read.
  case unavailable(String)
  /// It is not a simulator's, or was changed by hand.
  case unreadable(String)
  /// It has records of a later version.
  case tooNew(String)

  var details: String {
    switch self {
    case .unavailable(let details), .unreadable(let details), .tooNew(let details): details
    }
  }
}

/// The errors of a command, one of which is that the log failed.
package protocol CommandFailure: Error {
  init(_ failure: LogFailure)
}

extension CodedError: CommandFailure where Code: ControlErrorCode {
  package init(_ failure: LogFailure) {
    let code: Code =
      switch failure {
      case .unavailable: .logUnavailable
      case .unreadable: .logUnreadable
      case .tooNew: .logTooNew
      }
    self.init(code, failure.details)
  }
}

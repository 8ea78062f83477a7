import HTTPMessages
package import PaymentPrimitives
import StrictJSON

// Calls that put off renewal dates. Apple extends each time that it is asked, and takes nothing back.

/// Why a renewal date is put off, by Apple's numbers.
package enum ExtendReasonCode: Int64, Hashable, Sendable, CaseIterable {
  case undeclared = 0
  case customerSatisfaction = 1
  case other = 2
  case serviceIssue = 3

  /// The word in requests and commands.
  package var name: String {
    switch self {
    case .undeclared: "undeclared"
    case .customerSatisfaction: "customerSatisfaction"
    case .other: "other"
    case .serviceIssue: "serviceIssue"
    }
  }

  package init?(name: String) {
    guard let code = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = code
  }
}

/// By how much a renewal date is put off, and why.
package struct RenewalExtensionRequest: Hashable, Sendable {
  /// The most days of one extension.
  package static let daysMax: Int64 = 90
  package static let identifierBytesMax = 128
  /// Apple has about 175 storefronts.
  private static let storefrontsMax = 300

  package let days: Int64
  package let reason: ExtendReasonCode
  /// The team's own text for it: it returns in the notification.
  package let identifier: String

  /// - Throws: a value that Apple would reject.
  package init(
    days: Int64, reason: ExtendReasonCode, identifier: String
  ) throws(CodedError<AppStoreServerRequestErrorCode>) {
    guard (1...Self.daysMax).contains(days), (1...Self.identifierBytesMax).contains(identifier.utf8.count) else {
      throw CodedError(.renewalExtension)
    }
    (self.days, self.reason, self.identifier) = (days, reason, identifier)
  }

  fileprivate func body(_ more: [(String, JSONValue?)] = []) -> JSONValue {
    .members(
      [
        ("extendByDays", .integer(days)), ("extendReasonCode", .integer(reason.rawValue)),
        ("requestIdentifier", .text(identifier)),
      ] + more)
  }

  /// - Throws: none, or something other than three capital letters.
  fileprivate static func storefronts(
    _ codes: [String]?
  ) throws(CodedError<AppStoreServerRequestErrorCode>) -> JSONValue? {
    guard let codes else { return nil }
    guard (1...storefrontsMax).contains(codes.count),
      codes.allSatisfy({ $0.utf8.count == 3 && $0.utf8.allSatisfy { (0x41...0x5A).contains($0) } })
    else { throw CodedError(.renewalExtension) }
    return .array(codes.map { .string($0) })
  }
}

extension AppStoreServerCall where Answer == ExtendRenewalDateResponse {
  /// Extend a Subscription Renewal Date. **Each call extends again**: send it only if the current period still ends
  /// where it is expected to.
  ///
  /// - Throws: the id is not a number.
  package static func extendRenewalDate(
    of original: TransactionIdentifier, _ request: RenewalExtensionRequest
  ) throws(CodedError<AppStoreServerRequestErrorCode>) -> AppStoreServerCall {
    let id = try AppStoreServerPath.number(original.text)
    return AppStoreServerCall(.renewalExtension, "/inApps/v1/subscriptions/extend/\(id)", body: request.body())
  }
}

extension AppStoreServerCall where Answer == MassExtendRenewalDateResponse {
  /// Extend Subscription Renewal Dates for All Active Subscribers. Apple takes an identifier once.
  ///
  /// - Parameter storefronts: only subscribers of these, by three capital letters; nil means all.
  /// - Throws: a value that Apple would reject.
  package static func extendAllRenewalDates(
    of product: StoreProductIdentifier, _ request: RenewalExtensionRequest, storefronts: [String]?
  ) throws(CodedError<AppStoreServerRequestErrorCode>) -> AppStoreServerCall {
    let codes = try RenewalExtensionRequest.storefronts(storefronts)
    return AppStoreServerCall(
      .massExtension, "/inApps/v1/subscriptions/extend/mass",
      body: request.body([("productId", .text(product.text)), ("storefrontCountryCodes", codes)]))
  }
}

extension AppStoreServerCall where Answer == MassExtendRenewalDateStatusResponse {
  /// Get Status of Subscription Renewal Date Extensions.
  ///
  /// - Throws: a text that is not allowed in a path.
  package static func massExtensionStatus(
    of product: StoreProductIdentifier, identifier: String
  ) throws(CodedError<AppStoreServerRequestErrorCode>) -> AppStoreServerCall {
    let path = [try AppStoreServerPath.text(product.text), try AppStoreServerPath.text(identifier)]
      .map { RequestTarget.encode($0) }.joined(separator: "/")
    return AppStoreServerCall(.massExtensionStatus, "/inApps/v1/subscriptions/extend/mass/\(path)")
  }
}

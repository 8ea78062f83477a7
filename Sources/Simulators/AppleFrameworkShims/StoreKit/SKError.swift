public import Foundation
import SimulatedDevice

public let SKErrorDomain = "SKErrorDomain"

/// Stand-in for Apple's structure of the same name.
public struct SKError: CustomNSError {
  public enum Code: Int, Sendable {
    case unknown = 0
    case clientInvalid = 1
    case paymentCancelled = 2
    case paymentInvalid = 3
    case paymentNotAllowed = 4
    case storeProductNotAvailable = 5
    case cloudServicePermissionDenied = 6
    case cloudServiceNetworkConnectionFailed = 7
    case cloudServiceRevoked = 8
    case privacyAcknowledgementRequired = 9
    case unauthorizedRequestData = 10
    case invalidOfferIdentifier = 11
    case invalidSignature = 12
    case missingOfferParams = 13
    case invalidOfferPrice = 14
    case overlayCancelled = 15
    case ineligibleForOffer = 18
  }

  public let code: Code
  private let inner: Int?
  private var domain = "ASDServerErrorDomain"

  init(_ failure: DeviceFailure) {
    switch failure {
    case .unknown(let number): (code, inner) = (.unknown, number == 0 ? nil : number)
    case .signedOut: (code, inner, domain) = (.unknown, 509, "ASDErrorDomain")
    case .cancelled: (code, inner) = (.paymentCancelled, nil)
    case .notAllowed: (code, inner) = (.paymentNotAllowed, nil)
    case .productUnavailable: (code, inner) = (.storeProductNotAvailable, nil)
    case .quantityNotAllowed: (code, inner) = (.paymentInvalid, nil)
    case .networkDown: (code, inner) = (.cloudServiceNetworkConnectionFailed, nil)
    case .offerNotAllowed: (code, inner) = (.ineligibleForOffer, nil)
    case .offerSignatureInvalid: (code, inner) = (.invalidSignature, nil)
    }
  }

  public static var errorDomain: String { SKErrorDomain }
  public var errorCode: Int { code.rawValue }
  public var errorUserInfo: [String: Any] { userInfo }
  public var userInfo: [String: Any] {
    guard let inner else { return [:] }
    return [NSUnderlyingErrorKey: NSError(domain: domain, code: inner)]
  }
}

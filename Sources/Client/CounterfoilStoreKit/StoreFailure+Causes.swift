#if canImport(StoreKit)
  import Counterfoil
  import Foundation

  extension StoreFailure {
    /// Errors behind each other that are looked at.
    private static let depthMax = 8
    /// “No active account”: no one is signed in to the App Store. Seen in public reports; Apple documents no number.
    private static let signedOut = Cause(domain: "ASDErrorDomain", code: 509)

    /// The failure with the errors of the system behind it, outermost first. Their texts are left out: the text of an
    /// unknown error may contain anything.
    func caused(by error: (any Error)?) -> StoreFailure {
      var causes: [Cause] = []
      var next = error.map { $0 as NSError }
      while let error = next, causes.count < Self.depthMax {
        causes.append(Cause(domain: error.domain, code: error.code))
        next = error.userInfo[NSUnderlyingErrorKey] as? NSError
      }
      guard causes.contains(Self.signedOut), kind == .other || kind == .storeUnreachable else {
        return withInnerCode(causes.last?.code).caused(by: causes)
      }
      return StoreFailure(.notSignedIn, code: code, innerCode: Self.signedOut.code, explanation: explanation)
        .caused(by: causes)
    }

    private func withInnerCode(_ inner: Int?) -> StoreFailure {
      guard innerCode == nil, let inner else { return self }
      return StoreFailure(kind, code: code, innerCode: inner, explanation: explanation)
    }
  }
#endif

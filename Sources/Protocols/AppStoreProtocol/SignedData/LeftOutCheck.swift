/// One check that a verifier does not make: how the tests show that each check is needed, since without it something
/// forged is accepted. In a release build there is no such thing, and nothing outside this package can ask for it.
struct LeftOut<Check: Equatable & Sendable>: Sendable {
  #if DEBUG
    let check: Check?

    init(_ check: Check?) { self.check = check }

    static var none: LeftOut { LeftOut(nil) }

    func callAsFunction(_ check: Check) -> Bool { self.check == check }
  #else
    static var none: LeftOut { LeftOut() }

    func callAsFunction(_ check: Check) -> Bool { false }
  #endif
}

typealias LeftOutCheck = LeftOut<SignedDataCheck>

extension LeftOut<ReceiptCheck> {
  /// The same at the certificates, whose checks have the same names.
  var ofChain: LeftOutCheck {
    #if DEBUG
      LeftOutCheck(check.flatMap { SignedDataCheck(rawValue: $0.rawValue) })
    #else
      .none
    #endif
  }
}

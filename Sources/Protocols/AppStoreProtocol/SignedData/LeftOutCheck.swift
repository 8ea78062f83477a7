/// One check that a verifier leaves out. Tests use it to show that each check is needed: without the check, forged data
/// is accepted. Release builds do not contain it, and code outside this package cannot use it.
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
  /// The same left-out check for the certificates; the names of the checks are the same.
  var ofChain: LeftOutCheck {
    #if DEBUG
      LeftOutCheck(check.flatMap { SignedDataCheck(rawValue: $0.rawValue) })
    #else
      .none
    #endif
  }
}

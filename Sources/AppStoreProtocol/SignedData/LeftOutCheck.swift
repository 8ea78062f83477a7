/// One check that a verifier does not make: how the tests show that each check is needed, since without it something
/// forged is accepted. In a release build there is no such thing, and nothing outside this package can ask for it.
struct LeftOutCheck: Sendable {
  #if DEBUG
    private let check: SignedDataCheck?

    init(_ check: SignedDataCheck?) { self.check = check }

    static let none = LeftOutCheck(nil)

    func callAsFunction(_ check: SignedDataCheck) -> Bool { self.check == check }
  #else
    static let none = LeftOutCheck()

    func callAsFunction(_ check: SignedDataCheck) -> Bool { false }
  #endif
}

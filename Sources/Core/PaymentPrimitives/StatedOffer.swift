/// The offer by which a purchase was made, as the store states it.
public struct StatedOffer: Hashable, Sendable {
  /// How the buyer got it: `introductory`, `promotional`, `code` or `winBack`; another one as the store numbers it.
  public var type: String
  /// The team's id of the offer; an introductory one has none.
  public var id: String?
  /// How it is paid, in the store's word: `FREE_TRIAL`, `PAY_AS_YOU_GO`, `PAY_UP_FRONT`.
  public var discountType: String?
  /// How long it lasts, as an ISO 8601 duration.
  public var period: String?

  /// An offer. An empty text counts as none.
  public init(type: String, id: String? = nil, discountType: String? = nil, period: String? = nil) {
    self.type = type
    self.id = id.flatMap { $0.isEmpty ? nil : $0 }
    self.discountType = discountType.flatMap { $0.isEmpty ? nil : $0 }
    self.period = period.flatMap { $0.isEmpty ? nil : $0 }
  }
}

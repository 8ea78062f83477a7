/// Why an Advanced Commerce offer was made.
public enum AdvancedCommerceOfferReason: String, CaseIterable, Sendable {
  /// To win a customer.
  case acquisition = "ACQUISITION"
  /// To win a customer back.
  case winBack = "WIN_BACK"
  /// To keep a customer.
  case retention = "RETENTION"
}

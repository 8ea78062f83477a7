/// The kind of purchases that a token is for.
package enum ExternalPurchaseTokenType: String, CaseIterable, Sendable {
  case services = "SERVICES"
  case acquisition = "ACQUISITION"
  case inApp = "IN_APP"
  case linkOut = "LINK_OUT"
}

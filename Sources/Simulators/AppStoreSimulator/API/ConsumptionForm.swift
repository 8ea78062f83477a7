import PaymentPrimitives
import StrictJSON

/// Validates consumption information in both versions; each invalid field has its own error number (rule AS-API-12).
enum ConsumptionForm {
  /// Checks a body of the current version.
  static func check(_ body: JSONValue, isAutoRenewable: Bool) throws(AppStoreAPIProblem) {
    guard body["customerConsented"]?.bool == true else {
      throw .badRequest(
        4_000_035, "Invalid request. The customer consented field is invalid or the customer did not consent.")
    }
    guard body["sampleContentProvided"]?.bool != nil else {
      throw .badRequest(4_000_041, "Invalid request. The sample content provided field is invalid.")
    }
    let deliveries = [
      "DELIVERED", "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM", "UNDELIVERED_SERVER_OUTAGE",
      "UNDELIVERED_OTHER",
    ]
    guard let delivery = body["deliveryStatus"]?.string, deliveries.contains(delivery) else {
      throw .badRequest(4_000_036, "Invalid request. The delivery status field is invalid.")
    }
    let percentage = body["consumptionPercentage"]
    if let percentage {
      // Apple's page names these errors and gives no number.
      guard !isAutoRenewable, let number = percentage.integer, (0...100_000).contains(number),
        number == 0 || delivery == "DELIVERED"
      else { throw .bodyInvalid }
    }
    guard let preference = body["refundPreference"] else { return }
    guard let word = preference.string, ["DECLINE", "GRANT_FULL", "GRANT_PRORATED"].contains(word) else {
      throw .badRequest(4_000_044, "Invalid request. The refund preference field is invalid.")
    }
    if word == "GRANT_PRORATED", !isAutoRenewable {
      guard let number = percentage?.integer, number > 0, number < 100_000 else { throw .bodyInvalid }
    }
  }

  /// The numeric members of the first version: the largest value, and the error number.
  private static let numbers: [(name: String, most: Int64, code: Int64)] = [
    ("accountTenure", 7, 4_000_032), ("consumptionStatus", 3, 4_000_034), ("deliveryStatus", 5, 4_000_036),
    ("lifetimeDollarsPurchased", 7, 4_000_037), ("lifetimeDollarsRefunded", 7, 4_000_038), ("platform", 2, 4_000_039),
    ("playTime", 7, 4_000_040), ("userStatus", 4, 4_000_042),
  ]

  /// Checks a body of the first version.
  static func checkFirst(_ body: JSONValue) throws(AppStoreAPIProblem) {
    guard body["customerConsented"]?.bool == true else {
      throw .badRequest(4_000_035, "Invalid request. The customer consented field is invalid.")
    }
    guard body["sampleContentProvided"]?.bool != nil else {
      throw .badRequest(4_000_041, "Invalid request. The sample content provided field is invalid.")
    }
    guard let token = body["appAccountToken"]?.string, token.isEmpty || AppStoreUUID(token) != nil else {
      throw .badRequest(4_000_033, "Invalid request. The app account token field is invalid.")
    }
    for (name, most, code) in numbers {
      guard let number = body[name]?.integer, (0...most).contains(number) else {
        throw .badRequest(code, "Invalid request. The \(name) field is invalid.")
      }
    }
    guard let preference = body["refundPreference"] else { return }
    guard let number = preference.integer, (0...3).contains(number) else {
      throw .badRequest(4_000_044, "Invalid request. The refund preference field is invalid.")
    }
  }
}

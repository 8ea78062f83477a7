import StrictJSON

/// A request body of the three calls about renewal dates; each invalid field has its own error number (rule AS-EXT-4).
struct ExtensionForm {
  let days: Int64
  let requestIdentifier: String

  init(_ body: JSONValue) throws(AppStoreAPIProblem) {
    guard let days = body["extendByDays"]?.integer, (1...SimulatorLimits.extensionDaysMax).contains(days) else {
      throw .badRequest(4_000_009, "Invalid extend by days value.")
    }
    guard let reason = body["extendReasonCode"]?.integer, (0...3).contains(reason) else {
      throw .badRequest(4_000_010, "Invalid extend reason code.")
    }
    guard let identifier = body["requestIdentifier"]?.string,
      (1...SimulatorLimits.requestIdentifierBytesMax).contains(identifier.utf8.count)
    else { throw .requestIdentifierInvalid }
    (self.days, requestIdentifier) = (days, identifier)
  }

  /// The countries of a mass request; nil for all.
  static func storefronts(_ body: JSONValue) throws(AppStoreAPIProblem) -> [String]? {
    guard let list = body["storefrontCountryCodes"] else { return nil }
    let codes = list.array?.compactMap(\.string) ?? []
    guard list.array?.isEmpty != true else {
      throw .badRequest(4_000_027, "Invalid request. The list of storefront country codes is empty.")
    }
    guard codes.count == list.array?.count, areStorefronts(codes) else {
      throw .badRequest(4_000_028, "Invalid storefront country code.")
    }
    return codes
  }

  /// Whether all are three upper-case letters: the simulator sells in fewer countries than the App Store.
  static func areStorefronts(_ codes: [String]) -> Bool {
    (1...SimulatorLimits.storefrontsMax).contains(codes.count)
      && codes.allSatisfy { $0.utf8.count == 3 && $0.utf8.allSatisfy { (0x41...0x5A).contains($0) } }
  }
}

/// The App Store of one country: `storefront` and `storefrontId` of transactions.
package struct Storefront: Hashable, Sendable {
  /// The country, three letters of ISO 3166-1.
  package let country: String
  package let identifier: String

  /// The storefront of a country; nil for a country that is not in the table.
  package init?(country: String) {
    guard let found = Self.all.first(where: { $0.country == country }) else { return nil }
    self = found
  }

  private init(_ country: String, _ identifier: String) {
    self.country = country
    self.identifier = identifier
  }

  /// The storefronts that this simulator knows.
  package static let all: [Storefront] = [
    Storefront("AUS", "143460"), Storefront("BRA", "143503"), Storefront("CAN", "143455"),
    Storefront("CHN", "143465"), Storefront("DEU", "143443"), Storefront("ESP", "143454"),
    Storefront("FRA", "143442"), Storefront("GBR", "143444"), Storefront("HKG", "143463"),
    Storefront("IND", "143467"), Storefront("ITA", "143450"), Storefront("JPN", "143462"),
    Storefront("KOR", "143466"), Storefront("MAC", "143515"), Storefront("SGP", "143464"),
    Storefront("TWN", "143470"), Storefront("USA", "143441"),
  ]

  package static let china = Storefront("CHN", "143465")
}

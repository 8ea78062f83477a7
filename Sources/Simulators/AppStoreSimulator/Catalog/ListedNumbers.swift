import Cryptography
import PaymentPrimitives

/// Apple's own numbers for what App Store Connect lists. They follow from the names, so the same name always has the
/// same number.
enum ListedNumbers {
  /// The number of a product, with ten digits.
  static func product(_ product: StoreProductIdentifier, of bundleId: String) -> Int64 {
    1_500_000_000 + number(of: "product \(bundleId) \(product)") % 5_000_000_000
  }

  /// The number of a version of the app, with nine digits.
  static func version(_ build: String, of bundleId: String) -> Int64 {
    800_000_000 + number(of: "version \(bundleId) \(build)") % 100_000_000
  }

  private static func number(of text: String) -> Int64 {
    SHA256.hash(Array(text.utf8)).prefix(7).reduce(0) { $0 << 8 | Int64($1) }
  }
}

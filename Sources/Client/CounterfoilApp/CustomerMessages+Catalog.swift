#if canImport(StoreKit)
  public import Counterfoil
  public import Foundation

  extension CustomerMessages {
    /// The texts of the app's own String Catalog in the language of the device, and the default texts for those that it
    /// lacks. Copy `Counterfoil.xcstrings` into the app and add languages to it.
    ///
    /// - Parameters:
    ///   - bundle: the bundle with the catalog.
    ///   - table: the catalog's name.
    public init(catalogIn bundle: Bundle, table: String = "Counterfoil") {
      // What a missing entry gives; no text is so.
      let missing = "\u{1}"
      self.init(translating: { name in
        let text = bundle.localizedString(forKey: name, value: missing, table: table)
        return text == missing ? nil : text
      })
    }
  }
#endif

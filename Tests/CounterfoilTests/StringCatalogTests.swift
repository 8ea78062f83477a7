import Counterfoil
import Foundation
import PaymentPrimitives
import Testing

/// `Examples/Counterfoil.xcstrings`, which apps copy to add languages.
@Suite struct `The String Catalog of all texts` {
  private struct StringCatalog: Codable, Equatable {
    struct Entry: Codable, Equatable {
      var extractionState = "manual"
      var localizations: [String: Localization]
    }
    struct Localization: Codable, Equatable {
      var stringUnit: Unit
    }
    struct Unit: Codable, Equatable {
      var state = "translated"
      var value: String
    }
    var sourceLanguage = "en"
    var strings: [String: Entry]
    var version = "1.0"
  }

  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The catalog that follows from the table of texts in Swift.
  private static var expected: StringCatalog {
    var catalog = StringCatalog(strings: [:])
    for key in CustomerMessageKey.allCases {
      let text = CustomerMessages.ours(key)
      catalog.strings[key.name] = StringCatalog.Entry(
        localizations: Dictionary(
          uniqueKeysWithValues: Language.allCases.map { language in
            (language.rawValue, StringCatalog.Localization(stringUnit: StringCatalog.Unit(value: text[language])))
          }))
    }
    return catalog
  }

  @Test func `has every text of the library under its name, in both languages`() throws {
    let expected = Self.expected
    let file = try? Data(contentsOf: Self.root.appending(path: "Examples/Counterfoil.xcstrings"))
    let shipped = file.flatMap { try? JSONDecoder().decode(StringCatalog.self, from: $0) }
    if shipped != expected {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      try encoder.encode(expected).write(to: Self.root.appending(path: ".build/Counterfoil.xcstrings"))
    }
    #expect(shipped == expected, "The right file is .build/Counterfoil.xcstrings: copy it to Examples/.")
  }

  @Test func `translates nothing into an empty text`() {
    for entry in Self.expected.strings.values {
      #expect(entry.localizations.count == Language.allCases.count)
      #expect(entry.localizations.values.allSatisfy { !$0.stringUnit.value.isEmpty })
    }
  }
}

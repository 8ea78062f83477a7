import Counterfoil
import Foundation
import StrictJSON
import Testing

/// `Clients/messages.json` is the one source of the texts for clients in other languages.
@Suite struct `The texts that all clients share` {
  @Test func `are those of the Swift client, each by its name`() throws {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let file = try JSONReader.read(Data(contentsOf: package.appending(path: "Clients/messages.json")))
    #expect(CustomerMessageKey.allCases.count > 50)
    for key in CustomerMessageKey.allCases {
      let (name, text) = (try #require(Self.name(key)), CustomerMessages()[key])
      #expect(file[name]?["en"]?.string == text.english, "\(name)")
      #expect(file[name]?["zh"]?.string == text.chinese, "\(name)")
    }
  }

  /// `outcome.fulfilled`, `error.client_not_signed_in`: the kind of a text, and its word.
  private static func name(_ key: CustomerMessageKey) -> String? {
    guard let part = Mirror(reflecting: key).children.first, let kind = part.label,
      let word = (part.value as? any RawRepresentable)?.rawValue
    else { return nil }
    return "\(kind).\(word)"
  }
}

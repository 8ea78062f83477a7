import Foundation
package import StrictJSON

/// The vendors' own data, beside the repository on machines that have it (`../shared/fixtures`). A fresh clone has
/// none, and the tests that need it are skipped with that reason.
package enum Fixtures {
  /// Why a test is skipped.
  package static let absence = "../shared/fixtures is absent: no genuine signed data on this machine"

  private static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "shared/fixtures")

  package static let arePresent = FileManager.default.fileExists(
    atPath: folder.appending(path: "apple-jws/README.md").path())

  /// The names of the files of a folder with an ending, sorted; none where fixtures are absent.
  package static func names(in path: String, ending: String) -> [String] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: path).path())
    return (names ?? []).filter { $0.hasSuffix(ending) }.sorted()
  }

  package static func bytes(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: folder.appending(path: path)))
  }

  /// A text without the line end that editors add.
  package static func text(_ path: String) throws -> String {
    String(decoding: try bytes(path), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  package static func json(_ path: String) throws -> JSONValue { try JSONReader.read(bytes(path)) }
}

extension JSONValue {
  /// The same with members sorted by name, to compare content and not order.
  package var sorted: JSONValue {
    switch self {
    case .object(let members):
      .object(members.map { JSONMember($0.name, $0.value.sorted) }.sorted { $0.name < $1.name })
    case .array(let items): .array(items.map(\.sorted))
    default: self
    }
  }

  /// The same object with some members replaced, added or (for nil) removed.
  package func with(_ changes: [(String, JSONValue?)]) -> JSONValue {
    var members = object ?? []
    for (name, value) in changes {
      let place = members.firstIndex { $0.name == name }
      switch (place, value) {
      case (let place?, let value?): members[place] = JSONMember(name, value)
      case (let place?, nil): members.remove(at: place)
      case (nil, let value?): members.append(JSONMember(name, value))
      case (nil, nil): break
      }
    }
    return .object(members)
  }
}

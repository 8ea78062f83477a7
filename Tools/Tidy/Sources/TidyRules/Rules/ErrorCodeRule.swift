/// Error codes are listed, unique and explained in two languages, and a test reaches each (CONVENTIONS 5).
package enum ErrorCodeRule {
  static let page = "docs/reference/errors.md"

  package static func problems(_ codes: [Catalog.ErrorCode], in files: [SourceFile]) -> [String] {
    let declared = Set(files.filter { $0.isIn("Sources") }.flatMap(\.facts.errorCodeTypes))
    let listed = Set(codes.map(\.type))
    let counts = Dictionary(grouping: codes, by: \.code)
    return declared.symmetricDifference(listed).sorted().map {
      "\($0) is not both in the sources and in Tests/CatalogProgram/ErrorCodeCatalog.swift"
    }
      + counts.filter { $0.value.count > 1 }.keys.sorted().map { "the error code \($0) is not unique" }
      + codes.filter { !isPlain($0) }.map { "the error code \($0.code) is not a plain word" }
      + codes.filter { ![$0.meaning, $0.remedy].allSatisfy(isBilingual) }.map {
        "the error code \($0.code) has no sentence as meaning or remedy in one of the languages"
      }
  }

  /// Ours are small letters and underscores; results of verification are Apple's words, in camel case.
  private static func isPlain(_ code: Catalog.ErrorCode) -> Bool {
    let isApples = code.type == "SignedDataErrorCode"
    return code.code.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): isApples
      default: byte == UInt8(ascii: "_") && !isApples
      }
    }
  }

  private static func isBilingual(_ text: Catalog.Bilingual) -> Bool {
    text.english.last == "." && text.english.unicodeScalars.allSatisfy { $0.value < 0x3000 }
      && text.chinese.last == "。" && text.chinese.unicodeScalars.contains { $0.value > 0x4E00 }
  }

  // MARK: tests

  /// Codes that no test reaches, and codes of the ratchet that one does.
  package static func unreached(
    _ codes: [Catalog.ErrorCode], by tests: [SourceFile], later: Set<String> = Ratchets.unreachedErrorCodes
  ) -> [String] {
    let words = Set(
      tests.flatMap { file in
        file.code.filter { $0.kind == .text }.flatMap {
          $0.text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
        }
      })
    let reaches = tests.map(Reach.init)
    let unreached = codes.filter { code in
      !words.contains(code.code)
        && !reaches.contains { $0.imports.contains(code.module) && $0.cases.contains(code.name) }
    }.map(\.code)
    return unreached.filter { !later.contains($0) }.map { "no test reaches the error code \($0)" }
      + later.subtracting(unreached).sorted().map { "a test reaches the error code \($0): take it off the ratchet" }
  }

  /// The modules that a test imports, and what is behind a dot in it.
  private struct Reach {
    let imports: Set<String>
    let cases: Set<String>

    init(_ file: SourceFile) {
      imports = Set(file.facts.imports.map(\.name))
      cases = Set(zip(file.code, file.code.dropFirst()).filter { $0.0.is(".") }.map(\.1.text))
    }
  }

  // MARK: the page

  package static func text(_ codes: [Catalog.ErrorCode]) -> String {
    var lines = [
      "# Error codes", "",
      "Every refusal has a code that is stable for ever. It stands in the `code` of an answer, in logs, and in the",
      "last part of its `type`: `urn:counterfoil:error:` and the code. Each code is an anchor of this page.",
      "每个拒绝都有永久不变的错误码，也是 `type` 的最后一段；每个错误码都是本页的锚点。", "",
      "This page is generated from the sources: `make errors` writes it. 本页由源码生成。",
    ]
    for module in Set(codes.map(\.module)).sorted() {
      lines += ["", "## \(module)", "", "| code | meaning | remedy | again? |", "|---|---|---|---|"]
      for code in codes.filter({ $0.module == module }).sorted(by: { $0.code < $1.code }) {
        let again = code.isRetriable ? "later 稍后可重试" : "no 否"
        lines.append(
          "| <a id=\"\(code.code)\"></a>`\(code.code)` | \(cell(code.meaning)) | \(cell(code.remedy)) | \(again) |")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func cell(_ text: Catalog.Bilingual) -> String {
    "\(text.english)<br>\(text.chinese)".split(separator: "|", omittingEmptySubsequences: false)
      .joined(separator: "\\|")
  }
}

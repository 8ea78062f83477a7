import PaymentDatabase
import PaymentPrimitives
import StrictJSON

/// What a copy brought, table by table.
struct CopyReport {
  struct Table {
    let name: String
    let digest: TableDigest
    /// Whether an earlier, interrupted copy had brought it.
    let wasThere: Bool
  }

  let place: String
  /// Empty if everything was there before.
  var tables: [Table]

  var json: JSONValue {
    .members([
      ("to", .string(place)),
      (
        "tables",
        .array(
          tables.map {
            .members([
              ("name", .string($0.name)), ("rows", .integer($0.digest.rows)), ("digest", .string(Self.text($0.digest))),
              ("wasThere", .bool($0.wasThere)),
            ])
          })
      ),
    ])
  }

  func text(_ language: Language) -> String {
    guard !tables.isEmpty else {
      return BilingualText(
        "Everything is at \(place) already.\n", "所有数据已在 \(place)。\n")[language]
    }
    let lines = tables.filter { $0.digest.rows > 0 }.map {
      "  \($0.name): \($0.digest.rows), \(Self.text($0.digest))"
    }
    let end = BilingualText(
      """
      All tables are equal on both sides, and all rules of money hold.
      The rows are at \(place). The file serves no more: name the new database in the configuration, and keep the file.
      """,
      """
      两侧所有数据表一致，所有资金规则均成立。
      数据已在 \(place)。原文件不再提供服务：请在配置中指定新的数据库，并保留该文件。
      """)
    return (lines + [end[language]]).joined(separator: "\n") + "\n"
  }

  private static func text(_ digest: TableDigest) -> String {
    let digits = String(digest.sum, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

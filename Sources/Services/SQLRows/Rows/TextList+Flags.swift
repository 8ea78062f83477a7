import PaymentDatabase
import PaymentModel

extension TextList {
  /// - Throws: `DatabaseErrorCode.damaged` for a word that this version does not know.
  static func decode(_ column: String?, _ row: Columns) throws -> Set<MatchFlag> {
    var flags: Set<MatchFlag> = []
    for word in (column ?? "").split(separator: ",") {
      guard let flag = MatchFlag(rawValue: String(word)) else { throw row.damage("known flags") }
      flags.insert(flag)
    }
    return flags
  }
}

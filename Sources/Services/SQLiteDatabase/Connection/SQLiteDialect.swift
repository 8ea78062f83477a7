import SQLRows

extension SQLDialect {
  /// SQLite's planner knows no statistics here, so most statements name their index.
  static let sqlite = SQLDialect(
    numbersParameters: false, hint: { "INDEXED BY \($0)" },
    listed: { "\($0).app = ? AND \($0).environment = ?" }
  ) { word in
    switch word {
    // SQLite takes tables in this order, if told so.
    case .joinNext: "CROSS JOIN"
    case .isSame: "IS"
    case .isOther: "IS NOT"
    case .least: "min"
    case .position: "instr"
    // The connection tells it: `RETURNING` would first copy the row into a table of its own.
    case .returningNumber: ""
    }
  }
}

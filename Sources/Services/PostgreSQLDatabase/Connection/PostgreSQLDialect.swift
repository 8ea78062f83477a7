import SQLRows

extension SQLDialect {
  static let postgreSQL = SQLDialect(
    numbersParameters: true, hint: { _ in "" },
    listed: { "(\($0).app || ' ' || \($0).environment) = (? || ' ' || ?)" }
  ) { word in
    switch word {
    case .joinNext: "JOIN"
    case .isSame: "IS NOT DISTINCT FROM"
    case .isOther: "IS DISTINCT FROM"
    case .least: "least"
    case .position: "strpos"
    case .returningNumber: "RETURNING id"
    }
  }
}

import SwiftSyntax

/// What stands around a piece of code: `#if`, `@available`, `if #available`, `guard #available`.
enum Surroundings {
  /// - Parameter floor: the oldest version of each system that the package supports.
  static func reach(of node: Syntax, from floor: Reach) -> Reach {
    var reach = floor
    var inner = node
    while let outer = inner.parent {
      narrow(&reach, inner, in: outer)
      inner = outer
    }
    return reach
  }

  private static func narrow(_ reach: inout Reach, _ inner: Syntax, in outer: Syntax) {
    if let clause = outer.as(IfConfigClauseSyntax.self) { return narrow(&reach, clause) }
    if let attributes = outer.asProtocol((any WithAttributesSyntax).self)?.attributes { narrow(&reach, attributes) }
    if let choice = outer.as(IfExprSyntax.self) {
      let isBody = inner.id == choice.body.id || inner.is(ConditionElementListSyntax.self)
      if isBody { reach.require(asked(by: choice.conditions)) }
    }
    if let guarded = outer.as(GuardStmtSyntax.self), inner.is(ConditionElementListSyntax.self) {
      reach.require(asked(by: guarded.conditions))
    }
    guard let items = outer.as(CodeBlockItemListSyntax.self) else { return }
    for item in items {
      if item.id == inner.id { break }
      // What comes after a guard runs only where it holds.
      if let guarded = item.item.as(GuardStmtSyntax.self) { reach.require(asked(by: guarded.conditions)) }
    }
  }

  // MARK: availability

  private static func narrow(_ reach: inout Reach, _ attributes: AttributeListSyntax) {
    for case .attribute(let attribute) in attributes where attribute.attributeName.trimmedDescription == "available" {
      guard let arguments = attribute.arguments?.as(AvailabilityArgumentListSyntax.self) else { continue }
      reach.require(versions(in: arguments))
      let words = arguments.map(\.argument.trimmedDescription)
      if words.contains("unavailable"), let system = words.first.flatMap(System.init(rawValue:)) {
        reach.keep { $0 != system }
      }
    }
  }

  private static func asked(by conditions: ConditionElementListSyntax) -> [System: Version] {
    var asked: [System: Version] = [:]
    for element in conditions {
      guard case .availability(let condition) = element.condition,
        condition.availabilityKeyword.tokenKind == .poundAvailable
      else { continue }
      asked.merge(versions(in: condition.availabilityArguments)) { max($0, $1) }
    }
    return asked
  }

  private static func versions(in arguments: AvailabilityArgumentListSyntax) -> [System: Version] {
    var versions: [System: Version] = [:]
    for case .availabilityVersionRestriction(let restriction) in arguments.map(\.argument) {
      guard let system = System(rawValue: restriction.platform.text),
        let version = restriction.version.flatMap({ Version($0.trimmedDescription) })
      else { continue }
      versions[system] = version
    }
    return versions
  }

  // MARK: conditions of compilation

  private static func narrow(_ reach: inout Reach, _ clause: IfConfigClauseSyntax) {
    guard let clauses = clause.parent?.as(IfConfigClauseListSyntax.self) else { return }
    for other in clauses {
      let isThis = other.id == clause.id
      if let condition = other.condition {
        reach.keep { (holds(condition, on: $0) ?? isThis) == isThis }
      }
      if isThis { return }
    }
  }

  /// Nil where it depends on more than the system.
  private static func holds(_ condition: ExprSyntax, on system: System) -> Bool? {
    if let not = condition.as(PrefixOperatorExprSyntax.self), not.operator.text == "!" {
      return holds(not.expression, on: system).map { !$0 }
    }
    if let tuple = condition.as(TupleExprSyntax.self), tuple.elements.count == 1, let only = tuple.elements.first {
      return holds(only.expression, on: system)
    }
    if let sequence = condition.as(SequenceExprSyntax.self) { return holds(Array(sequence.elements), on: system) }
    guard let call = condition.as(FunctionCallExprSyntax.self), let argument = call.arguments.first else { return nil }
    let word = argument.expression.trimmedDescription
    switch call.calledExpression.trimmedDescription {
    case "os": return word == system.rawValue
    case "canImport": return system.canImport(word)
    default: return nil
    }
  }

  /// `a && b || c`: the parser leaves the operators unfolded.
  private static func holds(_ elements: [ExprSyntax], on system: System) -> Bool? {
    func isOperator(_ element: ExprSyntax, _ text: String) -> Bool { element.trimmedDescription == text }
    var result: Bool? = false
    for part in elements.split(whereSeparator: { isOperator($0, "||") }) {
      var value: Bool? = true
      for factor in part where !isOperator(factor, "&&") {
        let holds = holds(factor, on: system)
        value = value == false || holds == false ? false : value == nil || holds == nil ? nil : true
      }
      result = result == true || value == true ? true : result == nil || value == nil ? nil : false
    }
    return result
  }
}

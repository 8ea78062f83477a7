import SwiftParser
import SwiftSyntax

/// Reads the names of the platform from a client source, each with the systems that its place is compiled for.
final class SymbolReader: SyntaxVisitor {
  private(set) var uses: [SymbolUse] = []
  private let own: OwnNames
  /// Those of the client.
  private let modules: Set<String>
  private let floor: Reach
  private let converter: SourceLocationConverter
  /// The values that are declared in bodies of this file, and the parameters.
  private let locals: Set<String>

  private init(_ tree: SourceFileSyntax, _ own: OwnNames, _ modules: Set<String>, _ floor: Reach) {
    self.own = own
    self.modules = modules
    self.floor = floor
    converter = SourceLocationConverter(fileName: "", tree: tree)
    let reader = LocalReader(viewMode: .sourceAccurate)
    reader.walk(tree)
    locals = reader.names
    super.init(viewMode: .sourceAccurate)
  }

  /// - Parameter modules: those of the client.
  static func uses(in text: String, _ own: OwnNames, modules: Set<String>, floor: Reach) -> [SymbolUse] {
    let tree = Parser.parse(source: text)
    let reader = SymbolReader(tree, own, modules, floor)
    reader.walk(tree)
    return reader.uses
  }

  private func note(_ symbol: String, at node: some SyntaxProtocol) {
    let line = converter.location(for: node.positionAfterSkippingLeadingTrivia).line
    let reach = Surroundings.reach(of: Syntax(node), from: floor)
    guard !reach.versions.isEmpty else { return }
    uses.append(SymbolUse(symbol: symbol, line: line, reach: reach))
  }

  // MARK: modules and attributes

  override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
    if let name = node.path.first?.name.text, !modules.contains(name) { note("import " + name, at: node) }
    return .skipChildren
  }

  override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind {
    let name = node.attributeName.trimmedDescription
    if name != "available", own.types[name] == nil { note("@" + name, at: node) }
    // `@objc(name)` and `@available(iOS 16, *)` contain no expression.
    return node.arguments?.is(LabeledExprListSyntax.self) == true ? .visitChildren : .skipChildren
  }

  /// `os(iOS)` and `canImport(UIKit)` use nothing.
  override func visit(_ node: IfConfigClauseSyntax) -> SyntaxVisitorContinueKind {
    if let elements = node.elements { walk(elements) }
    return .skipChildren
  }

  // MARK: types

  override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
    let name = node.name.plain
    if isForeignType(name, at: node), node.parent?.is(AttributeSyntax.self) != true { note(name, at: node) }
    return .visitChildren
  }

  override func visit(_ node: MemberTypeSyntax) -> SyntaxVisitorContinueKind {
    if let base = node.baseType.as(IdentifierTypeSyntax.self), isForeignType(base.name.plain, at: node) {
      note(base.name.plain + "." + node.name.plain, at: node)
    }
    return .visitChildren
  }

  private func isForeignType(_ name: String, at node: some SyntaxProtocol) -> Bool {
    name != "Self" && !modules.contains(name) && !own.hasType(name, at: Syntax(node))
  }

  // MARK: calls and values

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    let labels = node.arguments.map { $0.label?.plain ?? "_" }
    let closures = (node.trailingClosure == nil ? 0 : 1) + node.additionalTrailingClosures.count
    let called = callee(node.calledExpression)
    let written = labels.isEmpty && closures > 0 ? "" : "(" + labels.map { $0 + ":" }.joined() + ")"
    let call = written + String(repeating: "{}", count: closures)
    if let reference = called.as(DeclReferenceExprSyntax.self) {
      noteCall(of: reference.baseName.plain, call, labels, closures, at: node)
    } else if let member = called.as(MemberAccessExprSyntax.self) {
      noteMember(member, call, labels, closures, at: node)
      if let base = member.base { walk(base) }
    } else {
      walk(node.calledExpression)
    }
    if let generic = node.calledExpression.as(GenericSpecializationExprSyntax.self) {
      walk(generic.genericArgumentClause)
    }
    walk(node.arguments)
    if let closure = node.trailingClosure { walk(closure) }
    walk(node.additionalTrailingClosures)
    return .skipChildren
  }

  private func callee(_ expression: ExprSyntax) -> ExprSyntax {
    expression.as(GenericSpecializationExprSyntax.self)?.expression ?? expression
  }

  private func noteCall(
    of name: String, _ call: String, _ labels: [String], _ closures: Int, at node: FunctionCallExprSyntax
  ) {
    if locals.contains(name) || Self.words.contains(name) || own.hasType(name, at: Syntax(node)) { return }
    if own.hasFunction(name, labels: labels, closures: closures) { return }
    if name.first?.isUppercase == true { note(name, at: node) }
    note(name + call, at: node)
  }

  private func noteMember(
    _ member: MemberAccessExprSyntax, _ call: String, _ labels: [String], _ closures: Int,
    at node: FunctionCallExprSyntax
  ) {
    let name = member.declName.baseName.plain
    if let type = foreignBase(member) { return note(type + "." + name + call, at: node) }
    if name == "init", own.hasInitializer(labels: labels, closures: closures) { return }
    if own.hasFunction(name, labels: labels, closures: closures) || own.types[name] != nil { return }
    note("." + name + call, at: node)
  }

  /// `Task` of `Task.sleep`, if it is not ours.
  private func foreignBase(_ member: MemberAccessExprSyntax) -> String? {
    var base = member.base
    if let generic = base?.as(GenericSpecializationExprSyntax.self) { base = generic.expression }
    guard let name = base?.as(DeclReferenceExprSyntax.self)?.baseName.plain, name.first?.isUppercase == true,
      isForeignType(name, at: member)
    else { return nil }
    return name
  }

  override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
    let name = node.declName.baseName.plain
    let labels = node.declName.argumentNames?.arguments.map { $0.name.plain }
    let written = name + (labels.map { "(" + $0.map { $0 + ":" }.joined() + ")" } ?? "")
    if name == "self" {
      // The type itself, which is read below.
    } else if let type = foreignBase(node) {
      note(type + "." + written, at: node)
    } else if name.first?.isUppercase == true {
      if own.types[name] == nil { note(name, at: node) }
    } else if !Self.words.contains(name), !own.members.contains(name), own.functions[name] == nil {
      note("." + written, at: node)
    }
    if let base = node.base { walk(base) }
    return .skipChildren
  }

  override func visit(_ node: KeyPathPropertyComponentSyntax) -> SyntaxVisitorContinueKind {
    let name = node.declName.baseName.plain
    if !own.members.contains(name), !Self.words.contains(name) { note("." + name, at: node) }
    return .skipChildren
  }

  override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
    let name = node.baseName.plain
    if Self.words.contains(name) || name.hasPrefix("$") || locals.contains(name) || modules.contains(name)
      || own.hasType(name, at: Syntax(node)) || own.members.contains(name) || own.functions[name] != nil
    {
      return .skipChildren
    }
    guard case .identifier = node.baseName.tokenKind else { return .skipChildren }
    note(name, at: node)
    return .skipChildren
  }

  /// Words of the language that the parser reads as names.
  private static let words: Set<String> = [
    "self", "Self", "super", "init", "error", "newValue", "oldValue", "_",
  ]
}

/// The values that a file declares in bodies, and its parameters.
private final class LocalReader: SyntaxVisitor {
  var names: Set<String> = []

  override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind {
    names.insert(node.identifier.plain)
    return .visitChildren
  }
  override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind {
    names.insert((node.secondName ?? node.firstName).plain)
    return .visitChildren
  }
  override func visit(_ node: ClosureShorthandParameterSyntax) -> SyntaxVisitorContinueKind {
    names.insert(node.name.plain)
    return .visitChildren
  }
  override func visit(_ node: ClosureParameterSyntax) -> SyntaxVisitorContinueKind {
    names.insert((node.secondName ?? node.firstName).plain)
    return .visitChildren
  }
  override func visit(_ node: ClosureCaptureSyntax) -> SyntaxVisitorContinueKind {
    names.insert(node.name.plain)
    return .visitChildren
  }
}

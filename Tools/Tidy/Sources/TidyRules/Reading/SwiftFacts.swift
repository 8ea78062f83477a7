import SwiftParser
import SwiftSyntax

/// What the rules need to know about a Swift file. The syntax tree itself is not kept: the repository has 1,500 files.
package struct SwiftFacts: Sendable {
  package struct Function: Equatable, Sendable {
    package let name: String
    let first: Int
    let last: Int

    package var lines: Int { last - first + 1 }
  }

  struct Named: Equatable, Sendable {
    let name: String
    let line: Int
  }

  var code: [Token] = []
  /// The text of each comment, and the line on which it begins.
  var comments: [Named] = []
  var functions: [Function] = []
  var imports: [Named] = []
  var declarations = Declarations()
  /// Public declarations without a documentation comment.
  var undocumented: [Named] = []
  /// The top-level types and extensions, with their lines.
  var types: [Function] = []
  /// Functions with more unlabelled parameters than a reader can tell apart.
  var unlabelled: [Named] = []
  /// The enumerations that conform to `ErrorCode`.
  var errorCodeTypes: [String] = []

  init() {}

  init(_ text: String) {
    let tree = Parser.parse(source: text)
    let reader = SwiftReader(SourceLocationConverter(fileName: "", tree: tree))
    reader.walk(tree)
    self = reader.facts
  }
}

/// Walks a syntax tree once and collects the facts.
private final class SwiftReader: SyntaxVisitor {
  var facts = SwiftFacts()
  private let converter: SourceLocationConverter
  /// The declarations around the current node; nil for a body of code.
  private var scopes: [Scope?] = []

  private struct Scope {
    enum Kind { case publicEnum, publicProtocol, other }

    let type: String
    var kind = Kind.other
  }

  init(_ converter: SourceLocationConverter) {
    self.converter = converter
    super.init(viewMode: .sourceAccurate)
  }

  private func line(_ position: AbsolutePosition) -> Int { converter.location(for: position).line }
  private func line(_ token: TokenSyntax) -> Int { line(token.positionAfterSkippingLeadingTrivia) }

  private func plain(_ name: TokenSyntax) -> String {
    name.text.hasPrefix("`") ? String(name.text.dropFirst().dropLast()) : name.text
  }

  // MARK: tokens and comments

  private var previousEnd = AbsolutePosition(utf8Offset: -1)

  override func visit(_ token: TokenSyntax) -> SyntaxVisitorContinueKind {
    readComments(token.leadingTrivia, from: token.position)
    readComments(token.trailingTrivia, from: token.endPositionBeforeTrailingTrivia)
    guard !token.text.isEmpty else { return .skipChildren }
    let start = token.positionAfterSkippingLeadingTrivia
    facts.code.append(Token(token, line: line(start), touchesPrevious: start == previousEnd))
    previousEnd = token.endPositionBeforeTrailingTrivia
    return .skipChildren
  }

  private func readComments(_ trivia: Trivia, from start: AbsolutePosition) {
    var position = start
    for piece in trivia {
      switch piece {
      case .lineComment(let text), .blockComment(let text), .docLineComment(let text), .docBlockComment(let text):
        facts.comments.append(.init(name: text, line: line(position)))
      default: break
      }
      position += piece.sourceLength
    }
  }

  // MARK: types

  private func enter(
    _ node: some DeclGroupSyntax, _ keyword: TokenSyntax, _ name: TokenSyntax, _ kind: Scope.Kind = .other
  ) {
    let isPublic = isPublic(node.modifiers)
    measureType(plain(name), keyword, node.memberBlock)
    declare(plain(name), at: name)
    facts.declarations.add(type: plain(name))
    requireDocumentation(node, "\(keyword.text) \(plain(name))", at: keyword, isPublic: isPublic)
    scopes.append(Scope(type: plain(name), kind: isPublic ? kind : .other))
  }

  override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
    enter(node, node.structKeyword, node.name)
    return .visitChildren
  }
  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
    enter(node, node.classKeyword, node.name)
    return .visitChildren
  }
  override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind {
    enter(node, node.actorKeyword, node.name)
    return .visitChildren
  }
  override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
    let inherited = node.inheritanceClause?.inheritedTypes.map(\.type.trimmedDescription) ?? []
    if inherited.contains("ErrorCode") { facts.errorCodeTypes.append(node.name.text) }
    enter(node, node.enumKeyword, node.name, .publicEnum)
    return .visitChildren
  }
  override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
    enter(node, node.protocolKeyword, node.name, .publicProtocol)
    return .visitChildren
  }
  override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
    let type = node.extendedType
    let name =
      type.as(MemberTypeSyntax.self)?.name.text ?? type.as(IdentifierTypeSyntax.self)?.name.text
      ?? type.trimmedDescription
    facts.declarations.add(type: name)
    measureType(name, node.extensionKeyword, node.memberBlock)
    scopes.append(Scope(type: name))
    return .visitChildren
  }
  override func visitPost(_ node: StructDeclSyntax) { scopes.removeLast() }
  override func visitPost(_ node: ClassDeclSyntax) { scopes.removeLast() }
  override func visitPost(_ node: ActorDeclSyntax) { scopes.removeLast() }
  override func visitPost(_ node: EnumDeclSyntax) { scopes.removeLast() }
  override func visitPost(_ node: ProtocolDeclSyntax) { scopes.removeLast() }
  override func visitPost(_ node: ExtensionDeclSyntax) { scopes.removeLast() }

  // MARK: bodies, in which nothing is a member

  override func visit(_ node: CodeBlockSyntax) -> SyntaxVisitorContinueKind { enterBody() }
  override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { enterBody() }
  override func visit(_ node: AccessorBlockSyntax) -> SyntaxVisitorContinueKind { enterBody() }
  override func visitPost(_ node: CodeBlockSyntax) { scopes.removeLast() }
  override func visitPost(_ node: ClosureExprSyntax) { scopes.removeLast() }
  override func visitPost(_ node: AccessorBlockSyntax) { scopes.removeLast() }

  private func enterBody() -> SyntaxVisitorContinueKind {
    scopes.append(nil)
    return .visitChildren
  }

  // MARK: members

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    member(node, node.funcKeyword, plain(node.name), node.modifiers, body: node.body?.rightBrace)
    countUnlabelled(node.signature.parameterClause, of: plain(node.name), at: node.funcKeyword)
    return .visitChildren
  }
  override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
    let label = node.signature.parameterClause.parameters.first.map { "init(" + $0.firstName.text }
    member(node, node.initKeyword, "init", node.modifiers, body: node.body?.rightBrace, witness: label)
    countUnlabelled(node.signature.parameterClause, of: "init", at: node.initKeyword)
    return .visitChildren
  }
  override func visit(_ node: DeinitializerDeclSyntax) -> SyntaxVisitorContinueKind {
    measure("deinit", node.deinitKeyword, node.body?.rightBrace)
    return .visitChildren
  }
  override func visit(_ node: SubscriptDeclSyntax) -> SyntaxVisitorContinueKind {
    member(node, node.subscriptKeyword, "subscript", node.modifiers, body: node.accessorBlock?.rightBrace)
    return .visitChildren
  }
  override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
    for binding in node.bindings {
      guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier else { continue }
      member(node, node.bindingSpecifier, plain(name), node.modifiers, body: binding.accessorBlock?.rightBrace)
    }
    return .visitChildren
  }
  override func visit(_ node: TypeAliasDeclSyntax) -> SyntaxVisitorContinueKind {
    facts.declarations.add(type: plain(node.name))
    member(node, node.typealiasKeyword, plain(node.name), node.modifiers, body: nil)
    return .visitChildren
  }
  override func visit(_ node: AssociatedTypeDeclSyntax) -> SyntaxVisitorContinueKind {
    member(node, node.associatedtypeKeyword, plain(node.name), node.modifiers, body: nil)
    return .visitChildren
  }
  override func visit(_ node: EnumCaseDeclSyntax) -> SyntaxVisitorContinueKind {
    for element in node.elements { declare(plain(element.name), at: element.name) }
    let name = node.elements.first.map { plain($0.name) } ?? ""
    requireDocumentation(node, "case \(name)", at: node.caseKeyword, isPublic: false)
    return .visitChildren
  }
  override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
    if let name = node.path.first?.name { facts.imports.append(.init(name: name.text, line: line(name))) }
    return .visitChildren
  }

  /// - Parameter witness: the name by which a requirement of a protocol is known, if it is another one.
  private func member(
    _ node: some DeclSyntaxProtocol, _ keyword: TokenSyntax, _ name: String, _ modifiers: DeclModifierListSyntax,
    body: TokenSyntax?, witness: String? = nil
  ) {
    declare(name, at: keyword)
    measure(name, keyword, body)
    if DocumentationRule.witnesses.contains(witness ?? name) { return }
    requireDocumentation(node, "\(keyword.text) \(name)", at: keyword, isPublic: isPublic(modifiers))
  }

  private func declare(_ name: String, at token: TokenSyntax) {
    if let scope = scopes.last {
      if let scope { facts.declarations.add(member: name, of: scope.type) }
    } else {
      facts.declarations.add(free: name)
    }
  }

  private func measure(_ name: String, _ keyword: TokenSyntax, _ end: TokenSyntax?) {
    guard let end else { return }
    facts.functions.append(.init(name: name, first: line(keyword), last: line(end)))
  }

  private func measureType(_ name: String, _ keyword: TokenSyntax, _ members: MemberBlockSyntax) {
    guard scopes.isEmpty else { return }
    facts.types.append(.init(name: name, first: line(keyword), last: line(members.rightBrace)))
  }

  /// A closure may follow as a trailing closure, so it needs no label.
  private func countUnlabelled(_ parameters: FunctionParameterClauseSyntax, of name: String, at token: TokenSyntax) {
    let count = parameters.parameters.count { parameter in
      let isClosure = parameter.type.tokens(viewMode: .sourceAccurate).contains { $0.text == "->" }
      return parameter.firstName.text == "_" && !isClosure
    }
    if count > LengthRule.unlabelledMax { facts.unlabelled.append(.init(name: name, line: line(token))) }
  }

  // MARK: documentation

  private func isPublic(_ modifiers: DeclModifierListSyntax) -> Bool {
    modifiers.contains { ["public", "open"].contains($0.name.text) && $0.detail == nil }
  }

  private func requireDocumentation(
    _ node: some DeclSyntaxProtocol, _ name: String, at keyword: TokenSyntax, isPublic: Bool
  ) {
    let kind = scopes.last??.kind
    let isContract = kind == .publicProtocol || kind == .publicEnum && node.is(EnumCaseDeclSyntax.self)
    guard isPublic || isContract, !isDocumented(node) else { return }
    facts.undocumented.append(.init(name: name, line: line(keyword)))
  }

  /// Whether a documentation comment ends on the line above.
  private func isDocumented(_ node: some DeclSyntaxProtocol) -> Bool {
    var newlines = 0
    for piece in node.leadingTrivia.reversed() {
      switch piece {
      case .docLineComment, .docBlockComment: return newlines <= 1
      case .newlines(let count): newlines += count
      case .spaces, .tabs: break
      default: return false
      }
    }
    return false
  }
}

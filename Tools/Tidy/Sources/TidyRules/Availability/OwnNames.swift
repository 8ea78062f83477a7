import SwiftParser
import SwiftSyntax

/// What the client's sources declare, by name. A name that is not here comes from the platform.
struct OwnNames: Sendable {
  /// Types, generic parameters and associated types, each with the types in which it stands; "" is the top level.
  private(set) var types: [String: Set<String>] = [:]
  /// Properties, cases without values, and labels of tuples.
  private(set) var members: Set<String> = []
  /// Functions, and cases with values: the labels of each, with whether a call may leave them out.
  private(set) var functions: [String: [[Label]]] = [:]
  private(set) var initializers: [String: [[Label]]] = [:]

  struct Label: Sendable {
    let name: String
    let isOptional: Bool
    let isClosure: Bool
  }

  init() {}

  init(_ texts: [String]) {
    let reader = OwnNameReader(viewMode: .sourceAccurate)
    for text in texts { reader.walk(Parser.parse(source: text)) }
    self = reader.names
  }

  mutating func add(type: String, in parent: String) { types[type, default: []].insert(parent) }
  mutating func add(member: String) { members.insert(member) }
  mutating func add(function: String, _ labels: [Label]) { functions[function, default: []].append(labels) }
  mutating func add(initializerOf type: String, _ labels: [Label]) {
    initializers[type, default: []].append(labels)
  }

  /// Whether that name means a type of ours there: one of the top level, or one that stands in a type around it.
  func hasType(_ name: String, at node: Syntax) -> Bool {
    guard let parents = types[name] else { return false }
    if parents.contains("") { return true }
    var outer = node.parent
    while let now = outer {
      if let name = now.declaredType, parents.contains(name) { return true }
      outer = now.parent
    }
    return false
  }

  /// Whether a call with these labels can be one of a function of that name.
  func hasFunction(_ name: String, labels: [String], closures: Int) -> Bool {
    functions[name, default: []].contains { Self.fits(labels, closures, $0) }
  }

  /// Whether `.init` with these labels can be one of ours.
  func hasInitializer(labels: [String], closures: Int) -> Bool {
    initializers.values.contains { $0.contains { Self.fits(labels, closures, $0) } }
  }

  private static func fits(_ labels: [String], _ closures: Int, _ declared: [Label]) -> Bool {
    var rest = declared[...]
    for label in labels {
      while let next = rest.first, next.name != label, next.isOptional { rest = rest.dropFirst() }
      guard rest.first?.name == label else { return false }
      rest = rest.dropFirst()
    }
    for _ in 0..<closures {
      guard let place = rest.lastIndex(where: \.isClosure) else { return false }
      rest.remove(at: place)
    }
    return rest.allSatisfy(\.isOptional)
  }
}

private final class OwnNameReader: SyntaxVisitor {
  var names = OwnNames()
  private var scopes: [String] = []

  private func enter(_ name: String) -> SyntaxVisitorContinueKind {
    scopes.append(name)
    return .visitChildren
  }

  private func enterType(_ name: TokenSyntax) -> SyntaxVisitorContinueKind {
    names.add(type: name.plain, in: scopes.last ?? "")
    return enter(name.plain)
  }

  override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
    // Its memberwise initializer.
    let fields = node.memberBlock.members.flatMap { member -> [OwnNames.Label] in
      guard let variable = member.decl.as(VariableDeclSyntax.self) else { return [] }
      return variable.bindings.compactMap { binding in
        guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.plain,
          binding.accessorBlock == nil
        else { return nil }
        let isOptional = binding.initializer != nil || binding.typeAnnotation?.type.is(OptionalTypeSyntax.self) == true
        let text = binding.typeAnnotation?.type.trimmedDescription ?? ""
        return OwnNames.Label(name: name, isOptional: isOptional, isClosure: text.contains("->"))
      }
    }
    names.add(initializerOf: node.name.plain, fields)
    return enterType(node.name)
  }
  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { enterType(node.name) }
  override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind { enterType(node.name) }
  override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind { enterType(node.name) }
  override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind { enterType(node.name) }
  override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
    enter(Syntax(node).declaredType ?? "")
  }
  override func visitPost(_ node: StructDeclSyntax) { scopes.removeLast() }
  override func visitPost(_ node: ClassDeclSyntax) { scopes.removeLast() }
  override func visitPost(_ node: ActorDeclSyntax) { scopes.removeLast() }
  override func visitPost(_ node: EnumDeclSyntax) { scopes.removeLast() }
  override func visitPost(_ node: ProtocolDeclSyntax) { scopes.removeLast() }
  override func visitPost(_ node: ExtensionDeclSyntax) { scopes.removeLast() }

  override func visit(_ node: TypeAliasDeclSyntax) -> SyntaxVisitorContinueKind {
    names.add(type: node.name.plain, in: scopes.last ?? "")
    return .visitChildren
  }
  override func visit(_ node: AssociatedTypeDeclSyntax) -> SyntaxVisitorContinueKind {
    names.add(type: node.name.plain, in: "")
    return .visitChildren
  }
  override func visit(_ node: GenericParameterSyntax) -> SyntaxVisitorContinueKind {
    names.add(type: node.name.plain, in: "")
    return .visitChildren
  }

  override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
    let isMember = node.parent?.is(MemberBlockItemSyntax.self) == true
    for binding in node.bindings {
      guard isMember, let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.plain else { continue }
      names.add(member: name)
      // A closure that is kept is called like a function, with no labels.
      if binding.typeAnnotation?.type.trimmedDescription.contains("->") == true {
        for count in 0...4 {
          let label = OwnNames.Label(name: "_", isOptional: true, isClosure: true)
          names.add(function: name, Array(repeating: label, count: count))
        }
      }
    }
    return .visitChildren
  }
  override func visit(_ node: EnumCaseElementSyntax) -> SyntaxVisitorContinueKind {
    names.add(member: node.name.plain)
    if let clause = node.parameterClause {
      names.add(
        function: node.name.plain,
        clause.parameters.map {
          .init(
            name: $0.firstName?.plain ?? "_", isOptional: $0.defaultValue != nil,
            isClosure: $0.type.trimmedDescription.contains("->"))
        })
      // A pattern may leave the labels out.
      names.add(
        function: node.name.plain,
        clause.parameters.map { _ in .init(name: "_", isOptional: false, isClosure: false) })
    }
    return .visitChildren
  }
  override func visit(_ node: TupleTypeElementSyntax) -> SyntaxVisitorContinueKind {
    if let name = node.firstName { names.add(member: name.plain) }
    return .visitChildren
  }
  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    names.add(function: node.name.plain, labels(node.signature.parameterClause))
    return .visitChildren
  }
  override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
    names.add(initializerOf: scopes.last ?? "", labels(node.signature.parameterClause))
    return .visitChildren
  }

  private func labels(_ clause: FunctionParameterClauseSyntax) -> [OwnNames.Label] {
    clause.parameters.map {
      .init(
        name: $0.firstName.plain, isOptional: $0.defaultValue != nil,
        isClosure: $0.type.trimmedDescription.contains("->"))
    }
  }
}

extension TokenSyntax {
  /// Its text without backticks.
  var plain: String { text.hasPrefix("`") ? String(text.dropFirst().dropLast()) : text }
}

extension Syntax {
  /// The last name of the type that this declares or extends.
  fileprivate var declaredType: String? {
    if let type = self.as(ExtensionDeclSyntax.self)?.extendedType {
      return type.as(MemberTypeSyntax.self)?.name.plain ?? type.trimmedDescription
    }
    guard asProtocol((any DeclGroupSyntax).self) != nil else { return nil }
    return asProtocol((any NamedDeclSyntax).self)?.name.plain
  }
}

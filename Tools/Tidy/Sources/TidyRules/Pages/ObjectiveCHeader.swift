import SwiftParser
import SwiftSyntax

/// The header that Xcode makes from the client's part for Objective-C, as far as apps call it. It is made from the
/// sources, because no compiler on Linux makes it. The samples are compiled against it.
package enum ObjectiveCHeader {
  package static let path = "docs/reference/objective-c/CounterfoilStoreKit-Swift.h.txt"
  static let folder = "Sources/Client/CounterfoilStoreKit/ObjectiveC"

  /// - Parameter texts: the sources.
  package static func text(_ texts: [String]) -> String {
    let trees = texts.map { Parser.parse(source: $0) }
    let names = ObjectiveCNameReader(viewMode: .sourceAccurate)
    for tree in trees { names.walk(tree) }
    let reader = ObjectiveCReader(ObjectiveCTypes(names: names.names, blocks: names.blocks), open: names.open)
    for tree in trees { reader.walk(tree) }
    let head = """
      // The part of CounterfoilStoreKit for Objective-C, as Xcode makes it: `make errors` writes this file.
      #import <Foundation/Foundation.h>
      #import <UIKit/UIKit.h>

      NS_ASSUME_NONNULL_BEGIN

      """
    let forward = names.classes.sorted().map { "@class \($0);\n" }.joined()
    let bodies = (reader.enumerations + reader.protocols + reader.order.map { reader.interface(of: $0) })
    return head + forward + "\n" + bodies.joined(separator: "\n") + "\nNS_ASSUME_NONNULL_END\n"
  }
}

/// The names under which Objective-C knows our types.
private final class ObjectiveCNameReader: SyntaxVisitor {
  var names: [String: (name: String, isObject: Bool)] = [:]
  var classes: [String] = []
  /// Of these Objective-C sees each public member.
  var open: Set<String> = []
  var blocks: [String: TypeSyntax] = [:]

  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
    if let name = node.attributes.objectiveCName {
      names[node.name.text] = (name, true)
      classes.append(name)
      if node.attributes.names("objcMembers") { open.insert(name) }
    }
    return .visitChildren
  }
  override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
    if let name = node.attributes.objectiveCName { names[node.name.text] = ("id<\(name)>", false) }
    return .skipChildren
  }
  override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
    if let name = node.attributes.objectiveCName { names[node.name.text] = (name, false) }
    return .skipChildren
  }
  override func visit(_ node: TypeAliasDeclSyntax) -> SyntaxVisitorContinueKind {
    blocks[node.name.text] = node.initializer.value
    return .skipChildren
  }
}

/// Reads what is `@objc`.
private final class ObjectiveCReader: SyntaxVisitor {
  let types: ObjectiveCTypes
  var enumerations: [String] = []
  var protocols: [String] = []
  /// The classes in the order of their declarations.
  var order: [String] = []
  private var members: [String: [String]] = [:]
  private var current: String?
  private let open: Set<String>

  init(_ types: ObjectiveCTypes, open: Set<String>) {
    self.types = types
    self.open = open
    super.init(viewMode: .sourceAccurate)
  }

  func interface(of name: String) -> String {
    let own = members[name] ?? []
    // Without an initializer of its own it is made by the client alone.
    let isMade = own.contains { $0.contains(")init") }
    let hidden = isMade ? [] : ["- (instancetype)init NS_UNAVAILABLE;", "+ (instancetype)new NS_UNAVAILABLE;"]
    return "@interface \(name) : NSObject\n" + (own + hidden).map { $0 + "\n" }.joined() + "@end\n"
  }

  override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
    guard let name = node.attributes.objectiveCName else { return .skipChildren }
    let cases = node.memberBlock.members.compactMap { $0.decl.as(EnumCaseDeclSyntax.self)?.elements.first }.map {
      "  \(name)\($0.name.text.capitalizedFirst) = \($0.rawValue?.value.trimmedDescription ?? "?"),\n"
    }
    enumerations.append("typedef NS_ENUM(NSInteger, \(name)) {\n" + cases.joined() + "};\n")
    return .skipChildren
  }

  override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
    guard let name = node.attributes.objectiveCName else { return .skipChildren }
    let methods = node.memberBlock.members.compactMap { $0.decl.as(FunctionDeclSyntax.self) }.map(method)
    protocols.append("@protocol \(name) <NSObject>\n" + methods.map { $0 + "\n" }.joined() + "@end\n")
    return .skipChildren
  }

  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
    guard let name = node.attributes.objectiveCName else { return .skipChildren }
    order.append(name)
    current = name
    return .visitChildren
  }
  override func visitPost(_ node: ClassDeclSyntax) { current = nil }
  override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
    current = types.names[node.extendedType.trimmedDescription]?.name
    return .visitChildren
  }
  override func visitPost(_ node: ExtensionDeclSyntax) { current = nil }

  private func isSeen(_ attributes: AttributeListSyntax, _ modifiers: DeclModifierListSyntax) -> Bool {
    if attributes.names("objc") { return true }
    let isPublic = modifiers.contains { $0.name.text == "public" }
    return isPublic && open.contains(current ?? "") && !attributes.names("nonobjc")
  }

  override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
    guard let current, isSeen(node.attributes, node.modifiers), let binding = node.bindings.first,
      let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
    else { return .skipChildren }
    let isStatic = node.modifiers.contains { $0.name.text == "static" }
    let isConstant = node.bindingSpecifier.text == "let" || binding.accessorBlock != nil
    let type = types.text(binding.typeAnnotation?.type, default: binding.initializer?.value)
    var words = ["nonatomic"] + (isStatic ? ["class"] : [])
    words.append(isConstant ? "readonly" : "copy")
    if type.isNullable { words.append("nullable") }
    if !isConstant, !type.isObject { words.removeAll { $0 == "copy" } }
    members[current, default: []].append("@property(\(words.joined(separator: ", "))) \(type.declaring(name));")
    return .skipChildren
  }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    if let current, isSeen(node.attributes, node.modifiers) { members[current, default: []].append(method(node)) }
    return .skipChildren
  }

  override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
    guard let current, isSeen(node.attributes, node.modifiers) else { return .skipChildren }
    let fails = node.signature.effectSpecifiers?.throwsClause != nil
    let parts = selector("init", node.signature.parameterClause.parameters, isInitializer: true)
    members[current, default: []].append(
      "- (\(fails ? "nullable " : "")instancetype)" + parts + (fails ? " error:(NSError **)error" : "") + ";")
    return .skipChildren
  }

  private func method(_ node: FunctionDeclSyntax) -> String {
    let result = node.signature.returnClause.map { types.text($0.type).bracketed } ?? "(void)"
    return "- \(result)" + selector(node.name.text, node.signature.parameterClause.parameters) + ";"
  }

  /// Words that Objective-C's names connect without `With`.
  private static let prepositions = ["of", "in", "for", "from", "to", "with", "by", "at", "on", "as", "using"]

  private func selector(
    _ name: String, _ parameters: FunctionParameterListSyntax, isInitializer: Bool = false
  ) -> String {
    let parts = parameters.enumerated().map { index, parameter in
      let label = parameter.firstName.text
      let type = types.text(parameter.type)
      let value = ":" + type.bracketed + (parameter.secondName ?? parameter.firstName).text
      guard index == 0 else { return (label == "_" ? "" : label) + value }
      if label == "_" { return name + value }
      let first = label.prefix { $0.isLowercase }
      let connects = !isInitializer && Self.prepositions.contains(String(first))
      return name + (connects ? "" : "With") + label.capitalizedFirst + value
    }
    return parts.isEmpty ? name : parts.joined(separator: " ")
  }
}

extension AttributeListSyntax {
  fileprivate func names(_ attribute: String) -> Bool {
    all.contains { $0.attributeName.trimmedDescription == attribute }
  }

  fileprivate var objectiveCName: String? {
    all.first { $0.attributeName.trimmedDescription == "objc" }?.arguments?.trimmedDescription
  }

  /// With those under a condition: Linux does not know the words of Objective-C.
  private var all: [AttributeSyntax] {
    flatMap { element -> [AttributeSyntax] in
      if case .attribute(let attribute) = element { return [attribute] }
      guard case .ifConfigDecl(let condition) = element else { return [] }
      return condition.clauses.flatMap { clause -> [AttributeSyntax] in
        guard case .attributes(let attributes)? = clause.elements else { return [] }
        return attributes.all
      }
    }
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

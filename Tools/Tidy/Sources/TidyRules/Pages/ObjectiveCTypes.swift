import SwiftSyntax

/// The types of the client's part for Objective-C, as Objective-C writes them.
struct ObjectiveCTypes {
  struct Text {
    let text: String
    let isNullable: Bool
    let isObject: Bool

    /// With a name behind it.
    func declaring(_ name: String) -> String {
      if text.contains("(^)") { return text.replacing("(^)", with: "(^\(name))", maxReplacements: 1) }
      return text.hasSuffix("*") ? text + name : text + " " + name
    }

    /// Before a parameter.
    var bracketed: String {
      if isNullable, text.contains("(^)") {
        return "(" + text.replacing("(^)", with: "(^ _Nullable)", maxReplacements: 1) + ")"
      }
      return "(" + (isNullable ? "nullable " : "") + text + ")"
    }

    /// As a parameter of a block, which may have a name.
    func inBlock(_ name: String?) -> String {
      let words = [isNullable ? "_Nullable" : nil, name].compactMap { $0 }.joined(separator: " ")
      if text.contains("(^)") {
        return text.replacing("(^)", with: "(^" + (isNullable ? " " : "") + words + ")", maxReplacements: 1)
      }
      return text + (words.isEmpty || text.hasSuffix("*") && !isNullable ? "" : " ") + words
    }
  }

  let names: [String: (name: String, isObject: Bool)]
  let blocks: [String: TypeSyntax]

  private static let objects = [
    "String": "NSString *", "Date": "NSDate *", "URL": "NSURL *", "Notification.Name": "NSNotificationName",
    "any Error": "NSError *", "NSNumber": "NSNumber *", "NSUserActivity": "NSUserActivity *",
    "UIWindowScene": "UIWindowScene *",
  ]
  private static let values = [
    "Int": "NSInteger", "Int64": "int64_t", "UInt32": "uint32_t", "Bool": "BOOL", "Void": "void",
  ]

  /// - Parameter value: tells the type of a property that names none.
  func text(_ type: TypeSyntax?, default value: ExprSyntax? = nil) -> Text {
    guard let type else { return inferred(value) }
    if let optional = type.as(OptionalTypeSyntax.self) {
      let inner = text(optional.wrappedType)
      return Text(text: inner.text, isNullable: true, isObject: inner.isObject)
    }
    if let attributed = type.as(AttributedTypeSyntax.self) { return text(attributed.baseType) }
    if let tuple = type.as(TupleTypeSyntax.self), tuple.elements.count == 1, let only = tuple.elements.first {
      return text(only.type)
    }
    if let array = type.as(ArrayTypeSyntax.self) {
      return Text(text: "NSArray<\(text(array.element).text)> *", isNullable: false, isObject: true)
    }
    if let function = type.as(FunctionTypeSyntax.self) {
      let parameters = function.parameters.map { parameter in
        text(parameter.type).inBlock(parameter.secondName?.text)
      }
      let result = text(function.returnClause.type).text
      return Text(
        text: "\(result) (^)(\(parameters.isEmpty ? "void" : parameters.joined(separator: ", ")))", isNullable: false,
        isObject: true)
    }
    return named(type.trimmedDescription)
  }

  private func named(_ name: String) -> Text {
    if let block = blocks[name] { return text(block) }
    if let ours = names[name] ?? names[name.replacing("any ", with: "")] {
      return Text(text: ours.isObject ? ours.name + " *" : ours.name, isNullable: false, isObject: ours.isObject)
    }
    if let object = Self.objects[name] { return Text(text: object, isNullable: false, isObject: true) }
    return Text(text: Self.values[name] ?? "?\(name)", isNullable: false, isObject: false)
  }

  private func inferred(_ value: ExprSyntax?) -> Text {
    let text = value?.trimmedDescription ?? ""
    if text == "true" || text == "false" { return named("Bool") }
    if text.hasPrefix("Notification.Name(") { return named("Notification.Name") }
    return Int(text) == nil ? named("the type of \(text)") : named("Int")
  }
}

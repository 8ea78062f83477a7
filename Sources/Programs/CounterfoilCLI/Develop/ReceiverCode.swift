/// The languages for which `counterfoil receiver code` prints a receiver.
package enum ReceiverCode: String, CaseIterable, Sendable {
  case swift, java, go, node, python, php, ruby, csharp, rust

  static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

  /// The languages whose code our tests run.
  package static let tested: Set<ReceiverCode> = [.swift, .java, .go, .node, .python, .php, .ruby]

  /// A whole program.
  package var text: String {
    let text =
      switch self {
      case .swift: Self.swiftText
      case .java: Self.javaText
      case .go: Self.goText
      case .node: Self.nodeText
      case .python: Self.pythonText
      case .php: Self.phpText
      case .ruby: Self.rubyText
      case .csharp: Self.cSharpText
      case .rust: Self.rustText
      }
    return text + "\n"
  }
}

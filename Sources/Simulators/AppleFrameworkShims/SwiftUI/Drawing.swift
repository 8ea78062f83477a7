/// What a page draws, for tests: its texts, its buttons, and the tasks that begin with it. A body is evaluated once;
/// the stand-ins keep no state and lay nothing out.
@MainActor public final class Drawing {
  static var current: Drawing?

  /// The texts, in the order of the page.
  public private(set) var texts: [String] = []
  /// The buttons by the texts on them.
  public private(set) var buttons: [(label: String, action: @MainActor () -> Void)] = []
  /// What `.task` begins.
  public private(set) var tasks: [@Sendable () async -> Void] = []

  private init() {}

  /// Evaluates a page and all views in it.
  public static func of(_ page: some View) -> Drawing {
    let drawing = Drawing()
    current = drawing
    defer { current = nil }
    draw(page)
    return drawing
  }

  /// Taps the first button whose label begins with a text.
  ///
  /// - Returns: false if there is none.
  public func tap(_ label: String) -> Bool {
    guard let button = buttons.first(where: { $0.label.hasPrefix(label) }) else { return false }
    button.action()
    return true
  }

  static func draw<Content: View>(_ content: Content) {
    guard let current else { return }
    if let text = content as? Text { current.texts.append(text.content) }
    if Content.Body.self != Never.self { _ = content.body }
  }

  static func add(_ label: String, action: @escaping @MainActor () -> Void) {
    current?.buttons.append((label, action))
  }

  static func add(_ task: @escaping @Sendable () async -> Void) { current?.tasks.append(task) }

  /// The texts of a button's label; they are not texts of the page.
  static func label(_ body: () -> some View) -> String {
    guard let current else { return "" }
    let count = current.texts.count
    draw(body())
    defer { current.texts.removeLast(current.texts.count - count) }
    return current.texts[count...].filter { !$0.isEmpty }.joined(separator: " ")
  }
}

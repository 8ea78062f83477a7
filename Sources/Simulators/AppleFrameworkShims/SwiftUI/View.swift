// Stand-ins for the parts of SwiftUI that this package's views use, with Apple's names and isolation. So Linux compiles
// the views exactly as they ship. `Drawing` evaluates a page for a test; nothing is laid out.

/// Stand-in for Apple's protocol of the same name.
@MainActor public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }
}

extension Never: View {
  public var body: Never { fatalBody() }
}

/// A view without a body of its own.
public protocol Leaf: View where Body == Never {}

extension Leaf {
  public var body: Never { fatalBody() }
}

private func fatalBody() -> Never { preconditionFailure("nothing is drawn here") }

/// Stands for any view.
public struct Drawn: Leaf {
  public nonisolated init() {}
}

/// Stand-in for Apple's builder of the same name.
@resultBuilder public enum ViewBuilder {
  public static func buildBlock() -> Drawn { Drawn() }
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock<each Content: View>(_ content: repeat each Content) -> Drawn { Drawn() }
  @MainActor public static func buildExpression<Content: View>(_ content: Content) -> Content {
    Drawing.draw(content)
    return content
  }
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
  public static func buildEither<Content: View>(first: Content) -> Drawn { Drawn() }
  public static func buildEither<Content: View>(second: Content) -> Drawn { Drawn() }
}

extension Optional: View where Wrapped: View {
  public var body: Never { fatalBody() }
}

/// Stand-in for Apple's protocol of the same name.
@MainActor public protocol ViewModifier {
  associatedtype Body: View
  typealias Content = Drawn
  @ViewBuilder func body(content: Content) -> Body
}

/// Stand-in for Apple's protocol of the same name.
@MainActor public protocol Scene {
  associatedtype Body: Scene
  var body: Body { get }
}

extension Never: Scene {}

/// Stand-in for Apple's structure of the same name.
public struct WindowGroup<Content: View>: Scene {
  public nonisolated init(@ViewBuilder content: () -> Content) {}
  public var body: Never { fatalBody() }
}

/// Stand-in for Apple's protocol of the same name.
@MainActor public protocol App {
  associatedtype Body: Scene
  var body: Body { get }
  init()
}

/// Stand-in for Apple's enumeration of the same name.
public enum ScenePhase: Comparable, Sendable { case background, inactive, active }

/// Stand-in for Apple's structure of the same name.
public struct EnvironmentValues: Sendable {
  public var scenePhase: ScenePhase { .active }
  public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
    get { Key.defaultValue }
    set {}
  }
}

/// Stand-in for Apple's protocol of the same name.
public protocol EnvironmentKey {
  associatedtype Value
  static var defaultValue: Value { get }
}

/// Stand-in for Apple's wrapper of the same name.
@propertyWrapper public struct Environment<Value> {
  private let path: KeyPath<EnvironmentValues, Value>
  public init(_ path: KeyPath<EnvironmentValues, Value>) { self.path = path }
  public var wrappedValue: Value { EnvironmentValues()[keyPath: path] }
}

/// Stand-in for Apple's wrapper of the same name.
@propertyWrapper public struct State<Value> {
  private let value: Value
  public init(wrappedValue: Value) { value = wrappedValue }
  public var wrappedValue: Value {
    get { value }
    nonmutating set {}
  }
  public var projectedValue: Binding<Value> { Binding(get: { preconditionFailure() }, set: { _ in }) }
}

/// Stand-in for Apple's wrapper of the same name.
@propertyWrapper public struct Binding<Value> {
  private let read: @MainActor () -> Value
  private let write: @MainActor (Value) -> Void
  public init(get: @escaping @MainActor () -> Value, set: @escaping @MainActor (Value) -> Void) {
    (read, write) = (get, set)
  }
  @MainActor public var wrappedValue: Value {
    get { read() }
    nonmutating set { write(newValue) }
  }
}

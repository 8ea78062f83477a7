// Stand-ins of what the views of this package use of SwiftUI, under Apple's names and with Apple's isolation: so that
// the views are compiled on Linux as they are shipped. Nothing is drawn.

/// Stand-in of Apple's protocol of that name.
@MainActor public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }
}

extension Never: View {
  public var body: Never { fatalBody() }
}

/// What has no body of its own.
public protocol Leaf: View where Body == Never {}

extension Leaf {
  public var body: Never { fatalBody() }
}

private func fatalBody() -> Never { preconditionFailure("nothing is drawn here") }

/// Some view, whichever.
public struct Drawn: Leaf {
  public nonisolated init() {}
}

/// Stand-in of Apple's builder of that name.
@resultBuilder public enum ViewBuilder {
  public static func buildBlock() -> Drawn { Drawn() }
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock<each Content: View>(_ content: repeat each Content) -> Drawn { Drawn() }
  public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
  public static func buildEither<Content: View>(first: Content) -> Drawn { Drawn() }
  public static func buildEither<Content: View>(second: Content) -> Drawn { Drawn() }
}

extension Optional: View where Wrapped: View {
  public var body: Never { fatalBody() }
}

/// Stand-in of Apple's protocol of that name.
@MainActor public protocol ViewModifier {
  associatedtype Body: View
  typealias Content = Drawn
  @ViewBuilder func body(content: Content) -> Body
}

/// Stand-in of Apple's protocol of that name.
@MainActor public protocol Scene {
  associatedtype Body: Scene
  var body: Body { get }
}

extension Never: Scene {}

/// Stand-in of Apple's structure of that name.
public struct WindowGroup<Content: View>: Scene {
  public nonisolated init(@ViewBuilder content: () -> Content) {}
  public var body: Never { fatalBody() }
}

/// Stand-in of Apple's protocol of that name.
@MainActor public protocol App {
  associatedtype Body: Scene
  var body: Body { get }
  init()
}

/// Stand-in of Apple's enumeration of that name.
public enum ScenePhase: Comparable, Sendable { case background, inactive, active }

/// Stand-in of Apple's structure of that name.
public struct EnvironmentValues: Sendable {
  public var scenePhase: ScenePhase { .active }
  public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
    get { Key.defaultValue }
    set {}
  }
}

/// Stand-in of Apple's protocol of that name.
public protocol EnvironmentKey {
  associatedtype Value
  static var defaultValue: Value { get }
}

/// Stand-in of Apple's wrapper of that name.
@propertyWrapper public struct Environment<Value> {
  private let path: KeyPath<EnvironmentValues, Value>
  public init(_ path: KeyPath<EnvironmentValues, Value>) { self.path = path }
  public var wrappedValue: Value { EnvironmentValues()[keyPath: path] }
}

/// Stand-in of Apple's wrapper of that name.
@propertyWrapper public struct State<Value> {
  private let value: Value
  public init(wrappedValue: Value) { value = wrappedValue }
  public var wrappedValue: Value {
    get { value }
    nonmutating set {}
  }
  public var projectedValue: Binding<Value> { Binding(get: { preconditionFailure() }, set: { _ in }) }
}

/// Stand-in of Apple's wrapper of that name.
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

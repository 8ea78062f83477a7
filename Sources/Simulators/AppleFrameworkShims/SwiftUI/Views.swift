// The views and modifiers in use, with Apple's labels.

/// Stand-in for Apple's structure of the same name.
public struct Text: Leaf {
  let content: String
  public nonisolated init(verbatim: String) { content = verbatim }
  @_disfavoredOverload public nonisolated init(_ content: some StringProtocol) { self.content = String(content) }
  public nonisolated init(_ key: StaticString) { content = key.description }
  public func font(_ font: Font?) -> Text { self }
  public func foregroundStyle(_ style: HierarchicalShapeStyle) -> Text { self }
  public func monospacedDigit() -> Text { self }
}

/// Stand-in for Apple's structure of the same name.
public struct Font: Hashable, Sendable {
  public static let footnote = Font()
  public static let caption2 = Font()
  public static let largeTitle = Font()
  public func monospaced() -> Font { self }
}

/// Stand-in for Apple's structure of the same name.
public struct HierarchicalShapeStyle: Sendable {
  public static let secondary = HierarchicalShapeStyle()
}

/// Stand-in for Apple's structure of the same name.
public struct HorizontalAlignment: Sendable {
  public static let leading = HorizontalAlignment()
  public static let center = HorizontalAlignment()
}

/// Stand-in for Apple's structure of the same name.
public struct Image: Leaf {
  public nonisolated init(systemName: String) {}
}

/// Stand-in for Apple's structure of the same name.
public struct Spacer: Leaf {
  public nonisolated init() {}
}

/// Stand-in for Apple's structure of the same name.
public struct ProgressView: Leaf {
  public init() {}
}

/// Stand-in for Apple's structure of the same name.
public struct VStack<Content: View>: Leaf {
  public init(alignment: HorizontalAlignment = .center, @ViewBuilder content: () -> Content) { _ = content() }
}

/// Stand-in for Apple's structure of the same name.
public struct HStack<Content: View>: Leaf {
  public init(@ViewBuilder content: () -> Content) { _ = content() }
}

/// Stand-in for Apple's structure of the same name.
public struct List<Content: View>: Leaf {
  public init(@ViewBuilder content: () -> Content) { _ = content() }
}

/// Stand-in for Apple's structure of the same name.
public struct Section<Content: View>: Leaf {
  public init(@ViewBuilder content: () -> Content) { _ = content() }
}

/// Stand-in for Apple's structure of the same name.
public struct NavigationStack<Content: View>: Leaf {
  public init(@ViewBuilder root: () -> Content) { _ = root() }
}

/// Stand-in for Apple's structure of the same name.
public struct ForEach<Content: View>: Leaf {
  public init<Data: RandomAccessCollection, ID: Hashable>(
    _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content
  ) {
    for element in data { _ = content(element) }
  }
  public init<Data: RandomAccessCollection>(
    _ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content
  ) where Data.Element: Identifiable {
    for element in data { _ = content(element) }
  }
}

/// Stand-in for Apple's structure of the same name.
public struct Button<Label: View>: Leaf {
  public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
    let text = Drawing.label(label)
    Drawing.add(text, action: action)
  }
}

extension Button where Label == Text {
  public init(_ title: String, action: @escaping @MainActor () -> Void) { Drawing.add(title, action: action) }
}

extension View {
  public func modifier<Modifier: ViewModifier>(_ modifier: Modifier) -> some View { Drawn() }
  public func font(_ font: Font?) -> some View { Drawn() }
  public func foregroundStyle(_ style: HierarchicalShapeStyle) -> some View { Drawn() }
  public func disabled(_ disabled: Bool) -> some View { Drawn() }
  public func accessibilityIdentifier(_ identifier: String) -> some View { Drawn() }
  public func overlay(@ViewBuilder content: () -> some View) -> some View { Drawn() }
  public func toolbar(@ViewBuilder content: () -> some View) -> some View {
    _ = content()
    return Drawn()
  }
  public func refreshable(action: @escaping @Sendable () async -> Void) -> some View { Drawn() }
  public func task(
    @_inheritActorContext _ action: @escaping @Sendable () async -> Void
  ) -> some View {
    Drawing.add(action)
    return Drawn()
  }
  public func task(
    id value: some Equatable, @_inheritActorContext _ action: @escaping @Sendable () async -> Void
  ) -> some View {
    Drawing.add(action)
    return Drawn()
  }
  public func onChange<Value: Equatable>(
    of value: Value, _ action: @escaping (Value, Value) -> Void
  ) -> some View { Drawn() }
  public func sheet(
    isPresented: Binding<Bool>, @ViewBuilder content: @escaping () -> some View
  ) -> some View { Drawn() }
  public func alert(
    _ title: some StringProtocol, isPresented: Binding<Bool>, @ViewBuilder actions: () -> some View,
    @ViewBuilder message: () -> some View
  ) -> some View { Drawn() }
}

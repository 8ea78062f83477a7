/// A value that all its copies share until one of them is changed.
///
/// Rows with many texts are passed on often. A copy of a shared value costs one reference count; a copy of the value
/// itself costs one for each text.
@frozen package struct Shared<Value: Hashable & Sendable>: Hashable, Sendable {
  @usableFromInline final class Box: Sendable {
    @usableFromInline let value: Value

    @inlinable init(_ value: Value) { self.value = value }
  }

  @usableFromInline var box: Box

  @inlinable package init(_ value: Value) { box = Box(value) }

  @inlinable package var value: Value { box.value }

  /// Changes the value of this copy alone.
  @inlinable package mutating func change(_ body: (inout Value) -> Void) {
    var value = box.value
    body(&value)
    box = Box(value)
  }

  /// Whether both are copies of one value, and neither was changed.
  @inlinable package func isSame(as other: Shared) -> Bool { box === other.box }

  @inlinable package static func == (a: Shared, b: Shared) -> Bool { a.box === b.box || a.box.value == b.box.value }

  @inlinable package func hash(into hasher: inout Hasher) { box.value.hash(into: &hasher) }
}

/// The one style sheet of the console. It names no other resource. Each pair of colours has a contrast of 4.5 : 1.
package enum ConsoleStyles {
  /// The most bytes that it may have.
  static let bytesMax = 24 << 10

  package static let text = frame + parts + media
}

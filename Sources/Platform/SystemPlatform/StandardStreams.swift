#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The standard output and error output. Each text is written at once if the system accepts it at once, so lines of two
/// threads do not mix.
package enum StandardStreams {
  /// Writes to the standard output. If its reader is gone, the text is dropped.
  package static func output(_ text: String) { write(text, to: 1) }

  /// Whether the standard output is a terminal.
  package static var outputIsTerminal: Bool { isatty(1) == 1 }

  package static func error(_ text: String) { write(text, to: 2) }

  private static func write(_ text: String, to descriptor: Int32) {
    var text = text
    text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while let address = rest.baseAddress, !rest.isEmpty {
        #if canImport(Darwin)
          let count = Darwin.write(descriptor, address, rest.count)
        #elseif canImport(Glibc)
          let count = Glibc.write(descriptor, address, rest.count)
        #else
          let count = Musl.write(descriptor, address, rest.count)
        #endif
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
    }
  }
}

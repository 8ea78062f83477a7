extension String {
  /// The text in a form that is safe for messages to an operator. The sender may have made it long, or put control
  /// characters into it.
  var shown: String {
    if utf8.count <= 80, utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return self }
    var scalars = String.UnicodeScalarView()
    for scalar in unicodeScalars.prefix(80) {
      scalars.append(
        scalar.properties.isDefaultIgnorableCodePoint || scalar.value < 0x20 || scalar.value == 0x7F ? "?" : scalar)
    }
    return String(scalars) + (unicodeScalars.dropFirst(80).isEmpty ? "" : "…")
  }
}

/// Who acts, and why: both go to the journal and the log.
package struct OperatorReason: Hashable, Sendable {
  package let name: String
  package let text: String

  /// - Parameters:
  ///   - name: the name of the operator's key.
  ///   - text: the operator's own words.
  package init(name: String, text: String) { (self.name, self.text) = (name, text) }
}

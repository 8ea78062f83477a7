public import PaymentVocabulary

/// One line of a world's story.
public struct WorldStoryLine: Hashable, Sendable {
  /// When.
  public let at: Timestamp
  /// Who did or saw it.
  public let who: String
  /// What, in a sentence.
  public let what: String
}

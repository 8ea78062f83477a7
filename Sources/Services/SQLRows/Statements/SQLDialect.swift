/// What databases spell differently, where no spelling is common to them all.
package enum SQLWord: Sendable {
  /// Joins the next table, to be read after those before it.
  case joinNext
  /// Whether two values are equal or both null.
  case isSame
  /// The opposite of `isSame`.
  case isOther
  /// The function for the lesser of two numbers. Null in one of them has no common meaning.
  case least
  /// The function for the position of a text in another, which comes first; 0 if it is not there.
  case position
  /// At the end of an insertion: `SQLConnection.insertedRow` needs it to know the number of the row.
  case returningNumber
}

/// How one database spells statements.
package struct SQLDialect: Sendable {
  let word: @Sendable (SQLWord) -> String
  let hint: @Sendable (String) -> String
  let listed: @Sendable (String) -> String
  let numbersParameters: Bool

  /// - Parameters:
  ///   - numbersParameters: whether parameters are `$1`, `$2`, … instead of question marks.
  ///   - hint: the words that name the index of a table; empty if the planner takes no advice.
  ///   - listed: the condition that the table of an alias shows rows of an app environment, with two parameters. Where
  ///     the planner takes no advice, only an index of lists answers it: no guess then reads a list for one row.
  ///   - word: the spelling of a word.
  package init(
    numbersParameters: Bool, hint: @escaping @Sendable (String) -> String,
    listed: @escaping @Sendable (String) -> String, word: @escaping @Sendable (SQLWord) -> String
  ) {
    self.numbersParameters = numbersParameters
    self.hint = hint
    self.listed = listed
    self.word = word
  }
}

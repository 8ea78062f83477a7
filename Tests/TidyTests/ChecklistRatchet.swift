/// Items of the checklist that no test cites yet. The list only shrinks.
enum ChecklistRatchet {
  static let later: Set<String> = []
}

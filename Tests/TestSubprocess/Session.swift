import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// All processes of a program: its session with all groups, and its descendants in other sessions.
enum Session {
  /// Kills all of its processes. None of them runs when this returns, also none that leads a session of its own, as
  /// each process of PostgreSQL does.
  static func kill(_ leader: pid_t) {
    #if canImport(Glibc)
      // Before the kill: a process in another session is found through its parents alone, and only while they live.
      send(SIGSTOP, to: -leader)
      var family = members(of: leader)
      send(SIGKILL, to: -leader)
      for _ in 0..<200 {
        family.formUnion(members(of: leader))
        family = family.filter { Row($0)?.hasEnded == false }
        if family.isEmpty { return }
        for member in family { send(SIGKILL, to: member) }
        usleep(5000)
      }
    #else
      send(SIGKILL, to: -leader)
    #endif
  }

  #if canImport(Glibc)
    /// The running members, from the system's process table.
    private static func members(of leader: pid_t) -> Set<pid_t> {
      let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
      let table = entries.compactMap { pid_t($0).flatMap(Row.init) }
      var family = Set(table.filter { $0.session == leader || $0.identifier == leader }.map(\.identifier))
      family.insert(leader)
      while true {
        let more = table.filter { family.contains($0.parent) && !family.contains($0.identifier) }
        if more.isEmpty { break }
        family.formUnion(more.map(\.identifier))
      }
      return Set(table.filter { family.contains($0.identifier) && !$0.hasEnded }.map(\.identifier))
    }

    /// A row of that table.
    private struct Row {
      let identifier: pid_t
      let parent: pid_t
      let session: pid_t
      let hasEnded: Bool

      init?(_ identifier: pid_t) {
        guard let data = FileManager.default.contents(atPath: "/proc/\(identifier)/stat") else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        // The name is in parentheses and may contain any character: `12 (name) S 1 12 12 …`.
        guard let end = text.lastIndex(of: ")") else { return nil }
        let words = text[text.index(after: end)...].split(separator: " ")
        guard words.count > 3, let parent = pid_t(words[1]), let session = pid_t(words[3]) else { return nil }
        self.identifier = identifier
        self.parent = parent
        self.session = session
        hasEnded = words[0] == "Z" || words[0] == "X"
      }
    }
  #endif
}

/// The system's `kill`: the method above hides its name.
private func send(_ signal: Int32, to identifier: pid_t) { _ = kill(identifier, signal) }

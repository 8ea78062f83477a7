enum FeedInSwift {
  /// What `counterfoil receiver code --pull` prints for Swift.
  static let text = #"""
    // Follows Counterfoil's feed of events in Swift on Linux, with Foundation. Our tests run it and kill it.
    // Start it with COUNTERFOIL_URL and COUNTERFOIL_SECRET_KEY, once. It needs no public address.
    // Use your database in place of the file: book each event by its id in a unique column, with the place, in one
    // transaction. Pass over types that you do not know. What users may have is told by deliveries.
    import Foundation
    import FoundationNetworking
    import Glibc

    let environment = ProcessInfo.processInfo.environment
    let path = environment["BOOK"] ?? "events.jsonl"
    var ids: Set<String> = []
    var place: String?

    func apply(_ page: [String: Any]) {
      for event in page["events"] as? [[String: Any]] ?? [] { ids.insert(event["id"] as? String ?? "") }
      place = page["next"] as? String
    }

    func object(_ data: Data) -> [String: Any]? {
      try? JSONSerialization.jsonObject(with: data) as? [String: Any]
    }

    func ask(after place: String?) async -> (status: Int, page: [String: Any]) {
      var target = URLComponents(string: environment["COUNTERFOIL_URL"]! + "/v1/events")!
      target.queryItems = [URLQueryItem(name: "limit", value: "100"), URLQueryItem(name: "wait", value: "25")]
      if let place { target.queryItems?.append(URLQueryItem(name: "after", value: place)) }
      var request = URLRequest(url: target.url!, timeoutInterval: 60)
      request.setValue("Bearer " + environment["COUNTERFOIL_SECRET_KEY"]!, forHTTPHeaderField: "Authorization")
      guard let (data, response) = try? await URLSession.shared.data(for: request),
        let status = (response as? HTTPURLResponse)?.statusCode, let page = object(data)
      else { return (0, [:]) } // no answer, or none of Counterfoil's
      return (status, page)
    }

    for line in (FileManager.default.contents(atPath: path) ?? Data()).split(separator: 10) {
      if let page = object(Data(line)) { apply(page) } // a line that was cut off comes again
    }
    let book = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    _ = write(book, "\n", 1)
    while true {
      let (status, page) = await ask(after: place)
      let next = page["next"] as? String
      if status == 0 || status == 429 || status >= 500 {
        sleep(2)
      } else if page["code"] as? String == "event_unknown" {
        place = nil // the database was restored: read from the beginning, and pass over what is booked
      } else if status != 200 {
        print(status, page)
        exit(1)
      } else if next == nil || next == place {
        sleep(1) // nothing new; the answer may come at once
      } else {
        let events = (page["events"] as? [[String: Any]] ?? []).compactMap { $0["event"] as? [String: Any] }
          .filter { !ids.contains($0["id"] as? String ?? "") }
        let made: [String: Any] = ["events": events, "next": next!]
        let line = try JSONSerialization.data(withJSONObject: made) + Data([10])
        let written = line.withUnsafeBytes { write(book, $0.baseAddress!, $0.count) }
        guard written == line.count, fsync(book) == 0 else { exit(1) } // written together, or not at all
        apply(made)
      }
    }

    """#
}

enum FeedInGo {
  /// What `counterfoil receiver code --pull` prints for Go.
  static let text = #"""
    // Follows Counterfoil's feed of events in Go, with its standard library. Our tests run it, and kill it in between.
    // Start it with COUNTERFOIL_URL and COUNTERFOIL_SECRET_KEY, once. It needs no public address.
    // Use your database in place of the file: book each event by its id in a unique column, with the place, in one
    // transaction. Pass over types that you do not know. What users may have is told by deliveries.
    package main

    import (
      "bytes"; "encoding/json"; "fmt"; "io"; "net/http"; "net/url"; "os"; "time"
    )

    type answer struct {
      Events []struct{ Event json.RawMessage }
      Next, Code string
    }
    type line struct {
      Events []json.RawMessage `json:"events"`
      Next string `json:"next"`
    }

    var (
      client = http.Client{Timeout: time.Minute}
      ids    = map[string]bool{}
      place  string
    )

    func id(event json.RawMessage) string {
      var body struct{ ID string }
      json.Unmarshal(event, &body)
      return body.ID
    }

    func apply(l line) {
      for _, event := range l.Events { ids[id(event)] = true }
      place = l.Next
    }

    // The status, or 0 without an answer of Counterfoil's.
    func ask() (int, answer) {
      query := url.Values{"limit": {"100"}, "wait": {"25"}}
      if place != "" { query.Set("after", place) }
      request, err := http.NewRequest("GET", os.Getenv("COUNTERFOIL_URL")+"/v1/events?"+query.Encode(), nil)
      if err != nil { panic(err) }
      request.Header.Set("Authorization", "Bearer "+os.Getenv("COUNTERFOIL_SECRET_KEY"))
      response, err := client.Do(request)
      if err != nil { return 0, answer{} }
      defer response.Body.Close()
      var page answer
      body, err := io.ReadAll(response.Body)
      if err != nil || json.Unmarshal(body, &page) != nil { return 0, answer{} }
      return response.StatusCode, page
    }

    func main() {
      path := os.Getenv("BOOK")
      if path == "" { path = "events.jsonl" }
      known, _ := os.ReadFile(path)
      for _, text := range bytes.Split(known, []byte("\n")) {
        var l line
        if json.Unmarshal(text, &l) == nil { apply(l) } // a line that was cut off comes again
      }
      book, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
      if err != nil { panic(err) }
      book.WriteString("\n")
      for {
        status, page := ask()
        switch {
        case status == 0 || status == 429 || status >= 500: time.Sleep(2 * time.Second)
        // The database was restored: read from the beginning, and pass over what is booked.
        case page.Code == "event_unknown": place = ""
        case status != 200:
          fmt.Fprintln(os.Stderr, status, page.Code)
          os.Exit(1)
        case page.Next == "" || page.Next == place: time.Sleep(time.Second) // nothing new; the answer may come at once
        default:
          l := line{[]json.RawMessage{}, page.Next}
          for _, entry := range page.Events {
            if entry.Event != nil && !ids[id(entry.Event)] { l.Events = append(l.Events, entry.Event) }
          }
          text, _ := json.Marshal(l)
          // Events and place are written together, or not at all.
          if _, err := book.Write(append(text, '\n')); err != nil || book.Sync() != nil { panic("the book") }
          apply(l)
        }
      }
    }

    """#
}

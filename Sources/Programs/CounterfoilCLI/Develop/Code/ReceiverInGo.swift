enum ReceiverInGo {
  /// What `counterfoil receiver code` prints for Go.
  static let text = #"""
    // A receiver of Counterfoil's deliveries in Go, with its standard library. It passes `counterfoil receiver test`.
    // Start it with PORT and COUNTERFOIL_WEBHOOK_SECRETS (whsec_…; several with spaces while one is replaced).
    // Use your database in place of the file: the id in a unique column, written in the transaction that books.
    package main

    import (
      "bytes"; "crypto/hmac"; "crypto/sha256"; "encoding/base64"; "encoding/json"; "fmt"; "io"; "net/http"; "os"
      "strconv"; "strings"; "sync"; "time"
    )

    type delivery struct {
      ID, Type, Environment, Store, TransactionID, UserID string
      Sequence, InForce int64
      Units *struct{ Amount int64 }
    }
    type key struct{ store, transaction, user string }
    type holding struct{ sequence, left int64 }

    var (
      lock     sync.Mutex
      ids      = map[string]bool{}
      holdings = map[key]holding{}
      book     *os.File
    )

    func apply(d delivery) {
      ids[d.ID] = true
      k, left := key{d.Store, d.TransactionID, d.UserID}, int64(0)
      if d.Units != nil { left = d.InForce }
      if d.Units != nil && d.Type == "grant.created" { left = d.Units.Amount }
      if d.Sequence > holdings[k].sequence { holdings[k] = holding{d.Sequence, left} } // the highest sequence counts
    }

    func receive(fields http.Header, body []byte) int {
      id, at := fields.Get("webhook-id"), fields.Get("webhook-timestamp")
      sent, err := strconv.ParseInt(at, 10, 64)
      if age := time.Now().Unix() - sent; err != nil || age > 300 || age < -300 { return 401 }
      good := false
      for _, secret := range strings.Fields(os.Getenv("COUNTERFOIL_WEBHOOK_SECRETS")) {
        raw, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
        code := hmac.New(sha256.New, raw)
        code.Write(append([]byte(id+"."+at+"."), body...)) // the bytes as they came
        mine := "v1," + base64.StdEncoding.EncodeToString(code.Sum(nil))
        for _, theirs := range strings.Fields(fields.Get("webhook-signature")) {
          good = hmac.Equal([]byte(mine), []byte(theirs)) || good
        }
      }
      if !good { return 401 }
      var d delivery
      if json.Unmarshal(body, &d) != nil || d.ID != id { return 400 }
      environment := os.Getenv("COUNTERFOIL_ENVIRONMENT")
      if environment == "" { environment = "production" }
      if d.Environment != environment || !strings.HasPrefix(d.Type, "grant.") { return 204 } // not our money, or news
      lock.Lock()
      defer lock.Unlock()
      if ids[id] { return 204 }
      line := append(bytes.ReplaceAll(body, []byte("\n"), []byte(" ")), '\n')
      if _, err := book.Write(line); err != nil || book.Sync() != nil { return 500 } // it survives a power cut
      apply(d)
      return 204
    }

    func handle(w http.ResponseWriter, r *http.Request) {
      if r.Method == "GET" { // only for the test: the units of a user
        lock.Lock()
        defer lock.Unlock()
        sum := int64(0)
        for k, h := range holdings { if k.user == r.FormValue("userId") { sum += h.left } }
        fmt.Fprint(w, sum)
        return
      }
      body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
      if err != nil { w.WriteHeader(413); return }
      w.WriteHeader(receive(r.Header, body))
    }

    func main() {
      path := os.Getenv("BOOK")
      if path == "" { path = "deliveries.jsonl" }
      known, _ := os.ReadFile(path)
      for _, line := range bytes.Split(known, []byte("\n")) {
        var d delivery
        if json.Unmarshal(line, &d) == nil { apply(d) } // a line that was cut off was never acknowledged
      }
      book, _ = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
      book.WriteString("\n")
      http.HandleFunc("/", handle)
      panic(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
    }

    """#
}

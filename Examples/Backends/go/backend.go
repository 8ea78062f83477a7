// A backend for Counterfoil in Go: the standard library and a driver of SQLite. It runs in our tests, through purchases
// at both stores.
//
// Start it with `go run backend.go ../schema.sql`. It reads these environment variables:
//
// PORT                          where it listens on this machine; 0 lets the system choose
// BOOK                          the file of its database
// COUNTERFOIL_SERVER            the address of the server
// COUNTERFOIL_SECRET_KEY        cfs_…
// COUNTERFOIL_WEBHOOK_SECRETS   whsec_…; several with spaces between them while one is replaced
// COUNTERFOIL_APP, COUNTERFOIL_USER_TOKEN_KID, COUNTERFOIL_USER_TOKEN_SECRET   as in the server's configuration
// COUNTERFOIL_ENVIRONMENT       the environment that is booked; `production` unless it says otherwise
// BEHIND_PROXY                  `yes` if a proxy of yours writes X-Forwarded-For: WeChat's H5 needs the payer's address

package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	_ "github.com/mattn/go-sqlite3"
)

const (
	bodyMax   = 512 * 1024       // bytes; a signed transaction has at most 256 KiB
	tolerance = 300              // seconds by which the time of a delivery may differ from now
	limit     = 35 * time.Second // for one call of the server: longer than the 25 s of `?wait=`
	order     = "orders/[0-9A-Za-z_~%-]{1,256}"
)

var (
	mayRead  = regexp.MustCompile("^/v1/(products|orders|entitlements|balances|" + order + ")$")
	mayWrite = regexp.MustCompile("^/v1/(" + order + "/(close|approval-pending|wechat-pay)" +
		"|payments/(app-store|app-store/finished|wechat-pay))$")
	// No `#`: what follows it would not reach the server.
	mayAsk      = regexp.MustCompile("^[0-9A-Za-z._~%=&-]{0,1000}$")
	isTime      = regexp.MustCompile("^[0-9]{1,12}$")
	backendsOwn = []string{"userId", "reference", "payerAddress"}
)

// refusal is what the other side did wrong.
type refusal struct {
	status int
	code   string
}

func (r refusal) Error() string { return r.code }

var unreadable = refusal{400, "body_unreadable"}

// answer is a status and a JSON text.
type answer struct {
	status int
	body   []byte
}

// --- the tables of schema.sql

type book struct{ database *sql.DB }

func openBook(file, schema string) (*book, error) {
	// What is answered survives a power cut. A transaction takes the write lock at its beginning.
	database, err := sql.Open("sqlite3", "file:"+file+"?_journal=WAL&_sync=FULL&_busy_timeout=10000&_txlock=immediate")
	if err != nil {
		return nil, err
	}
	_, err = database.Exec(schema)
	return &book{database}, err
}

// orderNumber is the number of the order under that key, with the payer's address at its first request.
func (b *book) orderNumber(user, phoneKey, address string) (number, payer string, err error) {
	random := make([]byte, 16)
	if _, err = rand.Read(random); err != nil {
		return
	}
	_, err = b.database.Exec("INSERT INTO order_number VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
		user, phoneKey, fmt.Sprintf("M-%x", random), address)
	if err != nil {
		return
	}
	err = b.database.QueryRow("SELECT number, payer_address FROM order_number WHERE user_id = ? AND phone_key = ?",
		user, phoneKey).Scan(&number, &payer)
	return
}

// delivery has the fields that this backend books. A field that is absent stays nil.
type delivery struct {
	Type          string  `json:"type"`
	ID            string  `json:"id"`
	Sequence      int64   `json:"sequence"`
	Environment   string  `json:"environment"`
	User          *string `json:"userId"`
	Store         *string `json:"store"`
	TransactionID *string `json:"transactionId"`
	Units         *struct {
		Unit   *string `json:"unit"`
		Amount *int64  `json:"amount"`
	} `json:"units"`
	Entitlement *struct {
		Name      *string `json:"name"`
		ExpiresAt *string `json:"expiresAt"`
	} `json:"entitlement"`
	InForce *int64 `json:"inForce"`
}

// gives is the unit or entitlement, and how much of it is in force after the delivery.
func (d *delivery) gives() (name string, inForce int64, err error) {
	var allOfIt, unit = int64(1), (*string)(nil)
	switch {
	case d.Units != nil && d.Units.Amount != nil:
		unit, allOfIt = d.Units.Unit, *d.Units.Amount
	case d.Units == nil && d.Entitlement != nil:
		unit = d.Entitlement.Name
	}
	isNew := d.Type == "grant.created"
	if unit == nil || d.User == nil || d.Store == nil || d.TransactionID == nil || !isNew && d.InForce == nil {
		return "", 0, unreadable
	}
	if isNew {
		return *unit, allOfIt, nil
	}
	return *unit, *d.InForce, nil
}

// book stores the delivery and changes the wallet in one transaction. A repeated delivery changes nothing.
func (b *book) book(d *delivery, text []byte) error {
	name, inForce, err := d.gives()
	if err != nil {
		return err
	}
	transaction, err := b.database.Begin()
	if err != nil {
		return err
	}
	defer transaction.Rollback() // after a commit this does nothing
	added, err := transaction.Exec("INSERT INTO delivery VALUES (?, ?) ON CONFLICT DO NOTHING", d.ID, string(text))
	if err != nil {
		return err
	}
	if count, err := added.RowsAffected(); err != nil || count == 0 {
		return err
	}
	var sequence, known int64
	err = transaction.QueryRow(
		"SELECT sequence, in_force FROM holding WHERE store = ? AND transaction_id = ? AND user_id = ?",
		d.Store, d.TransactionID, d.User).Scan(&sequence, &known)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	// The totals of the highest sequence count: an earlier delivery may arrive later.
	if d.Sequence > sequence {
		var expiresAt *string
		if d.Entitlement != nil {
			expiresAt = d.Entitlement.ExpiresAt
		}
		_, err = transaction.Exec("INSERT INTO holding VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"+
			" sequence = excluded.sequence, in_force = excluded.in_force, expires_at = excluded.expires_at",
			d.Store, d.TransactionID, d.User, name, d.Sequence, inForce, expiresAt)
		if err != nil {
			return err
		}
		if d.Units != nil {
			_, err = transaction.Exec("INSERT INTO wallet VALUES (?, ?, ?)"+
				" ON CONFLICT DO UPDATE SET amount = amount + excluded.amount", d.User, name, inForce-known)
			if err != nil {
				return err
			}
		}
	}
	return transaction.Commit()
}

func (b *book) balances(user string) (map[string]int64, error) {
	rows, err := b.database.Query("SELECT unit, amount FROM wallet WHERE user_id = ?", user)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	balances := map[string]int64{}
	for rows.Next() {
		var unit string
		var amount int64
		if err := rows.Scan(&unit, &amount); err != nil {
			return nil, err
		}
		balances[unit] = amount
	}
	return balances, rows.Err()
}

type backend struct {
	server, secretKey, app, kid, tokenSecret, environment string
	webhookSecrets                                        [][]byte
	isBehindProxy                                         bool
	book                                                  *book
	client                                                http.Client
}

// --- what the server says

// receive checks a delivery and books it. Any answer but 2xx makes it come again.
func (b *backend) receive(headers http.Header, body []byte, now int64) error {
	id, sent := headers.Get("webhook-id"), headers.Get("webhook-timestamp")
	if id == "" || !isTime.MatchString(sent) {
		return refusal{401, "signature_missing"}
	}
	moment, err := strconv.ParseInt(sent, 10, 64)
	if err != nil || moment < now-tolerance || moment > now+tolerance {
		return refusal{401, "timestamp_outside_tolerance"}
	}
	if !b.isSigned(append([]byte(id+"."+sent+"."), body...), headers.Get("webhook-signature")) {
		return refusal{401, "signature_wrong"}
	}
	var d delivery
	if err := json.Unmarshal(body, &d); err != nil {
		return unreadable
	}
	if d.ID != id {
		return refusal{400, "id_differs"} // the id in the signed body counts
	}
	if d.Environment != b.environment {
		return nil // acknowledged and not booked: it is not our money
	}
	if d.Type != "grant.created" && d.Type != "grant.reversed" && d.Type != "grant.reinstated" {
		return refusal{422, "type_unknown"} // it comes again when this backend has learned it
	}
	return b.book.book(&d, body)
}

func (b *backend) isSigned(signed []byte, signatures string) bool {
	fits := false
	for _, secret := range b.webhookSecrets {
		mac := hmac.New(sha256.New, secret)
		mac.Write(signed)
		mine := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		for _, one := range strings.SplitN(signatures, " ", 10) {
			fits = hmac.Equal([]byte(mine), []byte(one)) || fits // constant time
		}
	}
	return fits
}

// --- what the phone asks

// userToken is a token with which the phone may call the server itself, for an hour.
func (b *backend) userToken(user string, now int64) (string, error) {
	signed := ""
	for _, part := range []map[string]any{
		{"alg": "HS256", "typ": "JWT", "kid": b.kid},
		{"sub": user, "aud": b.app, "iat": now, "exp": now + 3600},
	} {
		text, err := json.Marshal(part)
		if err != nil {
			return "", err
		}
		signed += "." + base64.RawURLEncoding.EncodeToString(text)
	}
	mac := hmac.New(sha256.New, []byte(b.tokenSecret))
	mac.Write([]byte(signed[1:]))
	return signed[1:] + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil)), nil
}

// createOrder makes an order of either store under our own number. A repeat with the same key is the same order.
func (b *backend) createOrder(user, phoneKey string, text []byte, address string) (answer, error) {
	if phoneKey == "" || len(phoneKey) > 255 {
		return answer{}, refusal{400, "key_missing"}
	}
	wish, err := phonesObject(text)
	if err != nil {
		return answer{}, err
	}
	// A repeat must be the same request, although the phone may have changed its network.
	number, payer, err := b.book.orderNumber(user, phoneKey, address)
	if err != nil {
		return answer{}, err
	}
	own := map[string]string{"userId": user, "reference": number}
	if string(wish["store"]) == `"weChatPay"` {
		own["payerAddress"] = payer
	}
	body, err := withMembers(own, wish, text)
	if err != nil {
		return answer{}, err
	}
	return b.ask("POST", "/v1/orders", body, number)
}

// forward passes on what a phone asks, in the name of that user alone.
func (b *backend) forward(user, method, path, query string, text []byte) (answer, error) {
	switch {
	case method == "GET" && mayRead.MatchString(path) && mayAsk.MatchString(query):
		asked, err := url.ParseQuery(query)
		if err != nil {
			return answer{}, refusal{400, "query_unreadable"}
		}
		if asked.Has("userId") {
			return answer{}, refusal{403, "user_is_the_sessions"}
		}
		named := url.Values{"userId": {user}}.Encode()
		if query != "" {
			named += "&" + query
		}
		return b.ask("GET", path+"?"+named, nil, "")
	case method == "POST" && mayWrite.MatchString(path) && query == "":
		members, err := phonesObject(text)
		if err != nil {
			return answer{}, err
		}
		body, err := withMembers(map[string]string{"userId": user}, members, text)
		if err != nil {
			return answer{}, err
		}
		return b.ask("POST", path, body, "")
	}
	return answer{}, refusal{404, "not_passed_on"}
}

// phonesObject has the members of the phone's body, none of which may be the backend's own.
func phonesObject(text []byte) (map[string]json.RawMessage, error) {
	if len(text) == 0 {
		return nil, nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil || members == nil {
		return nil, unreadable
	}
	for _, name := range backendsOwn {
		if _, isNamed := members[name]; isNamed {
			return nil, refusal{403, "field_is_the_backends"}
		}
	}
	return members, nil
}

// withMembers puts our members in front of the phone's JSON. The rest stays byte for byte as the phone wrote it.
func withMembers(own map[string]string, members map[string]json.RawMessage, text []byte) ([]byte, error) {
	made, err := json.Marshal(own)
	if err != nil || len(text) == 0 {
		return made, err
	}
	made = made[:len(made)-1]
	if len(members) > 0 {
		made = append(made, ',')
	}
	return append(made, bytes.TrimSpace(text)[1:]...), nil
}

// ask returns the server's answer, whatever its status.
func (b *backend) ask(method, target string, body []byte, key string) (answer, error) {
	request, err := http.NewRequest(method, b.server+target, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	request.Header.Set("Authorization", "Bearer "+b.secretKey)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := b.client.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, text}, err
}

// userOf says whose session it is. This one believes everybody who knows a name: put your own check in its place.
func userOf(headers http.Header) (string, error) {
	header := headers.Get("Authorization")
	if !strings.HasPrefix(header, "Bearer session-of-") {
		return "", refusal{401, "session_missing"}
	}
	return strings.TrimPrefix(header, "Bearer session-of-"), nil
}

// payersAddress is the last one that our own proxy has added, or the connection's.
func (b *backend) payersAddress(request *http.Request) string {
	if forwarded := request.Header.Get("X-Forwarded-For"); b.isBehindProxy && forwarded != "" {
		return strings.TrimSpace(forwarded[strings.LastIndex(forwarded, ",")+1:])
	}
	host, _, _ := net.SplitHostPort(request.RemoteAddr)
	return host
}

func (b *backend) result(request *http.Request) (answer, error) {
	body, err := io.ReadAll(io.LimitReader(request.Body, bodyMax+1))
	if err != nil {
		return answer{}, err
	}
	if len(body) > bodyMax {
		return answer{}, refusal{413, "body_too_large"}
	}
	// As it was sent: a decoded path may be another one.
	path, query, _ := strings.Cut(request.RequestURI, "?")
	now := time.Now().Unix()
	route := request.Method + " " + path
	if route == "POST /counterfoil" {
		return answer{204, nil}, b.receive(request.Header, body, now)
	}
	user, err := userOf(request.Header)
	if err != nil {
		return answer{}, err
	}
	switch route {
	case "GET /balances":
		balances, err := b.book.balances(user)
		if err != nil {
			return answer{}, err
		}
		text, err := json.Marshal(balances)
		return answer{200, text}, err
	case "POST /user-token":
		token, err := b.userToken(user, now)
		return answer{200, []byte(`{"token":"` + token + `"}`)}, err
	case "POST /v1/orders":
		return b.createOrder(user, request.Header.Get("Idempotency-Key"), body, b.payersAddress(request))
	}
	return b.forward(user, request.Method, path, query, body)
}

// ServeHTTP answers: whatever goes wrong is an answer that makes the other side ask again.
func (b *backend) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	result, err := b.result(request)
	var refused refusal
	switch {
	case errors.As(err, &refused):
		result = answer{refused.status, []byte(`{"code":"` + refused.code + `"}`)}
	case err != nil:
		log.Print(err)
		result = answer{503, []byte(`{"code":"try_again"}`)}
	}
	if len(result.body) > 0 {
		response.Header().Set("Content-Type", "application/json")
	}
	response.WriteHeader(result.status)
	response.Write(result.body)
}

func main() {
	schema, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	b := &backend{
		server: os.Getenv("COUNTERFOIL_SERVER"), secretKey: os.Getenv("COUNTERFOIL_SECRET_KEY"),
		app: os.Getenv("COUNTERFOIL_APP"), kid: os.Getenv("COUNTERFOIL_USER_TOKEN_KID"),
		tokenSecret: os.Getenv("COUNTERFOIL_USER_TOKEN_SECRET"), environment: os.Getenv("COUNTERFOIL_ENVIRONMENT"),
		isBehindProxy: os.Getenv("BEHIND_PROXY") == "yes", client: http.Client{Timeout: limit},
	}
	if b.environment == "" {
		b.environment = "production"
	}
	for _, one := range strings.Fields(os.Getenv("COUNTERFOIL_WEBHOOK_SECRETS")) {
		secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(one, "whsec_"))
		if err != nil || len(secret) == 0 || !strings.HasPrefix(one, "whsec_") {
			log.Fatal("COUNTERFOIL_WEBHOOK_SECRETS must be one or more whsec_…")
		}
		b.webhookSecrets = append(b.webhookSecrets, secret)
	}
	if len(b.webhookSecrets) == 0 {
		log.Fatal("COUNTERFOIL_WEBHOOK_SECRETS must be one or more whsec_…")
	}
	if b.book, err = openBook(os.Getenv("BOOK"), string(schema)); err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("http://%s\n", listener.Addr())
	log.Fatal((&http.Server{Handler: b, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute}).Serve(listener))
}

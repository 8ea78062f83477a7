enum ReceiverInRust {
  /// What `counterfoil receiver code` prints for Rust.
  static let text = #"""
    // A receiver of Counterfoil's deliveries in Rust. Our tests do not run it: try it with `counterfoil receiver test`.
    // Cargo.toml: base64 = "0.22", hmac = "0.12", serde_json = "1", sha2 = "0.10", tiny_http = "0.12", url = "2".
    // Start it with PORT and COUNTERFOIL_WEBHOOK_SECRETS (whsec_…; several with spaces while one is replaced).
    // Use your database in place of the file: the id in a unique column, written in the transaction that books.
    use base64::{engine::general_purpose::STANDARD, Engine};
    use hmac::{Hmac, Mac};
    use serde_json::Value;
    use std::{collections::*, env, fs, io::{Read, Write}, time::{SystemTime, UNIX_EPOCH}};

    #[derive(Default)]
    struct Book { ids: HashSet<String>, holdings: HashMap<(String, String, String), (i64, i64)> }

    impl Book {
        fn apply(&mut self, delivery: &Value) -> Option<()> {
            let text = |name: &str| delivery[name].as_str().map(String::from);
            let key = (text("store")?, text("transactionId")?, text("userId")?);
            let (sequence, given) = (delivery["sequence"].as_i64()?, delivery["units"]["amount"].as_i64());
            let is_created = delivery["type"] == "grant.created";
            let left = match given { None => 0, Some(all) if is_created => all, _ => delivery["inForce"].as_i64()? };
            self.ids.insert(text("id")?);
            // The highest sequence counts, whatever comes last.
            let known = self.holdings.get(&key).map_or(0, |known| known.0);
            if sequence > known { self.holdings.insert(key, (sequence, left)); }
            Some(())
        }
    }

    fn receive(book: &mut Book, file: &mut fs::File, request: &tiny_http::Request, body: &[u8]) -> Option<u16> {
        let field = |name: &str| request.headers().iter().find(|one| one.field.as_str() == name)
            .map(|one| one.value.as_str()).unwrap_or("");
        let (id, at) = (field("webhook-id"), field("webhook-timestamp"));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs() as i64;
        if !at.parse::<i64>().is_ok_and(|sent| (now - sent).abs() <= 300) { return Some(401); }
        let mut is_good = false;
        for secret in env::var("COUNTERFOIL_WEBHOOK_SECRETS").ok()?.split(' ') {
            for theirs in field("webhook-signature").split(' ').filter_map(|one| one.strip_prefix("v1,")) {
                let key = STANDARD.decode(secret.strip_prefix("whsec_")?).ok()?;
                let mut code = Hmac::<sha2::Sha256>::new_from_slice(&key).ok()?;
                code.update(format!("{id}.{at}.").as_bytes());
                code.update(body); // the bytes as they came
                is_good |= STANDARD.decode(theirs).is_ok_and(|bytes| code.verify_slice(&bytes).is_ok());
            }
        }
        if !is_good { return Some(401); }
        let delivery: Value = serde_json::from_slice(body).ok()?;
        if delivery["id"] != id { return Some(400); }
        let environment = env::var("COUNTERFOIL_ENVIRONMENT").unwrap_or("production".into());
        // Not our money, or news of a later version.
        if delivery["environment"] != environment.as_str() { return Some(204); }
        if !delivery["type"].as_str()?.starts_with("grant.") { return Some(204); }
        if book.ids.contains(id) { return Some(204); }
        writeln!(file, "{delivery}").ok()?;
        file.sync_all().ok()?; // what is answered survives a power cut
        book.apply(&delivery)?;
        Some(204)
    }

    fn main() {
        let path = env::var("BOOK").unwrap_or("deliveries.jsonl".into());
        let mut book = Book::default();
        for line in fs::read_to_string(&path).unwrap_or_default().lines() {
            // Others were never acknowledged.
            if let Ok(delivery) = serde_json::from_str(line) { book.apply(&delivery); }
        }
        let mut file = fs::OpenOptions::new().create(true).append(true).open(&path).expect("the book");
        writeln!(file).expect("the book");
        let address = format!("127.0.0.1:{}", env::var("PORT").expect("PORT"));
        let server = tiny_http::Server::http(address).expect("the port");
        for mut request in server.incoming_requests() {
            if *request.method() == tiny_http::Method::Get { // only for the test: the units of a user
                let target = url::Url::parse(&format!("http://localhost{}", request.url())).expect("a target");
                let user = target.query_pairs().find(|one| one.0 == "userId").map(|one| one.1.to_string());
                let theirs = book.holdings.iter().filter(|one| Some(&one.0.2) == user.as_ref());
                let sum: i64 = theirs.map(|one| one.1.1).sum();
                let _ = request.respond(tiny_http::Response::from_string(sum.to_string()));
                continue;
            }
            let mut body = Vec::new();
            let is_read = request.as_reader().take((1 << 20) + 1).read_to_end(&mut body).is_ok();
            let status = match is_read && body.len() <= 1 << 20 {
                true => receive(&mut book, &mut file, &request, &body).unwrap_or(400),
                false => 413,
            };
            let _ = request.respond(tiny_http::Response::empty(status));
        }
    }

    """#
}

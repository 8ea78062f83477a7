enum FeedInRust {
  /// What `counterfoil receiver code --pull` prints for Rust.
  static let text = #"""
    // Follows Counterfoil's feed of events in Rust. Our tests do not run it.
    // Cargo.toml: serde_json = "1", ureq = "2".
    // Start it with COUNTERFOIL_URL and COUNTERFOIL_SECRET_KEY, once. It needs no public address.
    // Use your database in place of the file: book each event by its id in a unique column, with the place, in one
    // transaction. Pass over types that you do not know. What users may have is told by deliveries.
    use serde_json::{json, Value};
    use std::{collections::HashSet, env, fs, io::Write, process, thread::sleep, time::Duration};

    #[derive(Default)]
    struct Book { ids: HashSet<String>, place: Option<String> }

    impl Book {
        fn apply(&mut self, page: &Value) -> Option<()> {
            for event in page["events"].as_array()? { self.ids.insert(event["id"].as_str()?.into()); }
            self.place = page["next"].as_str().map(String::from);
            Some(())
        }
    }

    // The status, or 0 without an answer of Counterfoil's.
    fn ask(place: &Option<String>) -> (u16, Value) {
        let (url, key) = (env::var("COUNTERFOIL_URL"), env::var("COUNTERFOIL_SECRET_KEY"));
        let mut request = ureq::get(&format!("{}/v1/events", url.expect("COUNTERFOIL_URL")))
            .set("Authorization", &format!("Bearer {}", key.expect("COUNTERFOIL_SECRET_KEY")))
            .query("limit", "100").query("wait", "25").timeout(Duration::from_secs(60));
        if let Some(after) = place { request = request.query("after", after); }
        let answer = match request.call() {
            Ok(answer) | Err(ureq::Error::Status(_, answer)) => answer,
            Err(_) => return (0, Value::Null),
        };
        let status = answer.status();
        let text = answer.into_string().unwrap_or_default();
        serde_json::from_str(&text).map_or((0, Value::Null), |page| (status, page))
    }

    fn main() {
        let path = env::var("BOOK").unwrap_or("events.jsonl".into());
        let mut book = Book::default();
        for line in fs::read_to_string(&path).unwrap_or_default().lines() {
            // A line that was cut off comes again.
            if let Ok(page) = serde_json::from_str(line) { book.apply(&page); }
        }
        let mut file = fs::OpenOptions::new().create(true).append(true).open(&path).expect("the book");
        writeln!(file).expect("the book");
        loop {
            let (status, page) = ask(&book.place);
            let next = page["next"].as_str().map(String::from);
            if status == 0 || status == 429 || status >= 500 {
                sleep(Duration::from_secs(2));
            } else if page["code"] == "event_unknown" {
                book.place = None; // the database was restored: read from the beginning, and pass over what is booked
            } else if status != 200 {
                eprintln!("{status} {page}");
                process::exit(1);
            } else if next.is_none() || next == book.place {
                sleep(Duration::from_secs(1)); // nothing new; the answer may come at once
            } else {
                let entries = page["events"].as_array().cloned().unwrap_or_default();
                let is_new = |event: &&Value| event["id"].as_str().is_some_and(|id| !book.ids.contains(id));
                let events: Vec<&Value> = entries.iter().map(|entry| &entry["event"]).filter(is_new).collect();
                let made = json!({ "events": events, "next": next });
                writeln!(file, "{made}").expect("the book");
                file.sync_all().expect("the book"); // events and place are written together, or not at all
                book.apply(&made);
            }
        }
    }

    """#
}

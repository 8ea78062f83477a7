enum FeedInNode {
  /// What `counterfoil receiver code --pull` prints for Node.js.
  static let text = #"""
    // Follows Counterfoil's feed of events in Node.js, without packages. Our tests run it, and kill it in between.
    // Start it with COUNTERFOIL_URL and COUNTERFOIL_SECRET_KEY, once. It needs no public address.
    // Use your database in place of the file: book each event by its id in a unique column, with the place, in one
    // transaction. Pass over types that you do not know. What users may have is told by deliveries.
    import { existsSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";

    const { COUNTERFOIL_URL, COUNTERFOIL_SECRET_KEY, BOOK } = process.env;
    const path = BOOK ?? "events.jsonl";
    const ids = new Set();
    let place = null;

    function apply(page) {
      for (const event of page.events) ids.add(event.id);
      place = page.next;
    }

    async function ask() {
      const query = new URLSearchParams({ limit: "100", wait: "25", ...(place ? { after: place } : {}) });
      const answer = await fetch(`${COUNTERFOIL_URL}/v1/events?${query}`, {
        headers: { authorization: `Bearer ${COUNTERFOIL_SECRET_KEY}` }, signal: AbortSignal.timeout(60_000),
      });
      return [answer.status, await answer.json()];
    }

    const pause = (seconds) => new Promise((resume) => setTimeout(resume, seconds * 1000));

    for (const line of existsSync(path) ? readFileSync(path, "utf8").split("\n") : []) {
      try { apply(JSON.parse(line)); } catch { /* a line that was cut off comes again */ }
    }
    const book = openSync(path, "a");
    writeSync(book, "\n");
    for (;;) {
      const [status, page] = await ask().catch(() => [0, {}]); // no answer, or none of Counterfoil's
      if (status === 0 || status === 429 || status >= 500) {
        await pause(2);
      } else if (page.code === "event_unknown") {
        place = null; // the database was restored: read from the beginning, and pass over what is booked
      } else if (status !== 200) {
        console.error(status, page);
        process.exit(1);
      } else if (!page.next || page.next === place) {
        await pause(1); // nothing new; the answer may come at once
      } else {
        const events = page.events.map((entry) => entry.event).filter((event) => event && !ids.has(event.id));
        writeSync(book, JSON.stringify({ events, next: page.next }) + "\n");
        fsyncSync(book); // events and place are written together, or not at all
        apply({ events, next: page.next });
      }
    }

    """#
}

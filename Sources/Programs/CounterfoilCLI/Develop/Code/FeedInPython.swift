enum FeedInPython {
  /// What `counterfoil receiver code --pull` prints for Python.
  static let text = #"""
    # Follows Counterfoil's feed of events in Python 3, without packages. Our tests run it, and kill it in between.
    # Start it with COUNTERFOIL_URL and COUNTERFOIL_SECRET_KEY, once. It needs no public address.
    # Use your database in place of the file: book each event by its id in a unique column, with the place, in one
    # transaction. Pass over types that you do not know. What users may have is told by deliveries.
    import json, os, sys, time, urllib.error, urllib.parse, urllib.request

    BOOK = open(os.environ.get("BOOK", "events.jsonl"), "a+b")
    IDS, PLACE = set(), None


    def apply(page):
        global PLACE
        IDS.update(event["id"] for event in page["events"])
        PLACE = page["next"]


    def ask():
        query = {"limit": 100, "wait": 25} | ({"after": PLACE} if PLACE else {})
        url = os.environ["COUNTERFOIL_URL"] + "/v1/events?" + urllib.parse.urlencode(query)
        fields = {"Authorization": "Bearer " + os.environ["COUNTERFOIL_SECRET_KEY"]}
        try:
            with urllib.request.urlopen(urllib.request.Request(url, headers=fields), timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)


    BOOK.seek(0)
    for line in BOOK:
        try:
            apply(json.loads(line))
        except ValueError:
            pass  # a line that was cut off comes again
    BOOK.write(b"\n")
    while True:
        try:
            status, page = ask()
        except Exception:
            status, page = 0, {}  # no answer, or none of Counterfoil's
        if status in (0, 429) or status >= 500:
            time.sleep(2)
        elif page.get("code") == "event_unknown":
            PLACE = None  # the database was restored: read from the beginning, and pass over what is booked
        elif status != 200:
            sys.exit(f"{status} {page}")
        elif page.get("next") in (None, PLACE):
            time.sleep(1)  # nothing new; the answer may come at once
        else:
            new = [entry["event"] for entry in page["events"] if "event" in entry and entry["event"]["id"] not in IDS]
            BOOK.write(json.dumps({"events": new, "next": page["next"]}).encode() + b"\n")
            BOOK.flush()
            os.fsync(BOOK.fileno())  # events and place are written together, or not at all
            apply({"events": new, "next": page["next"]})

    """#
}

enum FeedInCSharp {
  /// What `counterfoil receiver code --pull` prints for C#.
  static let text = #"""
    // Follows Counterfoil's feed of events in C# with .NET 8. Our tests do not run it.
    // Start it with COUNTERFOIL_URL and COUNTERFOIL_SECRET_KEY, once. It needs no public address.
    // Use your database in place of the file: book each event by its id in a unique column, with the place, in one
    // transaction. Pass over types that you do not know. What users may have is told by deliveries.
    using System.Net.Http.Headers;
    using System.Text.Json;

    string Setting(string name) => Environment.GetEnvironmentVariable(name) ?? throw new Exception(name);
    var path = Environment.GetEnvironmentVariable("BOOK") ?? "events.jsonl";
    var client = new HttpClient { Timeout = TimeSpan.FromSeconds(60) };
    var key = new AuthenticationHeaderValue("Bearer", Setting("COUNTERFOIL_SECRET_KEY"));
    client.DefaultRequestHeaders.Authorization = key;
    var ids = new HashSet<string>();
    string? place = null;

    string? Text(JsonElement value, string name) =>
        value.TryGetProperty(name, out var found) ? found.GetString() : null;

    void Apply(JsonElement page)
    {
        foreach (var one in page.GetProperty("events").EnumerateArray()) ids.Add(Text(one, "id")!);
        place = Text(page, "next");
    }

    async Task<(int Status, JsonElement Page)> Ask()
    {
        var after = place is null ? "" : "&after=" + Uri.EscapeDataString(place);
        try
        {
            var target = Setting("COUNTERFOIL_URL") + "/v1/events?limit=100&wait=25" + after;
            using var answer = await client.GetAsync(target);
            return ((int)answer.StatusCode, JsonDocument.Parse(await answer.Content.ReadAsStringAsync()).RootElement);
        }
        // No answer, or none of Counterfoil's.
        catch (Exception error) when (error is HttpRequestException or TaskCanceledException or JsonException)
        {
            return (0, default);
        }
    }

    foreach (var line in File.Exists(path) ? File.ReadAllLines(path) : [])
    {
        try { if (line.EndsWith('}')) Apply(JsonDocument.Parse(line).RootElement); }
        catch (JsonException) { } // a line that was cut off comes again
    }
    var book = new FileStream(path, FileMode.Append);
    book.WriteByte((byte)'\n');
    while (true)
    {
        var (status, page) = await Ask();
        if (status is 0 or 429 or >= 500) { await Task.Delay(2000); continue; }
        // The database was restored: read from the beginning, and pass over what is booked.
        if (Text(page, "code") == "event_unknown") { place = null; continue; }
        if (status != 200) { Console.Error.WriteLine($"{status} {page}"); return 1; }
        var next = Text(page, "next");
        if (next is null || next == place) { await Task.Delay(1000); continue; } // nothing new; it may come at once
        var events = page.GetProperty("events").EnumerateArray()
            .Where(one => one.TryGetProperty("event", out _)).Select(one => one.GetProperty("event"))
            .Where(one => !ids.Contains(Text(one, "id")!)).ToArray();
        var made = JsonSerializer.SerializeToElement(new { events, next });
        book.Write(JsonSerializer.SerializeToUtf8Bytes(made));
        book.WriteByte((byte)'\n');
        book.Flush(flushToDisk: true); // events and place are written together, or not at all
        Apply(made);
    }

    """#
}

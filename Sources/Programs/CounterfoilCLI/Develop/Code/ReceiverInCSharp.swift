enum ReceiverInCSharp {
  /// What `counterfoil receiver code` prints for C#.
  static let text = #"""
    // A receiver of Counterfoil's deliveries in C# with ASP.NET Core 8. Our tests do not run it: try it with
    // `counterfoil receiver test`. Start it with PORT and COUNTERFOIL_WEBHOOK_SECRETS (whsec_…; several with spaces).
    // Use your database in place of the file: the id in a unique column, written in the transaction that books.
    using System.Security.Cryptography;
    using System.Text;
    using System.Text.Json;

    string Setting(string name, string otherwise) => Environment.GetEnvironmentVariable(name) ?? otherwise;
    var texts = Setting("COUNTERFOIL_WEBHOOK_SECRETS", "").Split(' ');
    var secrets = texts.Select(one => Convert.FromBase64String(one["whsec_".Length..])).ToArray();
    var environment = Setting("COUNTERFOIL_ENVIRONMENT", "production");
    var path = Setting("BOOK", "deliveries.jsonl");
    var ids = new HashSet<string>();
    var holdings = new Dictionary<(string, string, string), (long Sequence, long Left)>();

    void Apply(JsonElement delivery)
    {
        string Text(string name) => delivery.GetProperty(name).GetString()!;
        ids.Add(Text("id"));
        var hasUnits = delivery.TryGetProperty("units", out var units);
        var given = hasUnits ? units.GetProperty("amount").GetInt64() : 0;
        var isCreated = Text("type") == "grant.created";
        var left = isCreated || !hasUnits ? given : delivery.GetProperty("inForce").GetInt64();
        var key = (Text("store"), Text("transactionId"), Text("userId"));
        var sequence = delivery.GetProperty("sequence").GetInt64();
        // The highest sequence counts, whatever comes last.
        if (!holdings.TryGetValue(key, out var known) || sequence > known.Sequence) holdings[key] = (sequence, left);
    }

    foreach (var line in File.Exists(path) ? File.ReadAllLines(path) : [])
    {
        try { if (line.EndsWith('}')) Apply(JsonDocument.Parse(line).RootElement); }
        catch (JsonException) { } // it was cut off, and never acknowledged
    }
    var book = new FileStream(path, FileMode.Append);
    book.WriteByte((byte)'\n');

    int Receive(HttpRequest request, byte[] body)
    {
        var (id, at) = (request.Headers["webhook-id"].ToString(), request.Headers["webhook-timestamp"].ToString());
        var now = DateTimeOffset.UtcNow.ToUnixTimeSeconds();
        if (!long.TryParse(at, out var sent) || Math.Abs(now - sent) > 300) return 401;
        byte[] signed = [.. Encoding.UTF8.GetBytes($"{id}.{at}."), .. body]; // the bytes as they came
        var isGood = false;
        foreach (var secret in secrets)
            foreach (var theirs in request.Headers["webhook-signature"].ToString().Split(' '))
                isGood |= CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(theirs),
                    Encoding.UTF8.GetBytes("v1," + Convert.ToBase64String(HMACSHA256.HashData(secret, signed))));
        if (!isGood) return 401;
        var delivery = JsonDocument.Parse(body).RootElement;
        if (delivery.GetProperty("id").GetString() != id) return 400;
        // Not our money, or news of a later version.
        if (delivery.GetProperty("environment").GetString() != environment) return 204;
        if (!delivery.GetProperty("type").GetString()!.StartsWith("grant.")) return 204;
        lock (ids)
        {
            if (ids.Contains(id)) return 204;
            book.Write(JsonSerializer.SerializeToUtf8Bytes(delivery));
            book.WriteByte((byte)'\n');
            book.Flush(flushToDisk: true); // what is answered survives a power cut
            Apply(delivery);
        }
        return 204;
    }

    var app = WebApplication.Create();
    app.MapPost("/{**path}", async (HttpRequest request) =>
    {
        if (request.ContentLength is null or > 1 << 20) return Results.StatusCode(413);
        var body = new MemoryStream();
        await request.Body.CopyToAsync(body);
        try { return Results.StatusCode(Receive(request, body.ToArray())); }
        catch (JsonException) { return Results.StatusCode(400); }
        catch (KeyNotFoundException) { return Results.StatusCode(400); }
    });
    app.MapGet("/{**path}", (string userId) => // only for the test: the units of a user
    {
        lock (ids) return holdings.Where(one => one.Key.Item3 == userId).Sum(one => one.Value.Left).ToString();
    });
    app.Run("http://127.0.0.1:" + Setting("PORT", "3000"));

    """#
}

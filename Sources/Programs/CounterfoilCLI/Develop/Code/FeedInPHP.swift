enum FeedInPHP {
  /// What `counterfoil receiver code --pull` prints for PHP.
  static let text = #"""
    <?php
    // Follows Counterfoil's feed of events in PHP 8 with PDO. Our tests run it, and kill it in between.
    // Start it as `php feed.php` with COUNTERFOIL_URL and COUNTERFOIL_SECRET_KEY, once. It needs no public address.
    // Use your database in place of the file. Pass over types that you do not know. What users may have is told by
    // deliveries.
    declare(strict_types=1);

    $book = new PDO('sqlite:' . (getenv('BOOK') ?: 'events.db'));
    $book->exec('PRAGMA synchronous = FULL');
    $book->exec('CREATE TABLE IF NOT EXISTS event (id TEXT PRIMARY KEY, body TEXT NOT NULL)');
    $book->exec('CREATE TABLE IF NOT EXISTS place (name TEXT PRIMARY KEY, next TEXT NOT NULL)');
    $place = $book->query('SELECT next FROM place')->fetchColumn() ?: null;

    function ask(?string $place): array
    {
        $query = ['limit' => 100, 'wait' => 25] + ($place === null ? [] : ['after' => $place]);
        $context = stream_context_create(['http' => [
            'header' => 'Authorization: Bearer ' . getenv('COUNTERFOIL_SECRET_KEY'),
            'timeout' => 60, 'ignore_errors' => true,
        ]]);
        $url = getenv('COUNTERFOIL_URL') . '/v1/events?' . http_build_query($query);
        $body = @file_get_contents($url, false, $context);
        $page = $body === false ? null : json_decode($body, true);
        // No answer, or none of Counterfoil's.
        return is_array($page) ? [(int) explode(' ', $http_response_header[0])[1], $page] : [0, []];
    }

    while (true) {
        [$status, $page] = ask($place);
        if ($status === 0 || $status === 429 || $status >= 500) {
            sleep(2);
        } elseif (($page['code'] ?? '') === 'event_unknown') {
            $place = null; // the database was restored: read from the beginning, and pass over what is booked
        } elseif ($status !== 200) {
            fwrite(STDERR, $status . ' ' . json_encode($page) . "\n");
            exit(1);
        } elseif (!isset($page['next']) || $page['next'] === $place) {
            sleep(1); // nothing new; the answer may come at once
        } else {
            $book->beginTransaction(); // events and place are written together, or not at all
            $new = $book->prepare('INSERT INTO event VALUES (?, ?) ON CONFLICT DO NOTHING');
            foreach ($page['events'] as $entry) {
                if (isset($entry['event'])) {
                    $new->execute([$entry['event']['id'], json_encode($entry['event'])]);
                }
            }
            $place = $page['next'];
            $book->prepare("REPLACE INTO place VALUES ('events', ?)")->execute([$place]);
            $book->commit();
        }
    }

    """#
}

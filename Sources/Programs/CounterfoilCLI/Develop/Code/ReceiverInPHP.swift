enum ReceiverInPHP {
  /// What `counterfoil receiver code` prints for PHP.
  static let text = #"""
    <?php
    // A receiver of Counterfoil's deliveries in PHP 8 with PDO. It passes `counterfoil receiver test`.
    // Start it as `php -S 127.0.0.1:3000 receiver.php` with COUNTERFOIL_WEBHOOK_SECRETS (whsec_…; several with spaces
    // while one is replaced). Use your database in place of the file.
    declare(strict_types=1);

    $book = new PDO('sqlite:' . (getenv('BOOK') ?: 'deliveries.db'));
    $book->setAttribute(PDO::ATTR_TIMEOUT, 10);
    $book->exec('PRAGMA synchronous = FULL'); // what is answered survives a power cut
    $book->exec('CREATE TABLE IF NOT EXISTS delivery (id TEXT PRIMARY KEY, body TEXT NOT NULL)');
    $book->exec('CREATE TABLE IF NOT EXISTS holding (store TEXT, transaction_id TEXT, user_id TEXT, sequence INTEGER,
        units INTEGER, PRIMARY KEY (store, transaction_id, user_id))');

    function receive(PDO $book, string $body): int
    {
        $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
        $at = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
        if (!preg_match('/^[0-9]{1,12}$/D', $at) || abs(time() - (int) $at) > 300) {
            return 401;
        }
        $isGood = false;
        foreach (explode(' ', getenv('COUNTERFOIL_WEBHOOK_SECRETS') ?: '') as $secret) {
            // The bytes as they came.
            $code = hash_hmac('sha256', "$id.$at.$body", base64_decode(substr($secret, 6)), true);
            foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $theirs) {
                $isGood = hash_equals('v1,' . base64_encode($code), $theirs) || $isGood;
            }
        }
        if (!$isGood) {
            return 401;
        }
        $delivery = json_decode($body, true, 32, JSON_THROW_ON_ERROR);
        if ($delivery['id'] !== $id) {
            return 400;
        }
        $environment = getenv('COUNTERFOIL_ENVIRONMENT') ?: 'production';
        if ($delivery['environment'] !== $environment || !str_starts_with($delivery['type'], 'grant.')) {
            return 204; // not our money, or news of a later version
        }
        $given = isset($delivery['units']) ? $delivery['units']['amount'] : 0;
        $left = $delivery['type'] === 'grant.created' || !$given ? $given : $delivery['inForce'];
        $book->beginTransaction();
        $new = $book->prepare('INSERT INTO delivery VALUES (?, ?) ON CONFLICT DO NOTHING');
        $new->execute([$id, $body]);
        if ($new->rowCount() === 1) { // the highest sequence counts, whatever comes last
            $change = $book->prepare('INSERT INTO holding VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
                SET sequence = excluded.sequence, units = excluded.units WHERE excluded.sequence > sequence');
            $change->execute([$delivery['store'], $delivery['transactionId'], $delivery['userId'],
                $delivery['sequence'], $left]);
        }
        $book->commit();
        return 204;
    }

    if ($_SERVER['REQUEST_METHOD'] === 'GET') { // only for the test: the units of a user
        $sum = $book->prepare('SELECT coalesce(sum(units), 0) FROM holding WHERE user_id = ?');
        $sum->execute([$_GET['userId'] ?? '']);
        exit((string) $sum->fetchColumn());
    }
    http_response_code((int) ($_SERVER['CONTENT_LENGTH'] ?? 0) > 1 << 20
        ? 413 : receive($book, file_get_contents('php://input')));

    """#
}

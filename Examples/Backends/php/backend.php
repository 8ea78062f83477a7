<?php
// A backend for Counterfoil in PHP: 8.1 or later with PDO. It runs in our tests, through purchases at both stores,
// under PHP's own server: `PHP_CLI_SERVER_WORKERS=8 php -S 127.0.0.1:8090 backend.php`. FPM runs the same file.
//
// It reads these environment variables:
//
// BOOK                          the file of its database
// COUNTERFOIL_SERVER            the address of the server
// COUNTERFOIL_SECRET_KEY        cfs_…
// COUNTERFOIL_WEBHOOK_SECRETS   whsec_…; several with spaces between them while one is replaced
// COUNTERFOIL_APP, COUNTERFOIL_USER_TOKEN_KID, COUNTERFOIL_USER_TOKEN_SECRET   as in the server's configuration
// COUNTERFOIL_ENVIRONMENT       the environment that is booked; `production` unless it says otherwise
// BEHIND_PROXY                  `yes` if a proxy of yours writes X-Forwarded-For: WeChat's H5 needs the payer's address

declare(strict_types=1);

const BODY_MAX = 512 * 1024; // bytes; a signed transaction has at most 256 KiB
const TOLERANCE = 300; // seconds by which the time of a delivery may differ from now
const LIMIT = 35; // seconds for one call of the server: longer than the 25 s of `?wait=`
const BACKENDS_OWN = ['userId', 'reference', 'payerAddress'];
const ORDER = 'orders/[0-9A-Za-z_~%-]{1,256}';
const READ = '#^/v1/(products|orders|entitlements|balances|' . ORDER . ')$#D';
const WRITE = '#^/v1/(' . ORDER . '/(close|approval-pending|wechat-pay)'
    . '|payments/(app-store|app-store/finished|wechat-pay))$#D';
const QUERY = '/^[0-9A-Za-z._~%=&-]{0,1024}$/D'; // no `#`: what follows it would not reach the server
const FLAGS = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_THROW_ON_ERROR;

final class Refusal extends Exception
{
    public function __construct(public readonly int $status, string $code)
    {
        parent::__construct($code);
    }
}

/** The tables of `schema.sql`. */
final class Book
{
    private PDO $database;

    public function __construct(string $path)
    {
        $this->database = new PDO('sqlite:' . $path, null, null, [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
        $this->database->exec('PRAGMA busy_timeout = 10000');
        $this->database->exec('PRAGMA synchronous = FULL'); // what is answered survives a power cut
        $this->database->exec((string) file_get_contents(__DIR__ . '/../schema.sql'));
    }

    private function run(string $sql, array $values): PDOStatement
    {
        $statement = $this->database->prepare($sql);
        $statement->execute($values);
        return $statement;
    }

    /** The number of the order under that key, and the payer's address at its first request. */
    public function orderNumber(string $user, string $phoneKey, string $address): array
    {
        $this->run('INSERT INTO order_number VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
            [$user, $phoneKey, 'M-' . bin2hex(random_bytes(16)), $address]);
        return $this->run('SELECT number, payer_address FROM order_number WHERE user_id = ? AND phone_key = ?',
            [$user, $phoneKey])->fetch(PDO::FETCH_NUM);
    }

    /** Stores the delivery and changes the wallet in one transaction. A repeated delivery changes nothing. */
    public function book(stdClass $delivery, string $text): void
    {
        $units = $delivery->units ?? null;
        $entitlement = $delivery->entitlement ?? null;
        $payment = array_map(fn (string $name) => textOf($delivery, $name), ['store', 'transactionId', 'userId']);
        $allOfIt = $units ? wholeOf($units, 'amount') : 1;
        $inForce = $delivery->type === 'grant.created' ? $allOfIt : wholeOf($delivery, 'inForce');
        $gives = $units ? textOf($units, 'unit') : textOf($entitlement, 'name');
        $sequence = wholeOf($delivery, 'sequence');
        $this->database->exec('BEGIN IMMEDIATE');
        try {
            $added = $this->run('INSERT INTO delivery VALUES (?, ?) ON CONFLICT DO NOTHING', [$delivery->id, $text]);
            if ($added->rowCount() === 1) {
                [$knownSequence, $known] = $this->run(
                    'SELECT sequence, in_force FROM holding WHERE store = ? AND transaction_id = ? AND user_id = ?',
                    $payment)->fetch(PDO::FETCH_NUM) ?: [0, 0];
                // The totals of the highest sequence count: an earlier delivery may arrive later.
                if ($sequence > $knownSequence) {
                    $this->run('INSERT INTO holding VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET'
                        . ' sequence = excluded.sequence, in_force = excluded.in_force,'
                        . ' expires_at = excluded.expires_at',
                        [...$payment, $gives, $sequence, $inForce, $entitlement->expiresAt ?? null]);
                    if ($units) {
                        $this->run('INSERT INTO wallet VALUES (?, ?, ?)'
                            . ' ON CONFLICT DO UPDATE SET amount = amount + excluded.amount',
                            [$payment[2], $gives, $inForce - $known]);
                    }
                }
            }
            $this->database->exec('COMMIT');
        } catch (Throwable $failure) {
            $this->database->exec('ROLLBACK');
            throw $failure;
        }
    }

    public function balances(string $user): array
    {
        return $this->run('SELECT unit, amount FROM wallet WHERE user_id = ?', [$user])->fetchAll(PDO::FETCH_KEY_PAIR);
    }
}

final class Backend
{
    private array $webhookSecrets;
    private string $environment;
    public readonly Book $book;

    public function __construct()
    {
        $this->webhookSecrets = array_map(function (string $one): string {
            $secret = base64_decode(substr($one, strlen('whsec_')), true);
            if (!str_starts_with($one, 'whsec_') || $secret === false || $secret === '') {
                throw new RuntimeException('COUNTERFOIL_WEBHOOK_SECRETS must be one or more whsec_…');
            }
            return $secret;
        }, explode(' ', (string) getenv('COUNTERFOIL_WEBHOOK_SECRETS')));
        $this->environment = getenv('COUNTERFOIL_ENVIRONMENT') ?: 'production';
        $this->book = new Book((string) getenv('BOOK'));
    }

    // --- what the server says

    /** Checks a delivery and books it. Any answer but 2xx makes it come again. */
    public function receive(string $id, string $sent, string $signatures, string $body, int $now): void
    {
        if ($id === '' || preg_match('/^[0-9]{1,12}$/D', $sent) !== 1) {
            throw new Refusal(401, 'signature_missing');
        }
        if (abs($now - (int) $sent) > TOLERANCE) {
            throw new Refusal(401, 'timestamp_outside_tolerance');
        }
        $fits = false;
        foreach ($this->webhookSecrets as $secret) {
            $mine = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$sent.$body", $secret, true));
            foreach (array_slice(explode(' ', $signatures), 0, 10) as $one) {
                $fits = hash_equals($mine, $one) || $fits; // constant time
            }
        }
        if (!$fits) {
            throw new Refusal(401, 'signature_wrong');
        }
        $delivery = json_decode($body, false, 32, JSON_THROW_ON_ERROR);
        if (!$delivery instanceof stdClass || ($delivery->id ?? null) !== $id) {
            throw new Refusal(400, 'id_differs'); // the id in the signed body counts
        }
        if (($delivery->environment ?? null) !== $this->environment) {
            return; // acknowledged and not booked: it is not our money
        }
        if (!in_array($delivery->type ?? null, ['grant.created', 'grant.reversed', 'grant.reinstated'], true)) {
            throw new Refusal(422, 'type_unknown'); // it comes again when this backend has learned it
        }
        $this->book->book($delivery, $body);
    }

    // --- what the phone asks

    /** A token with which the phone may call the server itself, for an hour. */
    public function userToken(string $user, int $now): string
    {
        $header = ['alg' => 'HS256', 'typ' => 'JWT', 'kid' => getenv('COUNTERFOIL_USER_TOKEN_KID')];
        $claims = ['sub' => $user, 'aud' => getenv('COUNTERFOIL_APP'), 'iat' => $now, 'exp' => $now + 3600];
        $signed = urlBase64(json_encode($header, FLAGS)) . '.' . urlBase64(json_encode($claims, FLAGS));
        $secret = (string) getenv('COUNTERFOIL_USER_TOKEN_SECRET');
        return $signed . '.' . urlBase64(hash_hmac('sha256', $signed, $secret, true));
    }

    /** Makes an order of either store under our own number. A repeat with the same key is the same order. */
    public function createOrder(string $user, string $phoneKey, string $text, string $address): array
    {
        if ($phoneKey === '' || strlen($phoneKey) > 255) {
            throw new Refusal(400, 'key_missing');
        }
        $wish = $this->phonesObject($text);
        // A repeat must be the same request, although the phone may have changed its network.
        [$number, $firstAddress] = $this->book->orderNumber($user, $phoneKey, $address);
        $own = ['userId' => $user, 'reference' => $number];
        if (($wish['store'] ?? null) === 'weChatPay') {
            $own['payerAddress'] = $firstAddress;
        }
        return $this->ask('POST', '/v1/orders', withMembers($own, $wish, $text), $number);
    }

    /** Passes on what a phone asks, in the name of that user alone. */
    public function forward(string $user, string $method, string $path, string $query, string $text): array
    {
        if ($method === 'GET' && preg_match(READ, $path) === 1 && preg_match(QUERY, $query) === 1) {
            foreach (explode('&', $query) as $one) {
                if (urldecode(explode('=', $one, 2)[0]) === 'userId') {
                    throw new Refusal(403, 'user_is_the_sessions');
                }
            }
            $named = 'userId=' . rawurlencode($user);
            return $this->ask('GET', $path . '?' . $named . ($query === '' ? '' : '&' . $query));
        }
        if ($method === 'POST' && preg_match(WRITE, $path) === 1 && $query === '') {
            return $this->ask('POST', $path, withMembers(['userId' => $user], $this->phonesObject($text), $text));
        }
        throw new Refusal(404, 'not_passed_on');
    }

    /** The members of the phone's body, none of which may be the backend's own. */
    private function phonesObject(string $text): array
    {
        $object = json_decode($text === '' ? '{}' : $text, false, 32, JSON_THROW_ON_ERROR);
        if (!$object instanceof stdClass) {
            throw new Refusal(400, 'body_unreadable');
        }
        $members = get_object_vars($object);
        if (array_intersect(BACKENDS_OWN, array_map('strval', array_keys($members))) !== []) {
            throw new Refusal(403, 'field_is_the_backends');
        }
        return $members;
    }

    /** Status and body of the server's answer, whatever they are. */
    private function ask(string $method, string $target, ?string $body = null, ?string $key = null): array
    {
        $headers = ['Authorization: Bearer ' . getenv('COUNTERFOIL_SECRET_KEY'), 'Connection: close'];
        if ($body !== null) {
            $headers[] = 'Content-Type: application/json';
        }
        if ($key !== null) {
            $headers[] = 'Idempotency-Key: ' . $key;
        }
        $context = stream_context_create(['http' => [
            'method' => $method, 'header' => $headers, 'content' => $body ?? '', 'timeout' => LIMIT,
            'ignore_errors' => true, 'follow_location' => 0, 'protocol_version' => 1.1,
        ]]);
        $answer = @file_get_contents(getenv('COUNTERFOIL_SERVER') . $target, false, $context);
        if ($answer === false || preg_match('~^HTTP/\S+ ([0-9]{3})~', $http_response_header[0] ?? '', $status) !== 1) {
            throw new RuntimeException('the server did not answer');
        }
        return [(int) $status[1], $answer];
    }
}

function textOf(?stdClass $members, string $name): string
{
    $value = $members->$name ?? null;
    return is_string($value) ? $value : throw new Refusal(400, 'body_unreadable');
}

function wholeOf(?stdClass $members, string $name): int
{
    $value = $members->$name ?? null;
    return is_int($value) ? $value : throw new Refusal(400, 'body_unreadable');
}

/** The phone's JSON with our members in front. The rest stays byte for byte as the phone wrote it. */
function withMembers(array $own, array $members, string $text): string
{
    $rest = $text === '' ? '}' : substr(trim($text, " \t\r\n"), 1);
    return substr(json_encode($own, FLAGS), 0, -1) . ($members === [] ? '' : ',') . $rest;
}

function urlBase64(string $bytes): string
{
    return rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');
}

/** Whose session it is. This one believes everybody who knows a name: put your own check in its place. */
function userOf(string $header): string
{
    if (!str_starts_with($header, 'Bearer session-of-')) {
        throw new Refusal(401, 'session_missing');
    }
    return substr($header, strlen('Bearer session-of-'));
}

function payersAddress(): string
{
    $forwarded = getenv('BEHIND_PROXY') === 'yes' ? $_SERVER['HTTP_X_FORWARDED_FOR'] ?? '' : '';
    $addresses = explode(',', $forwarded);
    return trim(end($addresses)) ?: $_SERVER['REMOTE_ADDR'];
}

function result(): array
{
    [$path, $query] = explode('?', $_SERVER['REQUEST_URI'], 2) + [1 => ''];
    $body = (string) stream_get_contents(fopen('php://input', 'rb'), BODY_MAX + 1);
    if (strlen($body) > BODY_MAX) {
        throw new Refusal(413, 'body_too_large');
    }
    $backend = new Backend();
    $method = $_SERVER['REQUEST_METHOD'];
    if ("$method $path" === 'POST /counterfoil') {
        $backend->receive($_SERVER['HTTP_WEBHOOK_ID'] ?? '', $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '',
            $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '', $body, time());
        return [204, ''];
    }
    $user = userOf($_SERVER['HTTP_AUTHORIZATION'] ?? '');
    return match ("$method $path") {
        'GET /balances' => [200, json_encode((object) $backend->book->balances($user), FLAGS)],
        'POST /user-token' => [200, json_encode(['token' => $backend->userToken($user, time())], FLAGS)],
        'POST /v1/orders' => $backend->createOrder(
            $user, $_SERVER['HTTP_IDEMPOTENCY_KEY'] ?? '', $body, payersAddress()),
        default => $backend->forward($user, $method, $path, $query, $body),
    };
}

// Whatever goes wrong is an answer that makes the other side ask again.
try {
    [$status, $answer] = result();
} catch (Refusal $refusal) {
    [$status, $answer] = [$refusal->status, json_encode(['code' => $refusal->getMessage()], FLAGS)];
} catch (JsonException) {
    [$status, $answer] = [400, '{"code":"body_unreadable"}'];
} catch (Throwable $failure) {
    error_log(get_class($failure) . ' ' . $failure->getMessage());
    [$status, $answer] = [503, '{"code":"try_again"}'];
}
http_response_code($status);
if ($answer !== '') {
    header('Content-Type: application/json');
}
echo $answer;

// A backend for Counterfoil in JavaScript: Node.js 22.5 or later, no dependency. It runs in our tests, through
// purchases at both stores.
//
// Start it with `node backend.mjs`. It reads these environment variables:
//
// PORT                          where it listens on this machine; 0 lets the system choose
// BOOK                          the file of its database
// COUNTERFOIL_SERVER            the address of the server
// COUNTERFOIL_SECRET_KEY        cfs_…
// COUNTERFOIL_WEBHOOK_SECRETS   whsec_…; several with spaces between them while one is replaced
// COUNTERFOIL_APP, COUNTERFOIL_USER_TOKEN_KID, COUNTERFOIL_USER_TOKEN_SECRET   as in the server's configuration
// COUNTERFOIL_ENVIRONMENT       the environment that is booked; `production` unless it says otherwise
// BEHIND_PROXY                  `yes` if a proxy of yours writes X-Forwarded-For: WeChat's H5 needs the payer's address

import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";

const BODY_MAX = 512 * 1024; // bytes; a signed transaction has at most 256 KiB
const TOLERANCE = 300; // seconds by which the time of a delivery may differ from now
const LIMIT = 35_000; // milliseconds for one call of the server: longer than the 25 s of `?wait=`
const BACKENDS_OWN = ["userId", "reference", "payerAddress"];
const ORDER = "orders/[0-9A-Za-z_~%-]{1,256}";
const READ = new RegExp(`^/v1/(products|orders|entitlements|balances|${ORDER})$`);
const WRITE = new RegExp(`^/v1/(${ORDER}/(close|approval-pending|wechat-pay)`
  + "|payments/(app-store|app-store/finished|wechat-pay))$");
const QUERY = /^[0-9A-Za-z._~%=&-]{0,1024}$/; // no `#`: what follows it would not reach the server

class Refusal extends Error {
  constructor(status, code) {
    super(code);
    this.status = status;
  }
}

/** The tables of `schema.sql`. Each method runs to its end before another begins: this database has no other user. */
class Book {
  #database;

  constructor(path) {
    this.#database = new DatabaseSync(path);
    this.#database.exec("PRAGMA journal_mode = WAL");
    this.#database.exec("PRAGMA synchronous = FULL"); // what is answered survives a power cut
    this.#database.exec("PRAGMA busy_timeout = 10000");
    this.#database.exec(readFileSync(new URL("../schema.sql", import.meta.url), "utf8"));
  }

  /** The number of the order under that key, and the payer's address at its first request. */
  orderNumber(user, phoneKey, address) {
    this.#database.prepare("INSERT INTO order_number VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING")
      .run(user, phoneKey, "M-" + randomUUID(), address);
    return this.#database.prepare("SELECT number, payer_address FROM order_number WHERE user_id = ? AND phone_key = ?")
      .get(user, phoneKey);
  }

  /** Stores the delivery and changes the wallet in one transaction. A repeated delivery changes nothing. */
  book(delivery, text) {
    const { units, entitlement } = delivery;
    const payment = [delivery.store, delivery.transactionId, delivery.userId].map(textOf);
    const allOfIt = units ? wholeOf(units.amount) : 1;
    const inForce = delivery.type === "grant.created" ? allOfIt : wholeOf(delivery.inForce);
    const gives = textOf(units ? units.unit : entitlement.name);
    const sequence = wholeOf(delivery.sequence);
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const added = this.#database.prepare("INSERT INTO delivery VALUES (?, ?) ON CONFLICT DO NOTHING")
        .run(delivery.id, text);
      if (added.changes === 1) {
        const known = this.#database.prepare("SELECT sequence, in_force FROM holding"
          + " WHERE store = ? AND transaction_id = ? AND user_id = ?").get(...payment) ?? { sequence: 0, in_force: 0 };
        // The totals of the highest sequence count: an earlier delivery may arrive later.
        if (sequence > known.sequence) {
          this.#database.prepare("INSERT INTO holding VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
            + " sequence = excluded.sequence, in_force = excluded.in_force, expires_at = excluded.expires_at")
            .run(...payment, gives, sequence, inForce, entitlement?.expiresAt ?? null);
          if (units) {
            this.#database.prepare("INSERT INTO wallet VALUES (?, ?, ?)"
              + " ON CONFLICT DO UPDATE SET amount = amount + excluded.amount")
              .run(payment[2], gives, inForce - known.in_force);
          }
        }
      }
      this.#database.exec("COMMIT");
    } catch (failure) {
      this.#database.exec("ROLLBACK");
      throw failure;
    }
  }

  balances(user) {
    const rows = this.#database.prepare("SELECT unit, amount FROM wallet WHERE user_id = ?").all(user);
    return Object.fromEntries(rows.map((row) => [row.unit, row.amount]));
  }
}

class Backend {
  constructor(settings) {
    this.server = settings.COUNTERFOIL_SERVER;
    this.secretKey = settings.COUNTERFOIL_SECRET_KEY;
    const secrets = settings.COUNTERFOIL_WEBHOOK_SECRETS.split(" ");
    if (!secrets.every((one) => one.startsWith("whsec_"))) {
      throw new Error("COUNTERFOIL_WEBHOOK_SECRETS must be one or more whsec_…");
    }
    this.webhookSecrets = secrets.map((one) => Buffer.from(one.slice("whsec_".length), "base64"));
    this.app = settings.COUNTERFOIL_APP;
    this.kid = settings.COUNTERFOIL_USER_TOKEN_KID;
    this.tokenSecret = settings.COUNTERFOIL_USER_TOKEN_SECRET;
    this.environment = settings.COUNTERFOIL_ENVIRONMENT ?? "production";
    this.isBehindProxy = settings.BEHIND_PROXY === "yes";
    this.book = new Book(settings.BOOK);
  }

  // --- what the server says

  /** Checks a delivery and books it. Any answer but 2xx makes it come again. */
  receive(headers, body, now) {
    const id = headers["webhook-id"];
    const sent = headers["webhook-timestamp"] ?? "";
    if (!id || !/^[0-9]{1,12}$/.test(sent)) throw new Refusal(401, "signature_missing");
    if (Math.abs(now - Number(sent)) > TOLERANCE) throw new Refusal(401, "timestamp_outside_tolerance");
    const theirs = (headers["webhook-signature"] ?? "").split(" ").slice(0, 10)
      .filter((one) => one.startsWith("v1,")).map((one) => Buffer.from(one.slice(3), "base64"));
    const mine = this.webhookSecrets.map((secret) =>
      createHmac("sha256", secret).update(`${id}.${sent}.`).update(body).digest());
    const fits = (one) => mine.some((own) => one.length === own.length && timingSafeEqual(own, one));
    if (!theirs.some(fits)) throw new Refusal(401, "signature_wrong");
    const text = body.toString("utf8");
    const delivery = JSON.parse(text);
    if (delivery.id !== id) throw new Refusal(400, "id_differs"); // the id in the signed body counts
    if (delivery.environment !== this.environment) return; // acknowledged and not booked: it is not our money
    if (!["grant.created", "grant.reversed", "grant.reinstated"].includes(delivery.type)) {
      throw new Refusal(422, "type_unknown"); // it comes again when this backend has learned it
    }
    this.book.book(delivery, text);
  }

  // --- what the phone asks

  /** A token with which the phone may call the server itself, for an hour. */
  userToken(user, now) {
    const header = { alg: "HS256", typ: "JWT", kid: this.kid };
    const claims = { sub: user, aud: this.app, iat: now, exp: now + 3600 };
    const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
    return signed + "." + createHmac("sha256", this.tokenSecret).update(signed).digest("base64url");
  }

  /** Makes an order of either store under our own number. A repeat with the same key is the same order. */
  createOrder(user, phoneKey, text, address) {
    if (!phoneKey || phoneKey.length > 255) throw new Refusal(400, "key_missing");
    const wish = this.#phonesObject(text);
    // A repeat must be the same request, although the phone may have changed its network.
    const known = this.book.orderNumber(user, phoneKey, address);
    const own = { userId: user, reference: known.number };
    if (wish.store === "weChatPay") own.payerAddress = known.payer_address;
    return this.#ask("POST", "/v1/orders", withMembers(own, wish, text), known.number);
  }

  /** Passes on what a phone asks, in the name of that user alone. */
  forward(user, method, path, query, text) {
    if (method === "GET" && READ.test(path) && QUERY.test(query)) {
      if (new URLSearchParams(query).has("userId")) throw new Refusal(403, "user_is_the_sessions");
      const named = "userId=" + encodeURIComponent(user);
      return this.#ask("GET", path + "?" + named + (query ? "&" + query : ""));
    }
    if (method === "POST" && WRITE.test(path) && !query) {
      return this.#ask("POST", path, withMembers({ userId: user }, this.#phonesObject(text), text));
    }
    throw new Refusal(404, "not_passed_on");
  }

  /** The members of the phone's body, none of which may be the backend's own. */
  #phonesObject(text) {
    const members = JSON.parse(text || "{}");
    if (typeof members !== "object" || members === null || Array.isArray(members)) {
      throw new Refusal(400, "body_unreadable");
    }
    if (BACKENDS_OWN.some((name) => Object.hasOwn(members, name))) throw new Refusal(403, "field_is_the_backends");
    return members;
  }

  /** Status and body of the server's answer, whatever they are. */
  async #ask(method, path, body, key) {
    const headers = { Authorization: "Bearer " + this.secretKey };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (key !== undefined) headers["Idempotency-Key"] = key;
    const answer = await fetch(this.server + path, { method, headers, body, signal: AbortSignal.timeout(LIMIT) });
    return { status: answer.status, body: await answer.text() };
  }
}

function textOf(value) {
  if (typeof value !== "string") throw new Refusal(400, "body_unreadable");
  return value;
}

function wholeOf(value) {
  if (!Number.isSafeInteger(value)) throw new Refusal(400, "body_unreadable");
  return value;
}

/** The phone's JSON with our members in front. The rest stays byte for byte as the phone wrote it. */
function withMembers(own, members, text) {
  const rest = text ? text.trim().slice(1) : "}";
  return JSON.stringify(own).slice(0, -1) + (Object.keys(members).length > 0 ? "," : "") + rest;
}

/** Whose session it is. This one believes everybody who knows a name: put your own check in its place. */
function userOf(request) {
  const header = request.headers.authorization ?? "";
  if (!header.startsWith("Bearer session-of-")) throw new Refusal(401, "session_missing");
  return Buffer.from(header.slice("Bearer session-of-".length), "latin1").toString("utf8");
}

async function readBody(request) {
  const parts = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size <= BODY_MAX) parts.push(part); // what is too large is read to its end and kept nowhere
    if (size > 4 * BODY_MAX) break;
  }
  if (size > BODY_MAX) throw new Refusal(413, "body_too_large");
  return Buffer.concat(parts);
}

async function result(backend, request) {
  const [, path, query] = /^([^?]*)\??(.*)$/.exec(request.url);
  const body = await readBody(request);
  const now = Math.floor(Date.now() / 1000);
  if (request.method === "POST" && path === "/counterfoil") {
    backend.receive(request.headers, body, now);
    return { status: 204, body: "" };
  }
  const user = userOf(request);
  const text = body.toString("utf8");
  const route = request.method + " " + path;
  if (route === "GET /balances") return { status: 200, body: JSON.stringify(backend.book.balances(user)) };
  if (route === "POST /user-token") {
    return { status: 200, body: JSON.stringify({ token: backend.userToken(user, now) }) };
  }
  if (route === "POST /v1/orders") {
    const forwarded = backend.isBehindProxy ? request.headers["x-forwarded-for"] ?? "" : "";
    const address = forwarded.split(",").at(-1).trim() || request.socket.remoteAddress;
    return backend.createOrder(user, request.headers["idempotency-key"], text, address);
  }
  return backend.forward(user, request.method, path, query, text);
}

const backend = new Backend(process.env);
const listener = createServer(async (request, response) => {
  let answer;
  try {
    answer = await result(backend, request);
  } catch (failure) {
    // Whatever goes wrong is an answer that makes the other side ask again.
    const isUnreadable = failure instanceof SyntaxError || failure instanceof TypeError && failure.cause === undefined;
    if (failure instanceof Refusal) {
      answer = { status: failure.status, body: JSON.stringify({ code: failure.message }) };
    } else if (isUnreadable) {
      answer = { status: 400, body: '{"code":"body_unreadable"}' };
    } else {
      console.error(failure.name, failure.message);
      answer = { status: 503, body: '{"code":"try_again"}' };
    }
  }
  response.writeHead(answer.status, answer.body ? { "Content-Type": "application/json" } : {}).end(answer.body);
});
listener.listen(Number(process.env.PORT), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${listener.address().port}`);
});

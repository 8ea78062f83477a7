// What the runs of the JavaScript client share: the shop that they buy in, and a client that a test can kill.
import { createHmac, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";

import { createPurchasing } from "../../Clients/javascript/src/index.js";

export const BUNDLE = "com.example.demo";
export const COINS = "coins.100";
export const COINS_EACH = 100;
const PATIENCE = 60_000; // milliseconds for one request; reaching it is a failed test

/** The server under test, both simulated stores, and the team's backend: it signs tokens and holds the secret key. */
export class Shop {
  constructor(serverPort, simulatorPort, folder) {
    this.server = `http://127.0.0.1:${serverPort}`;
    this.simulator = `http://127.0.0.1:${simulatorPort}/simulator`;
    this.secret = readFileSync(`${folder}/user-token.secret`);
    this.keys = JSON.parse(readFileSync(`${folder}/keys.json`, "utf8"));
  }

  token(user) {
    const part = (value) => Buffer.from(value).toString("base64url");
    const now = Math.floor(Date.now() / 1000);
    const head = part(JSON.stringify({ alg: "HS256", kid: "demo-1" }));
    const signed = `${head}.${part(JSON.stringify({ sub: user, aud: "demo", iat: now, exp: now + 3600 }))}`;
    return `${signed}.${createHmac("sha256", this.secret).update(signed).digest("base64url")}`;
  }

  async send(method, url, body, headers = {}) {
    const answer = await fetch(url, {
      method, headers: body === undefined ? headers : { "Content-Type": "application/json", ...headers },
      body: body === undefined ? undefined : JSON.stringify(body), signal: AbortSignal.timeout(PATIENCE),
    });
    const text = await answer.text();
    return { status: answer.status, json: text ? JSON.parse(text) : null };
  }

  async control(method, path, body) {
    const { status, json } = await this.send(method, this.simulator + path, body);
    if (status > 299) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(json)}`);
    return json;
  }

  async ask(method, path, body, key = this.keys.secret) {
    const { status, json } = await this.send(method, this.server + path, body, { Authorization: `Bearer ${key}` });
    if (status > 299) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(json)}`);
    return json;
  }

  async balance(user) {
    const { balances } = await this.ask("GET", `/v1/balances?userId=${user}`);
    return balances.reduce((sum, one) => sum + one.amount, 0);
  }

  async orders(user, query = "") {
    return (await this.ask("GET", `/v1/orders?limit=100&userId=${user}${query}`)).orders;
  }

  async everyPage(path, list) {
    const all = [];
    for (let after = ""; ;) {
      const page = await this.ask("GET", `${path}?limit=100${after}`);
      all.push(...page[list]);
      if (!page.next) return all;
      after = `&after=${page.next}`;
    }
  }

  /** How often each payment was delivered as granted, by its transaction. */
  async delivered() {
    const counts = {};
    for (const { delivery } of await this.everyPage("/v1/deliveries", "deliveries")) {
      if (delivery.type === "grant.created") counts[delivery.transactionId] = (counts[delivery.transactionId] ?? 0) + 1;
    }
    return counts;
  }
}

/** One process of the app. A killed one does nothing more: no effect of it happens, and none of its awaits returns. */
export class Process {
  constructor(world) {
    this.world = world;
    this.isDead = false;
    this.brokenRequests = 0;
    this.rested = 0; // pauses that are over
    this.died = new Promise((resolve) => { this.die = () => { this.isDead = true; resolve(undefined); }; });
  }

  async effect(name, act) {
    const never = new Promise(() => {});
    if (this.isDead) return never;
    const result = await act();
    if (this.isDead) return never;
    this.world.steps += 1;
    if (this.world.steps !== this.world.killAt) return result;
    this.world.killedAt = name;
    this.die();
    return never;
  }

  /** The value of some work, or `undefined` if the process is killed before. */
  run(work) {
    work.catch(() => {});
    return Promise.race([work, this.died]);
  }
}

/** One device: its vault, and what happened on it. Users are named after it, so that no two runs share one. */
export class World {
  constructor(shop, name, killAt = 0) {
    Object.assign(this, { shop, name, killAt, steps: 0, killedAt: null, text: null, slept: [], problems: [],
      events: [] });
  }

  full(user) {
    return user === null ? null : `${this.name}.${user}`;
  }

  /** A client in a new process. Every way out of it is an effect, and a kill may come after each. */
  client(stores, { policies = {}, sleep, vault } = {}) {
    const process = new Process(this);
    const request = async (method, url, headers, body, seconds) => {
      if (process.brokenRequests > 0) {
        process.brokenRequests -= 1;
        throw new Error("the network is down");
      }
      return process.effect(`${method} ${new URL(url).pathname.replace(/[0-9a-f-]{36}/, "{id}")}`, async () => {
        const sent = this.isBehindGateway ? this.throughGateway(method, url, headers, body) : { url, headers, body };
        const limit = AbortSignal.timeout(seconds * 1000 + PATIENCE);
        const answer = await fetch(sent.url, { method, headers: sent.headers, body: sent.body, signal: limit });
        if (this.answersToLose > 0 && method === "POST") {
          this.answersToLose -= 1;
          await answer.text();
          throw new Error("the answer was lost");
        }
        return {
          status: answer.status, text: await answer.text(), contentType: answer.headers.get("Content-Type"),
          retryAfter: answer.headers.get("Retry-After"),
        };
      });
    };
    const purchasing = createPurchasing({
      server: this.shop.server, publishableKey: this.shop.keys.publishable, stores: stores(process),
      userToken: (user) => process.effect("token", async () => this.shop.token(user)),
      vault: vault ?? {
        read: () => process.effect("read vault", async () => this.text),
        write: (text) => process.effect("write vault", async () => { this.text = text; }),
      },
      policies: { waitSeconds: 1, ...policies },
      dependencies: {
        request, newKey: randomUUID,
        // No limits: whether a machine is busy must not decide what a run does. Limits have tests of their own.
        within: (seconds, work) => (seconds >= 60 && policies.purchaseLimit === undefined ? work
          : seconds === policies.purchaseLimit ? Promise.race([work, pause(seconds)]) : work),
        sleep: (seconds) => process.effect("sleep", async () => {
          this.slept.push(seconds);
          await sleep?.(seconds);
          process.rested += 1;
        }),
      },
    });
    purchasing.listen((event) => this.events.push(event));
    return { purchasing, process };
  }

  /** What a team's gateway does: its secret key in place of the session, and the session's user added. */
  throughGateway(method, url, headers, body) {
    const user = JSON.parse(Buffer.from(headers.Authorization.split(".")[1], "base64url").toString()).sub;
    const whole = { ...headers, Authorization: `Bearer ${this.shop.keys.secret}` };
    if (method === "GET") return { url: `${url}${url.includes("?") ? "&" : "?"}userId=${user}`, headers: whole, body };
    return { url, headers: whole, body: JSON.stringify({ ...JSON.parse(body), userId: user }) };
  }

  expect(holds, words) {
    if (!holds) this.problems.push(`${this.name}, killed at ${this.killedAt}: ${words}`);
  }

  kept() {
    return this.text ? JSON.parse(this.text) : { orders: {}, evidence: {} };
  }
}

export const pause = (seconds) => new Promise((resolve) => setTimeout(() => resolve(undefined), seconds * 1000));

/** Runs tasks a few at a time. */
export async function inParallel(tasks, count) {
  const results = [];
  const left = [...tasks.entries()];
  await Promise.all(Array.from({ length: count }, async () => {
    for (let next = left.shift(); next; next = left.shift()) results[next[0]] = await next[1]();
  }));
  return results;
}

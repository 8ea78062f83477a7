// Buys once with this package from a server and its simulated App Store: our tests do, and so can you.
//
//   counterfoil-lab run &
//   node Clients/javascript/examples/buy-once.mjs --server http://127.0.0.1:8080 --credential USER_TOKEN --user alice \
//     --simulator http://127.0.0.1:8081 --vault alice.vault --buy coins.100
//
// Prints what came of it as JSON. `--credential` is a user token (`counterfoil token --user alice`) or what your gateway
// takes. Faults: `--lose-answers` loses the first answer to each request that creates something; `--kill-after pay`,
// `order`, `submit` or `finish` ends the process right there. Without `--buy` the app only starts.
import { webcrypto } from "node:crypto";
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { parseArgs } from "node:util";
import { createPurchasing } from "../src/index.js";

// Before Node.js 20 it is no global.
globalThis.crypto ??= webcrypto;

const text = { type: "string" };
const { values: options } = parseArgs({
  options: {
    server: text, credential: text, user: text, simulator: text, vault: text, buy: text, "kill-after": text,
    "lose-answers": { type: "boolean" },
  },
});
const account = options.user;
const bundleId = "com.example.demo";
const deviceId = "5f0c7a52-9d2e-4d0b-8a6f-3f1d4c2b1a00"; // of this simulated phone; made for tests

function dieAfter(step) {
  if (options["kill-after"] === step) process.kill(process.pid, "SIGKILL");
}

// A file that is replaced as a whole: after a kill it is the old one or the new one.
const vault = {
  read: () => (existsSync(options.vault) ? readFileSync(options.vault, "utf8") : null),
  write: (text) => {
    const file = openSync(options.vault + ".new", "w", 0o600);
    writeSync(file, text);
    fsyncSync(file);
    closeSync(file);
    renameSync(options.vault + ".new", options.vault);
  },
};

async function control(method, path, body) {
  const answer = await fetch(`${options.simulator}/simulator${path}`, { method, body: body && JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text ? JSON.parse(text) : null;
}

function transaction({ transaction, signedTransaction }) {
  const { transactionId, productId, quantity, purchaseDate, appAccountToken: token } = transaction;
  return { state: "purchased", transactionId, productId, quantity, purchaseDate, token, evidence: signedTransaction };
}

let isSheetOpen = false;

// In an app this is the bridge to StoreKit.
const store = {
  name: "appStore",
  platform: "ios",
  deviceVerificationId: deviceId,
  async pay({ quantity, appStore: { productId, appAccountToken } }) {
    const payment = { account, bundleId, productId, quantity, appAccountToken, deviceVerificationId: deviceId };
    isSheetOpen = true;
    const purchase = await control("POST", "/purchases", payment);
    isSheetOpen = false;
    dieAfter("pay");
    return [transaction(purchase)];
  },
  async unfinished() {
    const query = new URLSearchParams({ account, bundleId, deviceVerificationId: deviceId });
    return (await control("GET", `/unfinished?${query}`)).transactions.map(transaction);
  },
  async finish({ transactionId }) {
    await control("POST", `/transactions/${transactionId}/finish`, { account, bundleId });
    dieAfter("finish");
  },
};

const lost = new Set();
const pauses = [];
let requests = 0;

async function request(method, url, headers, body, seconds) {
  requests += 1;
  const answer = await fetch(url, { method, headers, body, signal: AbortSignal.timeout(seconds * 1000) });
  const text = await answer.text();
  const { pathname } = new URL(url);
  if (method === "POST" && pathname === "/v1/orders") dieAfter("order");
  if (method === "POST" && pathname === "/v1/payments/app-store") dieAfter("submit");
  if (options["lose-answers"] && method === "POST" && !lost.has(pathname)) {
    lost.add(pathname);
    throw new Error("the answer was lost");
  }
  return { status: answer.status, text, contentType: answer.headers.get("Content-Type") };
}

await control("PUT", `/accounts/${account}`, {});
const purchasing = createPurchasing({
  server: options.server, userToken: async () => options.credential, vault, stores: [store],
  dependencies: {
    request,
    // Pauses between questions are noted and not waited for; the pause beside an open sheet never ends first.
    sleep: async (seconds) => (isSheetOpen ? new Promise(() => {}) : pauses.push(seconds)),
  },
});
await purchasing.setUser(account);
await purchasing.start();
const outcome = options.buy ? (await purchasing.purchase(options.buy)).outcome : null;
const openOrders = (await purchasing.openOrders()).length;
const unfinished = (await store.unfinished()).length;
console.log(JSON.stringify({ outcome, openOrders, unfinished, requests, pauses }));

// A JavaScript client over a scripted server, and checks of what it says: for javascript_calls.mjs and
// javascript_answers.mjs.
import { writeFileSync } from "node:fs";

import { PurchasingError, createPurchasing } from "../../Clients/javascript/src/index.js";

const wrong = [];
let done = 0;

export function expect(holds, words) {
  if (holds) done += 1; else wrong.push(words);
}

/** Whether some work throws this code, and says so in both languages. */
export async function fails(code, work, words) {
  try {
    const got = await work();
    expect(false, `${words}: no error, but ${JSON.stringify(got)}`);
  } catch (error) {
    expect(error instanceof PurchasingError && error.code === code, `${words}: ${error}`);
    if (!(error instanceof PurchasingError)) return;
    expect(/^[A-Z].*\.$/.test(error.text("en")) && /[\u4e00-\u9fff].*。$/.test(error.text("zh")),
      `${code}: ${error.text("en")}`);
  }
}

export const ID = "01a215b7-cc0a-7176-91d6-b26e9f29287e";
export const order = {
  id: ID, userId: "alice", productId: "coins.100", quantity: 1, store: "weChatPay", state: "awaitingPayment",
  createdAt: "2026-11-26T02:38:16.586Z", expiresAt: "2026-11-26T04:38:16.586Z",
  weChatPay: { appId: "wx1", partnerId: "1", prepayId: "wx2", packageValue: "Sign=WXPay", nonceStr: "n", timeStamp: 1,
    sign: "s" },
};
export const answer = (status, body, type = "application/json") => ({ status, text: JSON.stringify(body),
  contentType: type });
export const problem = (status, code) => answer(status, { code, title: "No." }, "application/problem+json");

/** A client with one way to pay, and a server that answers by path. */
export function world({ answers = {}, vault = {}, store = {}, stores, dependencies = {}, policies = {},
  ...more } = {}) {
  const seen = { text: null, requests: [], opened: 0, tokens: [], events: [] };
  const request = async (method, url, headers, body) => {
    const path = url.slice("https://pay.example.com".length);
    seen.requests.push({ method, path, headers, body: body && JSON.parse(body) });
    for (const [start, said] of Object.entries(answers)) {
      if (`${method} ${path}`.startsWith(start)) return typeof said === "function" ? said(seen) : said;
    }
    if (path.startsWith("/v1/orders?")) return answer(200, { orders: [] });
    if (path === "/v1/orders") return answer(201, order);
    if (path.startsWith("/v1/orders/")) return answer(200, order);
    return answer(200, { payments: [] });
  };
  const shop = createPurchasing({
    server: "https://pay.example.com",
    userToken: (user, about) => {
      seen.tokens.push([user, about.wasRefused]);
      return "token";
    },
    vault: { read: () => seen.text, write: (text) => { seen.text = text; }, ...vault },
    stores: stores ?? [{
      name: "weChatPay", tradeType: "APP", platform: "android",
      open: async () => { seen.opened += 1; return { errCode: -2 }; }, ...store,
    }],
    dependencies: { request, sleep: async () => null, newKey: () => `key-of-a-test-${Math.random()}`, ...dependencies },
    policies, ...more,
  });
  shop.listen((event) => seen.events.push(event));
  return { shop, seen };
}

export async function started(options) {
  const made = world(options);
  await made.shop.setUser("alice");
  await made.shop.start();
  return made;
}

/** Writes JSON with `wrong`, the failed checks in words, and `done`, the number of those that passed. */
export function report(output) {
  writeFileSync(output, JSON.stringify({ wrong, done }));
  process.exit(0); // some clients wait for ever
}

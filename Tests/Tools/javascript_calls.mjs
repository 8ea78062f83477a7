// Every public call of the JavaScript client with bad input, a damaged vault, and a server, a store and an app that
// answer wrongly, late or never. The server is scripted.
//
// Usage: javascript_calls.mjs OUTPUT. OUTPUT: JSON with `wrong`, the failed checks in words, and `done`, their number.
import { writeFileSync } from "node:fs";

import * as counterfoil from "../../Clients/javascript/src/index.js";

const { PurchasingError, createPurchasing, messages } = counterfoil;
const wrong = [];
let done = 0;

function expect(holds, words) {
  if (holds) done += 1; else wrong.push(words);
}

/** Whether some work throws this code, and says so in both languages. */
async function fails(code, work, words) {
  try {
    const got = await work();
    expect(false, `${words}: no error, but ${JSON.stringify(got)}`);
  } catch (error) {
    expect(error instanceof PurchasingError && error.code === code, `${words}: ${error}`);
    if (!(error instanceof PurchasingError)) return;
    expect(/^[A-Z].*\.$/.test(error.text("en")) && /[\u4e00-\u9fff].*。$/.test(error.text("zh")), `${code}: ${error.text("en")}`);
  }
}

const ID = "01a215b7-cc0a-7176-91d6-b26e9f29287e";
const order = {
  id: ID, userId: "alice", productId: "coins.100", quantity: 1, store: "weChatPay", state: "awaitingPayment",
  createdAt: "2026-11-26T02:38:16.586Z", expiresAt: "2026-11-26T04:38:16.586Z",
  weChatPay: { appId: "wx1", partnerId: "1", prepayId: "wx2", packageValue: "Sign=WXPay", nonceStr: "n", timeStamp: 1, sign: "s" },
};
const answer = (status, body, type = "application/json") => ({ status, text: JSON.stringify(body), contentType: type });
const problem = (status, code) => answer(status, { code, title: "No." }, "application/problem+json");

/** A client with one way to pay, and a server that answers by path. */
function world({ answers = {}, vault = {}, store = {}, stores, dependencies = {}, policies = {}, ...more } = {}) {
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

async function started(options) {
  const made = world(options);
  await made.shop.setUser("alice");
  await made.shop.start();
  return made;
}

// MARK: bad input

const good = {
  server: "https://pay.example.com", userToken: () => "t", vault: { read: () => null, write: () => {} },
  stores: [counterfoil.jsapiStore({ window: {} })],
};
for (const [words, bad] of Object.entries({
  "no object": null, "a list": [], "no server": { ...good, server: undefined },
  "http elsewhere": { ...good, server: "http://pay.example.com" }, "a password": { ...good, server: "https://a@b.example" },
  "a query": { ...good, server: "https://pay.example.com?x=1" }, "no token": { ...good, userToken: "token" },
  "half a vault": { ...good, vault: { read: () => null } }, "no store": { ...good, stores: [] },
  "a strange store": { ...good, stores: [{ name: "weChatPay", tradeType: "CASH", platform: "web", open() {} }] },
  "two of one name": { ...good, stores: [good.stores[0], good.stores[0]] }, "a third language": { ...good, language: "fr" },
  "a negative wait": { ...good, policies: { storeLimit: -1 } }, "no number": { ...good, policies: { requestLimit: NaN } },
  "no function": { ...good, dependencies: { sleep: 3 } }, "half a text": { ...good, messages: { "outcome.cancelled": { en: "x" } } },
})) await fails("client_configuration_invalid", () => createPurchasing(bad), `createPurchasing with ${words}`);
for (const [words, make] of Object.entries({
  "mini program without wx": () => counterfoil.miniProgramStore({}),
  "mini program without platform": () => counterfoil.miniProgramStore({ requestPayment() {} }),
  "H5 without return": () => counterfoil.h5Store({}), "Native without show": () => counterfoil.nativeStore({}),
  "OpenSDK without appId": () => counterfoil.openSDKStore({ platform: "ios", isInstalled() {}, pay() {} }),
})) await fails("client_configuration_invalid", make, words);

{
  const { shop, seen } = world();
  await fails("client_not_running", () => shop.purchase("coins.100"), "before the start");
  for (const call of ["foreground", "openOrders", "products", "entitlements", "balances", "recover"]) {
    await fails("client_not_running", () => shop[call](), `${call} before the start`);
  }
  await shop.start();
  for (const call of ["openOrders", "products", "entitlements", "balances", "purchaseResult"]) {
    await fails("client_not_signed_in", () => shop[call](), `${call} signed out`);
  }
  await fails("client_not_signed_in", () => shop.purchase("coins.100"), "purchase signed out");
  for (const user of ["", ".", "..", "a\nb", "x".repeat(256), 7, {}, undefined, "界".repeat(86)]) {
    await fails("client_request_invalid", () => shop.setUser(user), `setUser(${JSON.stringify(user)})`);
  }
  await shop.setUser("alice");
  const circle = {};
  circle.circle = circle;
  for (const product of ["", 7, null, undefined, {}, "x".repeat(256)]) {
    await fails("client_request_invalid", () => shop.purchase(product), `purchase(${JSON.stringify(product)})`);
  }
  for (const details of [
    null, [], "x", { amount: 3 }, { store: "cash" }, { scene: "x".repeat(65) }, { reference: "a/b" }, { reference: "" },
    { reference: ".." }, { metadata: [] }, { metadata: { a: "x".repeat(2048) } }, { metadata: circle }, { openId: 7 },
    { payerAddress: "x".repeat(46) }, { platform: "" },
  ]) await fails("client_request_invalid", () => shop.purchase("coins.100", details), `details ${Object.keys(details ?? {})}`);
  for (const quantity of [0, 11, -1, 1.5, NaN, "2", Infinity]) {
    await fails("client_quantity_not_allowed", () => shop.purchase("coins.100", { quantity }), `quantity ${quantity}`);
  }
  await fails("client_store_unavailable", () => shop.purchase("coins.100", { store: "appStore" }), "a store that is absent");
  for (const id of ["x", "", 7, `${ID}x`, `../${ID}`]) {
    await fails("client_request_invalid", () => shop.purchaseResult(id), `purchaseResult(${id})`);
  }
  await fails("client_request_invalid", () => shop.recover("boredom"), "recover for no reason");
  for (const one of [null, {}, { state: "purchased", productId: "a", quantity: 1 }, { state: "sold" }]) {
    await fails("client_request_invalid", () => shop.received(one), `received(${JSON.stringify(one)})`);
  }
  for (const about of [null, {}, { outcome: "rich" }, { event: "x" }, "cancelled", new Error("x"), { outcome: "__proto__" }]) {
    await fails("client_request_invalid", () => shop.message(about), `message(${JSON.stringify(about)})`);
  }
  await fails("client_request_invalid", () => shop.message({ outcome: "cancelled" }, "fr"), "message in a third language");
  await fails("client_request_invalid", () => shop.listen(null), "listen to nothing");
  expect(seen.opened === 0 && !seen.requests.some((one) => one.path === "/v1/orders"), "bad input reached the server");
  expect(seen.text === null || !JSON.parse(seen.text).orders.key, "bad input was written down");
}
{
  const jsapi = await started({ store: { tradeType: "JSAPI" } });
  await fails("client_request_invalid", () => jsapi.shop.purchase("coins.100"), "JSAPI without openId");
}

// MARK: the vault

for (const [words, text] of Object.entries({
  "no JSON": "{", "another version": '{"version":2,"orders":{},"evidence":{},"usersKnown":[]}', "no object": "[]",
  "a damaged record": '{"version":1,"orders":{"k":{"user":"alice"}},"evidence":{},"usersKnown":[]}',
  "damaged evidence": '{"version":1,"orders":{},"evidence":{"1":{}},"usersKnown":[]}',
})) {
  const { shop, seen } = world();
  seen.text = text;
  await shop.setUser("alice");
  await fails("client_vault_unavailable", () => shop.start(), `start with ${words} in the vault`);
  await fails("client_vault_unavailable", () => shop.purchase("coins.100"), `purchase with ${words} in the vault`);
  await shop.whenIdle();
  expect(seen.text === text, `${words}: the vault was changed`);
  expect(seen.opened === 0, `${words}: a sheet opened`);
}
{
  let isFull = false;
  let text = null;
  const write = (changed) => {
    if (isFull) throw new Error("QuotaExceededError");
    text = changed;
  };
  const { shop, seen } = await started({ vault: { read: () => text, write } });
  isFull = true;
  await fails("client_vault_unavailable", () => shop.purchase("coins.100"), "a full storage");
  expect(seen.opened === 0 && !seen.requests.some((one) => one.path === "/v1/orders"), "paid without a record");
}
{
  const { shop, seen } = await started();
  const orders = {};
  for (let index = 0; index < 48; index += 1) {
    orders[`k${index}`] = { user: "bob", productId: `p${index}`, quantity: 1, state: "paying", order: { ...order, id: ID } };
  }
  seen.text = JSON.stringify({ version: 1, orders, evidence: {}, usersKnown: ["alice"] });
  await fails("client_vault_full", () => shop.purchase("coins.100"), "48 open orders");
  expect(Object.keys(JSON.parse(seen.text).orders).length === 48, "an open order was dropped for a new one");
}
{
  // A vault that never answers: the limit is real.
  const { shop } = world({ vault: { read: () => new Promise(() => {}) }, policies: { storeLimit: 0.05 } });
  await shop.setUser("alice");
  await fails("client_vault_unavailable", () => shop.start(), "a vault that never answers");
}
{
  // Two tabs over one storage: each keeps the other's order.
  const shared = { text: null };
  const vault = { read: () => shared.text, write: (text) => { shared.text = text; } };
  const first = await started({ vault });
  const other = { ...order, id: ID.replace("01a2", "01a3"), productId: "gems" };
  const gems = world({ vault, answers: { "POST /v1/orders": answer(201, other), "GET /v1/orders/": answer(200, other) } });
  await gems.shop.setUser("alice");
  await gems.shop.start();
  await first.shop.purchase("coins.100");
  await gems.shop.purchase("gems");
  const kept = Object.values(JSON.parse(shared.text).orders).map((one) => one.productId).sort();
  expect(kept.join() === "coins.100,gems", `two tabs keep ${kept}`);
}
{
  // What the earlier example file kept is read, and its order is asked about.
  const { shop, seen } = world({ answers: { [`GET /v1/orders/${ID}`]: answer(200, { ...order, state: "paid" }) } });
  const record = { user: "alice", productId: "coins.100", quantity: 1, state: "paying", order };
  seen.text = JSON.stringify({ version: 1, orders: { old: record }, evidence: {}, usersKnown: ["alice"] });
  await shop.setUser("alice");
  await shop.start();
  expect(Object.keys(JSON.parse(seen.text).orders).length === 0, "a paid record of the example file stays");
  expect(seen.events.some((one) => one.event === "orderGranted" && one.order === ID), "nobody was told of the grant");
}

// MARK: what the server says

const outcomeOf = async (options) => {
  const made = await started(options);
  const result = await made.shop.purchase("coins.100", options?.details).catch((error) => error);
  return { ...made, result };
};
for (const [state, code, said] of [
  ["paid", -2, "fulfilled"], ["paid", -1, "fulfilled"], ["paid", 0, "fulfilled"], ["closed", 0, "cancelled"],
  ["awaitingPayment", 0, "awaitingConfirmation"], ["awaitingPayment", -2, "cancelled"],
  ["awaitingPayment", -1, "client_wechat_failed"], ["awaitingPayment", -4, "client_wechat_failed"],
]) {
  const { result, shop } = await outcomeOf({
    answers: { [`GET /v1/orders/${ID}`]: answer(200, { ...order, state }) }, store: { open: async () => ({ errCode: code }) },
  });
  expect((result.code ?? result.outcome) === said, `WeChat says ${code}, the order is ${state}: ${result.code ?? result.outcome}`);
  expect(shop.message(result, "en").length > 10 && /[\u4e00-\u9fff]/.test(shop.message(result, "zh")), `no words for ${said}`);
}
for (const [words, said] of Object.entries({
  "no answer": () => { throw new Error("down"); }, "HTML": { status: 200, text: "<html>", contentType: "text/html" },
  "a list": answer(200, []), "404 of a gateway": answer(404, { error: "x" }), "500": problem(500, "internal"),
  "429": problem(429, "too_many_requests"), "nothing": answer(200, {}), "another order": answer(200, { ...order, id: ID.replace("01a2", "01a3"), state: "paid" }),
})) {
  const { result, seen } = await outcomeOf({
    answers: { [`GET /v1/orders/${ID}`]: said }, store: { open: async () => ({ errCode: -2 }) } });
  expect(result.outcome === "awaitingConfirmation", `${words} about the order, after -2: ${result.code ?? result.outcome}`);
  expect(Object.keys(JSON.parse(seen.text).orders).length === 1, `${words}: the record is gone`);
}
for (const [words, said, code, records] of [
  ["a refusal", problem(422, "wechat_pay_order_invalid"), "client_server_refused", 0],
  ["no answer", () => { throw new Error("down"); }, "client_server_unreachable", 1],
  ["another quantity", answer(201, { ...order, quantity: 2 }), "client_order_differs", 1],
  ["another user's", answer(201, { ...order, userId: "bob" }), "client_user_differs", 1],
  ["nothing", answer(201, {}), "client_order_differs", 1],
  ["401", problem(401, "token_expired"), "client_user_token_unavailable", 1],
  ["no parameters", answer(201, { ...order, weChatPay: undefined }), "client_order_differs", 1],
  ["an H5 address", answer(201, { ...order, weChatPay: { h5Url: "https://x" } }), "client_order_differs", 1],
]) {
  const { result, seen } = await outcomeOf({ answers: { "POST /v1/orders": said } });
  expect(result.code === code, `an order answered with ${words}: ${result.code ?? JSON.stringify(result)}`);
  expect(seen.opened === 0, `an order answered with ${words} opened a sheet`);
  expect(Object.keys(JSON.parse(seen.text).orders).length === records, `${words}: ${seen.text}`);
}
{
  // A lost answer, and a tap after it: the same key.
  let isDown = true;
  const made = await started({ answers: { "POST /v1/orders": (seen) => {
    if (seen.requests[seen.requests.length - 1].path !== "/v1/orders") return answer(200, order);
    if (isDown) throw new Error("down");
    return answer(201, order);
  } } });
  await fails("client_server_unreachable", () => made.shop.purchase("coins.100"), "a server that is down");
  isDown = false;
  await made.shop.purchase("coins.100");
  const keys = made.seen.requests.filter((one) => one.path === "/v1/orders").map((one) => one.headers["Idempotency-Key"]);
  expect(keys.length === 4 && new Set(keys).size === 1, `a retry changed its key: ${keys}`);
}
{
  let isRefused = true;
  const made = await started({ answers: { "POST /v1/orders": () => {
    const said = isRefused ? problem(401, "token_expired") : answer(201, order);
    isRefused = false;
    return said;
  } } });
  await made.shop.purchase("coins.100");
  expect(made.seen.tokens.some(([user, wasRefused]) => user === "alice" && wasRefused), "no new token after 401");
}
for (const [words, userToken] of [
  ["a token that throws", () => { throw new Error("no session"); }], ["a token with a line break", () => "a\r\nX: 1"],
  ["no text", () => 7], ["a token that never comes", () => new Promise(() => {})],
]) {
  const { result, seen } = await outcomeOf({ userToken, policies: { requestLimit: 0.05 } });
  expect(result.code === "client_user_token_unavailable", `${words}: ${result.code}`);
  expect(seen.requests.length === 0, `${words}: a request left`);
}

// MARK: the store

for (const [words, store, code] of [
  ["not installed", { isAvailable: () => false }, "client_wechat_not_installed"],
  ["a bridge that throws", { isAvailable: () => { throw new Error("x"); } }, "client_wechat_not_installed"],
  ["a bridge that never answers", { isAvailable: () => new Promise(() => {}) }, "client_wechat_not_installed"],
  ["not in WeChat", { isAvailable: () => false, tradeType: "JSAPI" }, "client_wechat_absent"],
  ["another app at WeChat", { appId: "wx9" }, "client_wechat_app_differs"],
]) {
  const { result, seen } = await outcomeOf({ store, policies: { storeLimit: 0.05 }, details: { openId: "o1" } });
  expect(result.code === code, `${words}: ${result.code ?? JSON.stringify(result)}`);
  expect(seen.opened === 0, `${words}: a sheet opened`);
}
{
  const { result, seen } = await outcomeOf({ store: { open: () => { throw new Error("no bridge"); } } });
  expect(result.code === "client_wechat_failed", `a sheet that throws: ${result.code ?? JSON.stringify(result)}`);
  expect(seen.requests.filter((one) => one.path.startsWith(`/v1/orders/${ID}?`)).length === 2, "the server was not asked twice");
}
{
  // The app is back in front: the wait of 30 seconds ends at once (F5).
  const real = { dependencies: {}, policies: { weChatLooks: [0, 0.01] } };
  const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const made = await started({ ...real, dependencies: { sleep }, store: { open: () => new Promise(() => {}) } });
  const bought = made.shop.purchase("coins.100");
  while (!made.seen.events.some((one) => one.event === "openedWeChat")) await sleep(0.01);
  const begin = Date.now();
  made.shop.foreground();
  expect((await bought).outcome === "awaitingConfirmation", "the wait ended otherwise");
  expect(Date.now() - begin < 5000, `coming back ended the wait after ${Date.now() - begin} ms`);
}
{
  // A customer who never comes back, and a server that never answers: the caller's wait is bounded.
  const made = await started({
    policies: { purchaseLimit: 0.2 }, dependencies: { sleep: (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000)) },
    store: { open: () => new Promise(() => {}) },
  });
  const result = await made.shop.purchase("coins.100");
  expect(result.outcome === "awaitingConfirmation" && result.order === ID, `a bounded wait: ${JSON.stringify(result)}`);
}
{
  // Two taps are one sheet; another quantity meanwhile is refused; stop() ends the waits.
  const made = await started({ store: { open: () => { made.seen.opened += 1; return new Promise(() => {}); } },
    dependencies: { sleep: () => new Promise(() => {}) } });
  const taps = [made.shop.purchase("coins.100"), made.shop.purchase("coins.100")];
  await fails("client_purchase_in_progress", () => made.shop.purchase("coins.100", { quantity: 2 }), "another quantity");
  while (made.seen.opened === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await made.shop.stop();
  const said = await Promise.all(taps);
  expect(made.seen.opened === 1 && said[0] === said[1], `two taps opened ${made.seen.opened} sheets`);
}
{
  // Another user signs in before the sheet opens: nothing opens for the first one.
  const made = await started({ answers: { "POST /v1/orders": async () => {
    await made.shop.setUser("bob");
    return answer(201, order);
  } } });
  await fails("client_user_differs", () => made.shop.purchase("coins.100"), "another user before the sheet");
  expect(made.seen.opened === 0, "a sheet opened for the user before");
}

// MARK: texts

for (const [name, text] of Object.entries(messages)) {
  expect(text.en.length > 0 && /[\u4e00-\u9fff]/.test(text.zh), `${name} is not in both languages`);
}
{
  const own = { "outcome.cancelled": { en: "As you like.", zh: "好的。" } };
  const { shop } = world({ messages: own, language: "zh" });
  expect(shop.message({ outcome: "cancelled", order: ID }) === "好的。", "the app's own text is not used");
}

writeFileSync(process.argv[2], JSON.stringify({ wrong, done }));
process.exit(0);

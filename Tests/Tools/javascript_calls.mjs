// Every public call of the JavaScript client with bad input, and with a vault that is damaged, full, late or shared.
//
// Usage: javascript_calls.mjs OUTPUT. OUTPUT: JSON with `wrong`, the failed checks in words, and `done`, their number.
import * as counterfoil from "../../Clients/javascript/src/index.js";
import { ID, answer, expect, fails, order, report, started, world } from "./javascript_scripted.mjs";

const { createPurchasing, messages } = counterfoil;

// MARK: bad input

const good = {
  server: "https://pay.example.com", userToken: () => "t", vault: { read: () => null, write: () => {} },
  stores: [counterfoil.jsapiStore({ window: {} })],
};
for (const [words, bad] of Object.entries({
  "no object": null, "a list": [], "no server": { ...good, server: undefined },
  "http elsewhere": { ...good, server: "http://pay.example.com" },
  "a password": { ...good, server: "https://a@b.example" },
  "a query": { ...good, server: "https://pay.example.com?x=1" }, "no token": { ...good, userToken: "token" },
  "half a vault": { ...good, vault: { read: () => null } }, "no store": { ...good, stores: [] },
  "a strange store": { ...good, stores: [{ name: "weChatPay", tradeType: "CASH", platform: "web", open() {} }] },
  "two of one name": { ...good, stores: [good.stores[0], good.stores[0]] },
  "a third language": { ...good, language: "fr" },
  "a negative wait": { ...good, policies: { storeLimit: -1 } },
  "no number": { ...good, policies: { requestLimit: NaN } },
  "no function": { ...good, dependencies: { sleep: 3 } },
  "half a text": { ...good, messages: { "outcome.cancelled": { en: "x" } } },
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
  ]) await fails("client_request_invalid", () => shop.purchase("coins.100", details),
    `details ${Object.keys(details ?? {})}`);
  for (const quantity of [0, 11, -1, 1.5, NaN, "2", Infinity]) {
    await fails("client_quantity_not_allowed", () => shop.purchase("coins.100", { quantity }), `quantity ${quantity}`);
  }
  await fails("client_store_unavailable", () => shop.purchase("coins.100", { store: "appStore" }),
    "a store that is absent");
  for (const id of ["x", "", 7, `${ID}x`, `../${ID}`]) {
    await fails("client_request_invalid", () => shop.purchaseResult(id), `purchaseResult(${id})`);
  }
  await fails("client_request_invalid", () => shop.recover("boredom"), "recover for no reason");
  for (const one of [null, {}, { state: "purchased", productId: "a", quantity: 1 }, { state: "sold" }]) {
    await fails("client_request_invalid", () => shop.received(one), `received(${JSON.stringify(one)})`);
  }
  for (const about of [null, {}, { outcome: "rich" }, { event: "x" }, "cancelled", new Error("x"),
    { outcome: "__proto__" }]) {
    await fails("client_request_invalid", () => shop.message(about), `message(${JSON.stringify(about)})`);
  }
  await fails("client_request_invalid", () => shop.message({ outcome: "cancelled" }, "fr"),
    "message in a third language");
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
    orders[`k${index}`] = { user: "bob", productId: `p${index}`, quantity: 1, state: "paying",
      order: { ...order, id: ID } };
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
  const gems = world({ vault, answers: { "POST /v1/orders": answer(201, other),
    "GET /v1/orders/": answer(200, other) } });
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

// MARK: texts

for (const [name, text] of Object.entries(messages)) {
  expect(text.en.length > 0 && /[\u4e00-\u9fff]/.test(text.zh), `${name} is not in both languages`);
}
{
  const own = { "outcome.cancelled": { en: "As you like.", zh: "好的。" } };
  const { shop } = world({ messages: own, language: "zh" });
  expect(shop.message({ outcome: "cancelled", order: ID }) === "好的。", "the app's own text is not used");
}

report(process.argv[2]);

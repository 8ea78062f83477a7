// What the JavaScript client says when server, store and app answer wrongly, late or never.
//
// Usage: javascript_answers.mjs OUTPUT. OUTPUT: as that of javascript_calls.mjs.
import { ID, answer, expect, fails, order, problem, report, started, world } from "./javascript_scripted.mjs";

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
    answers: { [`GET /v1/orders/${ID}`]: answer(200, { ...order, state }) },
    store: { open: async () => ({ errCode: code }) },
  });
  expect((result.code ?? result.outcome) === said,
    `WeChat says ${code}, the order is ${state}: ${result.code ?? result.outcome}`);
  expect(shop.message(result, "en").length > 10 && /[\u4e00-\u9fff]/.test(shop.message(result, "zh")),
    `no words for ${said}`);
}
for (const [words, said] of Object.entries({
  "no answer": () => { throw new Error("down"); }, "HTML": { status: 200, text: "<html>", contentType: "text/html" },
  "a list": answer(200, []), "404 of a gateway": answer(404, { error: "x" }), "500": problem(500, "internal"),
  "429": problem(429, "too_many_requests"), "nothing": answer(200, {}),
  "another order": answer(200, { ...order, id: ID.replace("01a2", "01a3"), state: "paid" }),
})) {
  const { result, seen } = await outcomeOf({
    answers: { [`GET /v1/orders/${ID}`]: said }, store: { open: async () => ({ errCode: -2 }) } });
  expect(result.outcome === "awaitingConfirmation",
    `${words} about the order, after -2: ${result.code ?? result.outcome}`);
  expect(Object.keys(JSON.parse(seen.text).orders).length === 1, `${words}: the record is gone`);
}
for (const [words, said, code, records] of [
  ["a refusal", problem(422, "wechat_pay_order_invalid"), "client_server_refused", 0],
  ["no answer", () => { throw new Error("down"); }, "client_server_unreachable", 1],
  ["another quantity", answer(201, { ...order, quantity: 2 }), "client_order_differs", 1],
  ["another user's", answer(201, { ...order, userId: "bob" }), "client_user_differs", 1],
  ["nothing", answer(201, {}), "client_order_differs", 1],
  ["404 of a gateway", answer(404, { code: "not_found" }), "client_server_unreachable", 1],
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
  const requests = made.seen.requests.filter((one) => one.path === "/v1/orders");
  const keys = requests.map((one) => one.headers["Idempotency-Key"]);
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
  expect(seen.requests.filter((one) => one.path.startsWith(`/v1/orders/${ID}?`)).length === 2,
    "the server was not asked twice");
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
    policies: { purchaseLimit: 0.2 },
    dependencies: { sleep: (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000)) },
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
  await fails("client_purchase_in_progress", () => made.shop.purchase("coins.100", { quantity: 2 }),
    "another quantity");
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

// MARK: the App Store

const appleOrder = { ...order, store: "appStore", weChatPay: undefined,
  appStore: { productId: "c100", appAccountToken: ID } };
const bought = {
  state: "purchased", transactionId: "t1", productId: "c100", quantity: 1, token: ID.toUpperCase(), evidence: "a.b.c",
};

/** A purchase whose sheet says this, and whose payment is judged so. */
async function buyAtApple(told, payment, options = {}) {
  const { state = "awaitingPayment", open = async () => told, onSubmission = () => {}, shown = [], ...more } = options;
  const queue = { shown: [], finished: [] };
  const appStore = {
    name: "appStore", platform: "ios",
    pay: async () => {
      queue.shown = told;
      return open();
    },
    unfinished: () => queue.shown,
    finish: (one) => {
      queue.finished.push(one.transactionId ?? one.state);
      queue.shown = queue.shown.filter((shown) => shown !== one);
    },
  };
  const made = await started({
    stores: [appStore],
    answers: {
      "POST /v1/orders/": answer(200, { ...appleOrder, state }), "POST /v1/orders": answer(201, appleOrder),
      [`GET /v1/orders/${ID}`]: answer(200, { ...appleOrder, state }),
      "POST /v1/payments/app-store/finished": answer(200, {}),
      "POST /v1/payments/app-store": (seen) => {
        onSubmission(seen);
        return answer(200, { payments: payment ? [{ transactionId: "t1", ...payment }] : [] });
      },
    },
    // The sheet is never silent here; every other pause is over at once.
    policies: { silenceLimit: 31 },
    dependencies: { sleep: (seconds) => (seconds === 31 ? new Promise(() => {}) : null) },
    ...more,
  });
  queue.shown = shown;
  const result = await made.shop.purchase("coins.100").catch((error) => error);
  return { ...made, queue, result, said: result.code ?? result.outcome, kept: JSON.parse(made.seen.text) };
}
for (const [verdict, finish, said, records] of [
  ["fulfilled", true, "fulfilled", 0], ["held", true, "notGranted", 1], ["fulfilledForAnother", true, "notGranted", 1],
  ["revoked", true, "notGranted", 1], ["imported", true, "notGranted", 1], ["unclaimed", false, "notGranted", 1],
  ["refused", false, "notGranted", 1], ["pending", false, "awaitingConfirmation", 1],
  ["a new word", true, "awaitingConfirmation", 1],
]) {
  const got = await buyAtApple([bought], { verdict, finish, orderId: verdict === "fulfilledForAnother" ? null : ID });
  const isDecided = !["pending", "a new word"].includes(verdict);
  expect(got.said === (verdict === "fulfilledForAnother" ? "awaitingConfirmation" : said), `${verdict}: ${got.said}`);
  expect(got.queue.finished.length === (finish && isDecided ? 1 : 0), `${verdict}: finished ${got.queue.finished}`);
  expect(Object.keys(got.kept.orders).length === records, `${verdict}: ${Object.keys(got.kept.orders).length} records`);
  expect(Object.keys(got.kept.evidence).length === (finish && isDecided ? 0 : 1), `${verdict}: evidence`);
  expect(got.shop.message(got.result, "zh").length > 0, `${verdict}: no words`);
}
for (const [words, told, state, said] of [
  ["a failure", [{ ...bought, state: "failed" }], "awaitingPayment", "client_store_failed"],
  ["a cancellation", [{ ...bought, state: "failed", isCancelled: true }], "awaitingPayment", "cancelled"],
  ["Ask to Buy", [{ ...bought, state: "deferred" }], "awaitingPayment", "pendingApproval"],
  ["nothing", [], "awaitingPayment", "awaitingConfirmation"], ["nothing, and it is paid", [], "paid", "fulfilled"],
  ["nothing, and it is closed", [], "closed", "cancelled"],
  ["no list", null, "awaitingPayment", "awaitingConfirmation"],
]) {
  const got = await buyAtApple(told ?? [], null, { state, open: async () => told });
  expect(got.said === said, `the sheet says ${words}: ${got.said}`);
}
{
  const got = await buyAtApple([], null, { open: async () => { throw new Error("SKErrorDomain 2"); } });
  expect(got.said === "client_store_failed" && Object.keys(got.kept.orders).length === 1,
    `a sheet that throws: ${got.said}`);
}
{
  // The sheet is silent, the queue has it, and the app is back in front.
  const sleep = () => new Promise(() => {});
  const queue = [];
  const own = await started({
    stores: [{
      name: "appStore", platform: "ios", unfinished: () => queue, finish: () => { queue.length = 0; },
      pay: () => { queue.push(bought); return new Promise(() => {}); },
    }],
    dependencies: { sleep },
    answers: {
      "POST /v1/orders": answer(201, appleOrder), "POST /v1/payments/app-store/finished": answer(200, {}),
      "POST /v1/payments/app-store": answer(200, {
        payments: [{ transactionId: "t1", verdict: "fulfilled", finish: true, orderId: ID }],
      }),
    },
  });
  const result = own.shop.purchase("coins.100");
  while (queue.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await own.shop.foreground();
  expect((await result).outcome === "fulfilled", "coming back did not end the wait beside a silent sheet");
}
{
  // Evidence is in the vault before it is sent (1A.34). A closed order stays while the queue holds its payment (S18).
  let isKept = false;
  const got = await buyAtApple([bought], { verdict: "pending" }, { state: "closed", onSubmission: (seen) => {
    isKept = seen.text.includes('"evidence":"a.b.c"');
  } });
  expect(isKept, "evidence was sent before it was kept");
  expect(Object.keys(got.kept.orders).length === 1, "a closed order left the vault though the queue holds its payment");
}
for (const [verdict, said, words] of [
  ["fulfilled", "fulfilled", "it is what the customer gets"],
  ["pending", "client_earlier_purchase_undecided", "it is undecided"],
]) {
  // The queue holds an earlier purchase of the product: no second sheet (1A.56).
  const earlier = { ...bought, token: null };
  const got = await buyAtApple([], { verdict, finish: verdict === "fulfilled", orderId: ID }, {
    shown: [earlier], open: async () => { throw new Error("a second sheet"); } });
  expect(got.said === said && got.result.recovered !== false, `the queue holds a purchase, and ${words}: ${got.said}`);
}
for (const verdict of ["held", "revoked"]) {
  const said = { ...order, state: "paid", lastVerdict: { verdict, reason: "amountDiffers", at: order.createdAt } };
  const { result } = await outcomeOf({ answers: { [`GET /v1/orders/${ID}`]: answer(200, said) } });
  expect(result.outcome === "notGranted" && result.reason === "amountDiffers", `${verdict}: ${JSON.stringify(result)}`);
}

{
  // A recovery completes an earlier purchase while the tap waits for it.
  let tell = () => {};
  const told = new Promise((resolve) => { tell = resolve; });
  const { shop, seen } = world({ answers: { [`GET /v1/orders/${ID}`]: async () => {
    await told;
    return answer(200, { ...order, state: "paid" });
  } } });
  const kept = { user: "alice", productId: "coins.100", quantity: 1, state: "paying", order, writtenAt: 1 };
  seen.text = JSON.stringify({ version: 1, orders: { "key-of-an-earlier-tap": kept }, evidence: {},
    usersKnown: ["alice"] });
  await shop.setUser("alice");
  const moment = () => new Promise((resolve) => { setTimeout(resolve, 20); });
  const starts = shop.start();
  while (!seen.requests.some((one) => one.path.startsWith(`/v1/orders/${ID}`))) await moment();
  const buys = shop.purchase("coins.100");
  await moment();
  tell();
  await starts;
  const got = await buys;
  expect(got.outcome === "fulfilled" && got.recovered && seen.opened === 0,
    `a tap beside a recovery: ${JSON.stringify(got)}, ${seen.opened} sheets`);
}

report(process.argv[2]);

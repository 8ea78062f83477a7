import { PurchasingError, explanation } from "./errors.js";
import { applyOrder, beginPaying, changeOrder, endOrder, makeOrder, storeOf } from "./orders.js";
import { askAboutOrder } from "./recovery.js";
import { ask, isOrder, must } from "./server.js";

/** @typedef {import("./types").Context} Context */
/** @typedef {import("./types").Flow} Flow */
/** @typedef {import("../index").Order} Order */
/** @typedef {import("../index").PurchaseOutcome} PurchaseOutcome */
/** @typedef {import("../index").WeChatStore} WeChatStore */

const DECIDING_LOOK = 2; // the caller is told after the second look
const ASKING_WAIT = 1; // seconds
const SECOND_WAIT = 2; // seconds: a read that waits makes the server ask WeChat Pay, one that does not wait does not
const NOT_OPENED = -1;
const DONE = 0;
const CANCELLED = -2;
/** Orders differ in what WeChat Pay was told, if one of these differs. */
const TOLD = ["productId", "quantity", "tradeType", "openId", "payerAddress"];

/**
 * Order, vault, new parameters: everything before the cashier opens.
 *
 * @param {Context} context
 * @param {Flow} flow
 * @param {WeChatStore} store
 * @returns {Promise<PurchaseOutcome | null>} an outcome if nothing has to be paid any more
 */
export async function prepare(context, flow, store) {
  await checkAvailable(context, store);
  const resumed = await resume(context, flow);
  if (resumed) return resumed;
  let order;
  if (flow.order) {
    const path = `/v1/orders/${flow.order.id}/wechat-pay`;
    order = must(await ask(context, flow.user, "POST", path, { body: {} }));
    if (!isOrder(order) || order.id !== flow.order.id) throw new PurchasingError("client_order_differs");
  } else {
    order = await makeOrder(context, flow);
  }
  if (order.state === "paid") {
    await endOrder(context, flow.key ?? "", order);
    return paidOutcome(order, true);
  }
  checkParameters(context, store, order);
  await beginPaying(context, flow, order);
  return null;
}

/** @param {Context} context @param {WeChatStore} store */
async function checkAvailable(context, store) {
  if (!store.isAvailable) return;
  const code = store.tradeType === "APP" ? "client_wechat_not_installed" : "client_wechat_absent";
  let isAvailable;
  try {
    isAvailable = await context.dependencies.within(context.policies.storeLimit, Promise.resolve(store.isAvailable()));
  } catch (error) {
    throw new PurchasingError(code, explanation(error));
  }
  if (isAvailable !== true) throw new PurchasingError(code, `${store.tradeType} cannot be paid here.`);
}

/**
 * What an earlier tap left open. The same purchase gets no second order while the first can still be paid.
 *
 * @param {Context} context
 * @param {Flow} flow
 * @returns {Promise<PurchaseOutcome | null>}
 */
async function resume(context, flow) {
  const open = Object.entries((await context.records.read()).orders).filter(([, record]) =>
    record.user === flow.user && storeOf(record) === "weChatPay" && record.productId === flow.body.productId
    && (record.state === "paying" || record.state === "failedOnce"));
  for (const [key, { order: known }] of open.reverse()) {
    const release = await context.claims.wait(key, (work) =>
      context.dependencies.within(context.policies.requestLimit, work));
    if (!release) throw new PurchasingError("client_earlier_purchase_undecided");
    const outcome = await resumeOne(context, flow, key, release).catch((error) => {
      release();
      throw error;
    });
    // While this tap waited, a recovery may have completed that purchase: it is not charged again.
    const ended = outcome === "none" && known ? context.ended.get(known.id) : undefined;
    if (ended?.state === "paid") return paidOutcome(ended, true);
    if (outcome !== "none") return outcome;
  }
  return null;
}

/**
 * @param {Context} context
 * @param {Flow} flow
 * @param {string} key
 * @param {() => void} release
 * @returns {Promise<PurchaseOutcome | null | "none">}
 */
async function resumeOne(context, flow, key, release) {
  const record = (await context.records.read()).orders[key];
  if (!record?.order) {
    release();
    return "none";
  }
  const path = `/v1/orders/${record.order.id}`;
  let order = must(await ask(context, flow.user, "GET", `${path}?wait=${ASKING_WAIT}`, { wait: ASKING_WAIT }));
  if (!isOrder(order)) throw new PurchasingError("client_order_differs");
  const { body } = record;
  if (order.state === "awaitingPayment" && body && TOLD.every((name) => body[name] === flow.body[name])) {
    flow.key = key;
    flow.release = release;
    flow.order = order;
    return null;
  }
  // Another quantity or another way to pay: the old order is closed first, at WeChat Pay too. The server asks WeChat Pay
  // about an order at most once in two seconds.
  for (const pause of [0, ...context.policies.orderPauses]) {
    if (order.state !== "awaitingPayment") break;
    if (pause) await context.dependencies.sleep(pause);
    order = must(await ask(context, flow.user, "POST", `${path}/close`, { body: {} }));
  }
  if (!isOrder(order)) throw new PurchasingError("client_order_differs");
  await applyOrder(context, key, record, order);
  release();
  if (order.state === "paid") return paidOutcome(order, true);
  if (order.state === "awaitingPayment") throw new PurchasingError("client_earlier_purchase_undecided");
  return "none";
}

/**
 * Nothing is handed to WeChat that the server did not sign for this app and this way to pay.
 *
 * @param {Context} context
 * @param {WeChatStore} store
 * @param {Order} order
 */
function checkParameters(context, store, order) {
  const given = order.weChatPay;
  const isOnThisMachine = /^http:/.test(context.configuration.server);
  const isWhole = {
    APP: () => typeof given?.partnerId === "string" && typeof given.sign === "string",
    JSAPI: () => typeof given?.paySign === "string" && typeof given.package === "string",
    H5: () => /^https:\/\//.test(given?.h5Url ?? "") || (isOnThisMachine && /^http:\/\//.test(given?.h5Url ?? "")),
    NATIVE: () => /^weixin:\/\//.test(given?.codeUrl ?? ""),
  }[store.tradeType]();
  if (!isWhole) {
    throw new PurchasingError("client_order_differs", `It carries nothing to pay by ${store.tradeType}.`);
  }
  if (store.appId !== undefined && given?.appId !== store.appId) {
    throw new PurchasingError("client_wechat_app_differs", `The order is for ${given?.appId}, this is ${store.appId}.`);
  }
}

/**
 * Opens the cashier and waits until the server says what became of the order. What WeChat reports ends waits and
 * decides nothing.
 *
 * @param {Context} context
 * @param {Flow} flow
 * @param {WeChatStore} store
 */
export async function pay(context, flow, store) {
  const order = /** @type {Order} */ (flow.order);
  context.emit({ event: "openedWeChat", order: order.id });
  context.inBackground(async () => {
    try {
      const hint = await store.open(/** @type {any} */ (order.weChatPay), order);
      if (hint && Number.isInteger(hint.errCode)) customerIsBack(flow, hint.errCode);
    } catch (error) {
      // No proof either: the server is asked before the customer is told.
      const code = /** @type {any} */ (error)?.errCode;
      customerIsBack(flow, Number.isInteger(code) ? code : NOT_OPENED);
    }
  });
  await pollUntilDecided(context, flow, store);
}

/**
 * A sign that the customer is back. Signs after the first are merged into it.
 *
 * @param {Flow} flow
 * @param {number} [code]
 */
export function customerIsBack(flow, code) {
  if (!flow.isPaying || flow.isDecided) return;
  if (flow.code === null && code !== undefined) flow.code = code;
  flow.isBack = true;
  flow.wake();
}

/** @param {Context} context @param {Flow} flow @param {WeChatStore} store */
export async function pollUntilDecided(context, flow, store) {
  const { weChatLooks: looks, waitSeconds } = context.policies;
  const between = looks.length > 1 ? looks[1] - looks[0] : 0;
  while (!flow.isDecided && context.isRunning) {
    // A code stays on this page: the payer is elsewhere, and nothing tells when they are done.
    const isElsewhere = store.tradeType === "NATIVE";
    if (!isElsewhere) await returned(context, flow);
    const isBack = flow.isBack;
    const first = await look(context, flow, isElsewhere && !isBack ? Math.max(1, waitSeconds) : between);
    if (flow.isDecided) return;
    if (first && first.state !== "awaitingPayment") return decideEnded(flow, first);
    // Silence alone decides nothing: the customer may still be typing the password.
    if (!isBack) continue;
    const second = await look(context, flow, SECOND_WAIT);
    if (second && second.state !== "awaitingPayment") return decideEnded(flow, second);
    return decideUnpaid(context, flow, second);
  }
}

/** @param {Context} context @param {Flow} flow */
async function returned(context, flow) {
  if (flow.isBack) return;
  const sign = new Promise((resolve) => { flow.wake = () => resolve(null); });
  await Promise.race([sign, context.dependencies.sleep(context.policies.silenceLimit)]);
}

/**
 * Asks the server, which asks WeChat Pay. It lasts as long as the span, so that the next look keeps its distance.
 *
 * @param {Context} context
 * @param {Flow} flow
 * @param {number} span seconds
 * @returns {Promise<Order | null>}
 */
async function look(context, flow, span) {
  const order = /** @type {Order} */ (flow.order);
  const begin = context.dependencies.now();
  const wait = Math.floor(Math.min(span, context.policies.waitSeconds));
  const path = `/v1/orders/${order.id}${wait > 0 ? `?wait=${wait}` : ""}`;
  const asked = ask(context, flow.user, "GET", path, { wait });
  // Whoever returns while the server waits must not wait for it.
  const sign = new Promise((resolve) => { if (!flow.isBack) flow.wake = () => resolve(null); });
  const reply = await Promise.race([asked, sign]);
  const said = reply?.kind === "answered" ? reply.answer : null;
  /** @type {Order | null} */
  const answer = isOrder(said) && said.id === order.id ? said : null;
  const record = answer && flow.key ? (await context.records.read()).orders[flow.key] : undefined;
  if (answer && record) await applyOrder(context, flow.key ?? "", record, answer);
  const rest = span - (context.dependencies.now() - begin) / 1000;
  const isOpen = !answer || answer.state === "awaitingPayment";
  if (reply && isOpen && rest > 0) await context.dependencies.sleep(Math.min(rest, span));
  return answer;
}

/** @param {Flow} flow @param {Order} order */
function decideEnded(flow, order) {
  // Closed by the server, and at WeChat Pay first: nothing was paid, and nothing can be.
  flow.decide(order.state === "paid" ? paidOutcome(order, false) : { outcome: "cancelled", order: order.id });
}

/** @param {Order} order @param {boolean} recovered @returns {PurchaseOutcome} */
export function paidOutcome(order, recovered) {
  const last = order.lastVerdict;
  return last && ["held", "revoked"].includes(last.verdict)
    ? { outcome: "notGranted", order: order.id, verdict: last.verdict, reason: last.reason ?? null }
    : { outcome: "fulfilled", order: order.id, recovered };
}

/**
 * No payment of the order is known. It stays open: a later payment counts.
 *
 * @param {Context} context
 * @param {Flow} flow
 * @param {Order | null} answer
 */
async function decideUnpaid(context, flow, answer) {
  const order = /** @type {Order} */ (flow.order);
  const isCertain = answer !== null && answer.lastVerdict?.verdict !== "pending";
  context.emit({ event: "notConfirmed", order: order.id });
  if (isCertain && flow.code !== null && flow.code !== DONE && flow.key) {
    await changeOrder(context, flow.key, (record) => { record.state = "failedOnce"; }).catch(() => {});
  }
  if (answer?.lastVerdict?.verdict === "held") return flow.decide(paidOutcome(answer, false));
  if (isCertain && flow.code === CANCELLED) return flow.decide({ outcome: "cancelled", order: order.id });
  if (isCertain && flow.code !== null && flow.code !== DONE) {
    const details = `WeChat said ${flow.code}.`;
    return flow.decide(new PurchasingError("client_wechat_failed", details, { weChatCode: flow.code }));
  }
  flow.decide({ outcome: "awaitingConfirmation", order: order.id });
}

/**
 * Asks about an order later on: the cashier stays open, and a payment in it counts.
 *
 * @param {Context} context
 * @param {string} key
 * @param {string} user
 */
export async function lookLater(context, key, user) {
  const looks = context.policies.weChatLooks.slice(DECIDING_LOOK - 1);
  for (let index = 1; index < looks.length; index += 1) {
    await context.dependencies.sleep(looks[index] - looks[index - 1]);
    if (!context.isRunning || context.user !== user || !context.records.last().orders[key]) return;
    await askAboutOrder(context, key, user);
  }
}

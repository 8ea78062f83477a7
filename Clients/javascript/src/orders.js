import { PurchasingError } from "./errors.js";
import { ask, isOrder, must } from "./server.js";
import { EVIDENCE_MAX, ORDERS_MAX } from "./vault.js";

/** @typedef {import("./types").Context} Context */
/** @typedef {import("./types").Flow} Flow */
/** @typedef {import("./types").OrderRecord} OrderRecord */
/** @typedef {import("../index").Order} Order */

const ROUNDS_MAX = 3; // one for an earlier tap's record, one for a new one, one in reserve
const ENDED_MAX = 200;
const CLOCK_ALLOWANCE = 5 * 60 * 1000; // by which the clocks of server and store may differ

/** @param {OrderRecord} record */
export const storeOf = (record) =>
  record.body?.store ?? /** @type {import("../index").StoreName} */ (record.order?.store ?? "appStore");

/**
 * What was asked for; records of the earlier example file do not say it.
 *
 * @param {OrderRecord} record
 */
const bodyOf = (record) =>
  record.body ?? { productId: record.productId, quantity: record.quantity, store: storeOf(record) };

/**
 * The same request, in whatever order its members are.
 *
 * @param {Record<string, unknown>} one
 * @param {Record<string, unknown>} other
 */
const isSame = (one, other) =>
  JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());

/** @param {Context} context @param {string} key @param {(record: OrderRecord) => void} change */
export const changeOrder = (context, key, change) =>
  context.records.change((kept) => {
    if (kept.orders[key]) change(kept.orders[key]);
    return kept.orders[key] ?? null;
  });

/**
 * Makes the order, or finds the one that an earlier tap made and never showed. The idempotency key is in the vault
 * before the request leaves: after a kill or a lost answer, the same key finds the same order.
 *
 * @param {Context} context
 * @param {Flow} flow
 * @returns {Promise<Order>}
 */
export async function makeOrder(context, flow) {
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const key = await claimRecord(context, flow);
    const order = await requestOrder(context, flow.user, key, flow.body);
    if (order.state !== "closed") return order;
    // An earlier tap left it, and it is closed since. It was never shown, so it cannot be paid.
    await endOrder(context, key, order);
    flow.release();
    flow.key = null;
  }
  throw new PurchasingError("client_order_differs", "The server answers with orders that are closed.");
}

/** @param {Context} context @param {Flow} flow @returns {Promise<string>} */
async function claimRecord(context, flow) {
  const kept = await context.records.read();
  for (const [key, record] of Object.entries(kept.orders)) {
    const isLeft = record.user === flow.user && (record.state === "requested" || record.state === "created");
    if (!isLeft || !isSame(bodyOf(record), flow.body)) continue;
    const release = context.claims.take(key);
    if (!release) continue;
    // Between the reading and the claim a recovery may have closed it.
    const now = (await context.records.read()).orders[key];
    if (now?.state === "requested" || now?.state === "created") {
      flow.key = key;
      flow.release = release;
      return key;
    }
    release();
  }
  const key = newKey(context);
  const release = context.claims.take(key);
  if (!release) throw new PurchasingError("client_purchase_in_progress", "dependencies.newKey repeats its keys.");
  flow.key = key;
  flow.release = release;
  // Before the request leaves: a lost answer must not lose the order.
  await context.records.change(({ orders }) => {
    if (Object.keys(orders).length >= ORDERS_MAX) throw new PurchasingError("client_vault_full");
    const { productId, quantity } = flow.body;
    const writtenAt = context.dependencies.now();
    orders[key] = { user: flow.user, productId, quantity, state: "requested", order: null, body: flow.body, writtenAt };
  });
  return key;
}

/** @param {Context} context */
function newKey(context) {
  let key;
  try {
    key = context.dependencies.newKey();
  } catch (error) {
    throw new PurchasingError("client_configuration_invalid", String(error));
  }
  if (typeof key !== "string" || !/^[\x21-\x7e]{16,255}$/.test(key)) {
    throw new PurchasingError("client_configuration_invalid", "dependencies.newKey must give 16 to 255 characters.");
  }
  return key;
}

/**
 * @param {Context} context
 * @param {string} user
 * @param {string} key
 * @param {Record<string, unknown>} body
 * @returns {Promise<Order>}
 */
export async function requestOrder(context, user, key, body) {
  /** @type {import("./types").Reply} */
  let reply = { kind: "unknown", details: "" };
  for (const pause of [0, ...context.policies.orderPauses]) {
    if (pause) await context.dependencies.sleep(pause);
    reply = await ask(context, user, "POST", "/v1/orders", { body, key });
    if (reply.kind !== "unknown") break;
  }
  // A refused token says nothing about the order: an earlier attempt under this key may have made it.
  if (reply.kind === "refused" && reply.status !== 401 && reply.status !== 403) {
    await context.records.change((kept) => { delete kept.orders[key]; });
  }
  const order = must(reply);
  if (!isOrder(order) || order.productId !== body.productId || order.quantity !== body.quantity
    || order.store !== body.store) {
    throw new PurchasingError("client_order_differs", "The server's order is not the one that was asked for.");
  }
  if (order.userId !== user) {
    throw new PurchasingError("client_user_differs", "The token that the app gave is another user's.");
  }
  await changeOrder(context, key, (record) => {
    if (record.state === "requested") record.state = "created";
    record.order = order;
  });
  return order;
}

/**
 * Writes down that the payment begins: nothing opens without that.
 *
 * @param {Context} context
 * @param {Flow} flow
 * @param {Order} order
 */
export async function beginPaying(context, flow, order) {
  checkMayPay(context, flow);
  const record = await changeOrder(context, flow.key ?? "", (one) => {
    one.state = "paying";
    one.order = order;
  });
  if (!record) throw new PurchasingError("client_vault_unavailable", "The record of the order is gone.");
  checkMayPay(context, flow);
  flow.order = order;
  flow.isPaying = true;
}

/** @param {Context} context @param {Flow} flow */
function checkMayPay(context, flow) {
  if (context.user !== flow.user) {
    throw new PurchasingError("client_user_differs", "Another user signed in while the order was made.");
  }
  if (!context.isRunning || flow.isDecided) throw new PurchasingError("client_purchase_abandoned");
}

/**
 * Removes a record, because the server says that the order is paid or closed.
 *
 * @param {Context} context
 * @param {string} key
 * @param {Order} order
 */
export async function endOrder(context, key, order) {
  context.ended.set(order.id, order);
  if (context.ended.size > ENDED_MAX) context.ended.delete([...context.ended.keys()][0]);
  const wasThere = await context.records.change((kept) => {
    const isThere = key in kept.orders;
    delete kept.orders[key];
    return isThere;
  });
  if (!wasThere) return;
  if (order.state === "paid") context.emit({ event: "orderGranted", order: order.id });
  context.emit({ event: "orderClosed", order: order.id });
}

/**
 * Applies what the server says about an order of the vault.
 *
 * @param {Context} context
 * @param {string} key
 * @param {OrderRecord} record
 * @param {Order} order
 */
export async function applyOrder(context, key, record, order) {
  if (order.state === "awaitingPayment") return;
  if (order.state === "closed") {
    // An order that was closed to make room for newer ones can still be paid: it is kept for its lifetime.
    const age = context.dependencies.now() - (record.writtenAt ?? 0);
    const lifetime = Date.parse(order.expiresAt) - Date.parse(order.createdAt);
    if (order.closeReason === "replaced" && record.state !== "created" && age <= lifetime) return;
    if (storeOf(record) === "appStore" && await mayStillBePaid(context, record)) return;
  }
  await endOrder(context, key, order);
}

/**
 * Whether queue or vault hold anything that could pay the order.
 *
 * @param {Context} context
 * @param {OrderRecord} record
 */
async function mayStillBePaid(context, record) {
  const queue = context.configuration.stores.find((one) => one.name === "appStore");
  if (queue?.name !== "appStore") return false;
  const shown = await unfinished(context, queue);
  if (!shown) return true; // the store does not answer: nothing is known
  const { evidence } = await context.records.read();
  const isRefused = (/** @type {string | undefined} */ id) => evidence[id ?? ""]?.verdict === "refused";
  return [...shown, ...Object.values(evidence)].some((one) => !isRefused(one.transactionId) && isAbout(record, one));
}

/** @param {Context} context @param {import("../index").AppStoreQueue} queue */
export async function unfinished(context, queue) {
  try {
    const listed = await context.dependencies.within(context.policies.storeLimit, Promise.resolve(queue.unfinished()));
    return Array.isArray(listed) ? listed.slice(0, 10 * EVIDENCE_MAX) : null;
  } catch {
    return null;
  }
}

/**
 * Whether a transaction could be the payment of an order. The server decides; this only gathers candidates.
 *
 * @param {OrderRecord} record
 * @param {Partial<import("../index").StoreTransaction>} one
 */
export function isAbout(record, one) {
  if (!record.order || record.state === "created" || storeOf(record) !== "appStore") return false;
  if (one.token) return one.token.toLowerCase() === record.order.id;
  const made = Date.parse(record.order.createdAt);
  return one.productId === record.order.appStore?.productId && one.quantity === record.quantity
    && !(typeof one.purchaseDate === "number" && one.purchaseDate < made - CLOCK_ALLOWANCE);
}

import { completeQueue, tellApprovalPending } from "./app-store.js";
import { applyOrder, requestOrder, storeOf } from "./orders.js";
import { ask, isOrder } from "./server.js";
import { ORDERS_MAX, rememberUser } from "./vault.js";

/** @typedef {import("./types").Context} Context */

// Seconds. A read that waits makes the server ask WeChat Pay; a plain read does not.
const WECHAT_WAIT = 1;

/**
 * Completes what is open, from vault, store and server. Safe at any time, as often as you like.
 *
 * @param {Context} context
 */
export async function recover(context) {
  await context.records.read(); // a vault that cannot be read is an error, before anything is asked
  const user = context.user;
  if (user !== null) {
    await adoptOpenOrders(context, user);
    await askAboutLostRequests(context, user);
  }
  await completeQueue(context);
  if (user !== null) await askAboutOrders(context, user);
}

/**
 * A new device, or storage that was cleared: the server's list stands in for the vault.
 *
 * @param {Context} context
 * @param {string} user
 */
async function adoptOpenOrders(context, user) {
  if ((await context.records.read()).usersKnown.includes(user)) return;
  const reply = await ask(context, user, "GET", "/v1/orders?open=true&limit=100");
  if (reply.kind !== "answered" || !Array.isArray(reply.answer.orders)) return;
  const names = context.configuration.stores.map((one) => one.name);
  await context.records.change((kept) => {
    const known = new Set(Object.values(kept.orders).map((record) => record.order?.id));
    for (const order of reply.answer.orders) {
      if (!isOrder(order) || known.has(order.id) || !names.includes(order.store)) continue;
      if (order.userId !== user || Object.keys(kept.orders).length >= ORDERS_MAX) continue;
      const { id, productId, quantity } = order;
      kept.orders[id] = { user, productId, quantity, state: "paying", order, writtenAt: context.dependencies.now() };
    }
    rememberUser(kept, user);
  });
}

/**
 * The answer to an order request was lost: the same key finds the order.
 *
 * @param {Context} context
 * @param {string} user
 */
async function askAboutLostRequests(context, user) {
  for (const [key, { body, productId, quantity }] of await mine(context, user)) {
    const release = context.claims.take(key);
    if (!release) continue;
    try {
      const record = (await context.records.read()).orders[key];
      if (record?.state !== "requested") continue;
      const request = body ?? { productId, quantity, store: storeOf(record) };
      await requestOrder(context, user, key, request).catch(() => {}); // it stays, and is asked about again
    } finally {
      release();
    }
  }
}

/**
 * Asks about each order of the user.
 *
 * @param {Context} context
 * @param {string} user
 */
async function askAboutOrders(context, user) {
  for (const [key] of await mine(context, user)) await askAboutOrder(context, key, user);
}

/**
 * Asks about one order, unless a purchase is working on it.
 *
 * @param {Context} context
 * @param {string} key
 * @param {string} user
 */
export async function askAboutOrder(context, key, user) {
  const release = context.user === user ? context.claims.take(key) : null;
  if (!release) return;
  try {
    const record = (await context.records.read()).orders[key];
    if (!record?.order) return;
    const path = `/v1/orders/${record.order.id}`;
    const wait = storeOf(record) === "weChatPay" ? Math.min(WECHAT_WAIT, context.policies.waitSeconds) : 0;
    // Its sheet never opened, so nothing can be charged for it.
    const reply = record.state === "created"
      ? await ask(context, user, "POST", `${path}/close`, { body: {} })
      : await ask(context, user, "GET", wait ? `${path}?wait=${wait}` : path, { wait });
    if (reply.kind === "answered" && isOrder(reply.answer) && reply.answer.id === record.order.id) {
      await applyOrder(context, key, record, reply.answer);
    }
    if (record.state === "deferred" && !record.approvalTold) await tellApprovalPending(context, key, record, user);
  } finally {
    release();
  }
}

/** @param {Context} context @param {string} user */
const mine = async (context, user) =>
  Object.entries((await context.records.read()).orders).filter(([, record]) => record.user === user);

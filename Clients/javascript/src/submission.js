import { finishBounded } from "./app-store.js";
import { isAbout } from "./orders.js";
import { ask } from "./server.js";

/** @typedef {import("./types").Context} Context */
/** @typedef {import("./types").Judged} Judged */
/** @typedef {import("../index").StoreTransaction} StoreTransaction */

const ORDER_IDS_MAX = 50;
const VERDICTS = [
  "fulfilled", "fulfilledForAnother", "held", "unclaimed", "refused", "revoked", "imported", "pending", "unpaid",
];

/**
 * One submission of a transaction at a time: whoever comes second waits for the first.
 *
 * @param {Context} context
 * @param {string} id
 * @param {StoreTransaction | null} one the entry of the store's queue, if it still shows one
 */
export function submitOnce(context, id, one) {
  let running = context.submissions.get(id);
  if (!running) {
    running = submit(context, id, one).finally(() => context.submissions.delete(id));
    context.submissions.set(id, running);
  }
  return running;
}

/** @param {Context} context @param {string} id @param {StoreTransaction | null} one */
async function submit(context, id, one) {
  if (context.user === null && !context.configuration.publishableKey) return; // kept until somebody signs in
  const earlier = context.judged.get(id);
  // Set aside in this run; the next launch asks again.
  if (earlier && !earlier.finish && earlier.asker === context.user && !context.isLaunching) return;
  const judged = await verdict(context, id, one);
  if (!judged) return; // nobody knows: everything is kept, and asked again
  context.judged.set(id, judged);
  if (!judged.finish) return setAside(context, id, judged);
  const queue = context.configuration.stores.find((store) => store.name === "appStore");
  if (one && queue?.name === "appStore") {
    if (!await finishBounded(context, queue, one)) return; // on the server's word alone; it comes again
    await ask(context, context.user, "POST", "/v1/payments/app-store/finished", { body: { transactionIds: [id] } });
  }
  await forget(context, id, judged);
}

/** @param {Context} context @param {string} id @param {Judged} judged */
async function setAside(context, id, judged) {
  await context.records.change((kept) => {
    if (kept.evidence[id]) kept.evidence[id].verdict = judged.verdict;
  });
  context.emit({ event: "notGranted", transaction: id, verdict: judged.verdict, reason: judged.reason });
}

/**
 * Evidence and record go in one write: the server says that it has them.
 *
 * @param {Context} context
 * @param {string} id
 * @param {Judged} judged
 */
async function forget(context, id, judged) {
  /** @type {import("../index").Order[]} */
  const paid = [];
  await context.records.change((kept) => {
    paid.length = 0;
    delete kept.evidence[id];
    for (const [key, record] of Object.entries(kept.orders)) {
      if (judged.verdict !== "fulfilled" || record.order === null || record.order.id !== judged.orderId) continue;
      paid.push({ ...record.order, state: "paid" });
      delete kept.orders[key];
    }
  });
  for (const order of paid) context.ended.set(order.id, order);
  if (judged.verdict === "fulfilled") {
    context.emit({ event: "fulfilled", transaction: id, order: judged.orderId });
  } else {
    context.emit({ event: "notGranted", transaction: id, verdict: judged.verdict, reason: judged.reason });
  }
  for (const order of paid) context.emit({ event: "orderClosed", order: order.id });
}

/**
 * @param {Context} context
 * @param {string} id
 * @param {StoreTransaction | null} one
 * @returns {Promise<Judged | null>}
 */
async function verdict(context, id, one) {
  const user = context.user;
  const kept = await context.records.read();
  const stored = kept.evidence[id] ?? one;
  if (!stored) return null;
  const fitting = Object.values(kept.orders).filter((record) => isAbout(record, stored));
  if (!stored.token && fitting.length === 0) context.emit({ event: "orphan", transaction: id });
  const queue = context.configuration.stores.find((store) => store.name === "appStore");
  /** @type {Record<string, unknown>} */
  const body = {
    evidence: stored.evidence, transactionId: id, productId: stored.productId, quantity: stored.quantity,
    deviceVerificationId: queue?.name === "appStore" ? queue.deviceVerificationId : undefined,
  };
  if (user !== null) {
    const ids = fitting.map((record) => record.order?.id).slice(-ORDER_IDS_MAX);
    if (ids.length > 0) body.orderIds = ids;
    if ("sameRun" in stored && stored.sameRun) body.sameRun = stored.sameRun;
  }
  let atLeast = 0;
  for (const pause of [0, ...context.policies.verificationPauses]) {
    if (pause) await context.dependencies.sleep(Math.max(pause, atLeast));
    if (!context.isRunning || context.user !== user) return null;
    const reply = await ask(context, user, "POST", "/v1/payments/app-store", { body });
    atLeast = reply.kind === "unknown" ? reply.retryAfter ?? 0 : 0;
    if (reply.kind !== "answered") continue; // a problem is no verdict: nothing is finished
    const payment = about(reply.answer.payments, id);
    // A word that this version does not know is no verdict either.
    if (!payment || !VERDICTS.includes(payment.verdict) || payment.verdict === "pending") continue;
    return {
      verdict: payment.verdict, reason: payment.reason ?? null, finish: payment.finish === true,
      orderId: payment.orderId ?? null, asker: user,
    };
  }
  return null;
}

/**
 * The answer about a transaction. Evidence that cannot be verified has no number that the server would repeat.
 *
 * @param {unknown} payments
 * @param {string} id
 */
function about(payments, id) {
  if (!Array.isArray(payments)) return null;
  const only = payments.length === 1 && payments[0]?.finish !== true ? payments[0] : null;
  return payments.find((one) => one?.transactionId === id) ?? only;
}

/**
 * The verdict about a transaction that does not pay this order, though it names it.
 *
 * @param {Context} context
 * @param {string} order
 * @returns {Judged | null}
 */
export function standing(context, order) {
  const { evidence } = context.records.last();
  for (const [id, judged] of context.judged) {
    if (judged.verdict === "fulfilled") continue;
    if (judged.orderId === order || evidence[id]?.token?.toLowerCase() === order) return judged;
  }
  return null;
}

import { PurchasingError, explanation } from "./errors.js";
import { isTransaction } from "./input.js";
import { beginPaying, changeOrder, endOrder, isAbout, makeOrder, unfinished } from "./orders.js";
import { askAboutOrder } from "./recovery.js";
import { standing, submitOnce } from "./submission.js";
import { ask } from "./server.js";
import { EVIDENCE_MAX } from "./vault.js";

/** @typedef {import("./types").Context} Context */
/** @typedef {import("./types").Flow} Flow */
/** @typedef {import("../index").AppStoreQueue} AppStoreQueue */
/** @typedef {import("../index").StoreTransaction} StoreTransaction */
/** @typedef {import("../index").PurchaseOutcome} PurchaseOutcome */

/** @param {Context} context */
const queueOf = (context) => {
  const found = context.configuration.stores.find((one) => one.name === "appStore");
  return found?.name === "appStore" ? found : null;
};

/**
 * What is unfinished first, then order and vault: everything before the sheet opens.
 *
 * @param {Context} context
 * @param {Flow} flow
 * @param {AppStoreQueue} queue
 * @returns {Promise<PurchaseOutcome | null>} an outcome if nothing has to be paid any more
 */
export async function prepare(context, flow, queue) {
  const shown = await unfinished(context, queue);
  if (!shown) throw new PurchasingError("client_store_unavailable", "It does not list its transactions.");
  const before = shown.filter((one) => isTransaction(one) && one.state === "purchased");
  await context.dependencies.within(context.policies.recoveryLimit, completeQueue(context));
  const order = await makeOrder(context, flow);
  if (order.state === "paid") {
    await endOrder(context, flow.key ?? "", order);
    return { outcome: "fulfilled", order: order.id, recovered: true };
  }
  const product = order.appStore?.productId;
  if (typeof product !== "string") throw new PurchasingError("client_order_differs", "It names no store product.");
  for (const one of before.filter((entry) => entry.productId === product)) {
    const judged = context.judged.get(one.transactionId ?? "");
    // Its payment and the new one could be confused.
    if (!judged) throw new PurchasingError("client_earlier_purchase_undecided");
    if (judged.verdict === "fulfilled" && judged.finish && judged.orderId && judged.asker === flow.user) {
      return { outcome: "fulfilled", order: judged.orderId, recovered: true }; // a second charge needs a second tap
    }
  }
  const { evidence } = await context.records.read();
  if (Object.values(evidence).some((one) => one.verdict === null && one.productId === product)) {
    throw new PurchasingError("client_earlier_purchase_undecided");
  }
  await beginPaying(context, flow, order);
  return null;
}

/**
 * Opens the sheet. What the store says is submitted, and decides nothing.
 *
 * @param {Context} context
 * @param {Flow} flow
 * @param {AppStoreQueue} queue
 */
export async function pay(context, flow, queue) {
  const order = /** @type {import("../index").Order} */ (flow.order);
  /** @type {string | null} */
  let failure = null;
  let isCancelled = false;
  const back = new Promise((resolve) => { flow.wake = () => resolve(null); });
  try {
    const opened = Promise.resolve(queue.pay(order));
    opened.catch(() => {}); // if it fails after the wait, the queue is asked all the same
    const told = await Promise.race([opened, back, context.dependencies.sleep(context.policies.silenceLimit)]);
    if (!Array.isArray(told)) context.emit({ event: "slowCallback", order: order.id });
    for (const one of Array.isArray(told) ? told : []) {
      isCancelled ||= one?.state === "failed" && one.isCancelled === true;
      await receive(context, one, order.id);
    }
  } catch (error) {
    failure = explanation(error);
    isCancelled = /** @type {any} */ (error)?.isCancelled === true;
    await changeOrder(context, flow.key ?? "", (record) => { record.state = "failedOnce"; }); // a charge may follow
  }
  await lookAtQueue(context, order.id);
  flow.release();
  if (!context.ended.has(order.id)) await askAboutOrder(context, flow.key ?? "", flow.user);
  const record = (await context.records.read()).orders[flow.key ?? ""];
  flow.decide(outcome(context, order.id, record?.state ?? null, isCancelled, failure));
  if (record && record.state === "failedOnce") context.inBackground(() => lookAfterFailure(context, order.id));
}

/**
 * @param {Context} context
 * @param {string} order
 * @param {string | null} state
 * @param {boolean} isCancelled
 * @param {string | null} failure
 * @returns {PurchaseOutcome | PurchasingError}
 */
function outcome(context, order, state, isCancelled, failure) {
  const ended = context.ended.get(order);
  if (ended?.state === "paid") return { outcome: "fulfilled", order, recovered: false };
  const judged = standing(context, order);
  if (judged) return { outcome: "notGranted", order, verdict: judged.verdict, reason: judged.reason };
  if (ended) return { outcome: "cancelled", order };
  if (state === "deferred") return { outcome: "pendingApproval", order };
  if (state !== "failedOnce") return { outcome: "awaitingConfirmation", order };
  return isCancelled ? { outcome: "cancelled", order } : new PurchasingError("client_store_failed", failure ?? "");
}

/**
 * A charge may follow a failure.
 *
 * @param {Context} context
 * @param {string} order
 */
async function lookAfterFailure(context, order) {
  let before = 0;
  for (const mark of context.policies.looksAfterFailure) {
    await context.dependencies.sleep(mark - before);
    before = mark;
    if (!context.isRunning) return;
    await lookAtQueue(context, order);
  }
}

/** @param {Context} context @param {string | null} sameRun */
export async function lookAtQueue(context, sameRun) {
  const queue = queueOf(context);
  if (!queue) return;
  for (const one of (await unfinished(context, queue)) ?? []) await receive(context, one, sameRun);
}

/**
 * Submits what the store shows, then what only the vault still has.
 *
 * @param {Context} context
 */
export async function completeQueue(context) {
  await lookAtQueue(context, null);
  if (!context.isLaunching && context.user === null) return;
  for (const id of Object.keys((await context.records.read()).evidence)) {
    if (!context.judged.has(id)) await submitOnce(context, id, null); // the store no longer shows it
  }
}

/**
 * Takes in one transaction.
 *
 * @param {Context} context
 * @param {StoreTransaction} one
 * @param {string | null} sameRun the order whose sheet is open
 */
export async function receive(context, one, sameRun) {
  const queue = queueOf(context);
  if (!queue || !isTransaction(one)) return;
  if (one.state === "deferred") {
    await mark(context, one, "deferred");
  } else if (one.state === "failed") {
    await mark(context, one, "failedOnce");
    await finishBounded(context, queue, one); // there is no charge in it
  } else {
    await keep(context, one, sameRun).catch((error) => {
      // Money was paid, and the store still holds it: it is sent all the same.
      context.emit({ event: "vaultFailed", details: explanation(error) });
    });
    await submitOnce(context, /** @type {string} */ (one.transactionId), one);
  }
}

/** @param {Context} context @param {AppStoreQueue} queue @param {StoreTransaction} one */
export async function finishBounded(context, queue, one) {
  try {
    const { within } = context.dependencies;
    const done = await within(context.policies.storeLimit, Promise.resolve(queue.finish(one)).then(() => true));
    return done === true;
  } catch {
    return false; // it comes again at the next launch
  }
}

/** @param {Context} context @param {StoreTransaction} one @param {"deferred" | "failedOnce"} state */
async function mark(context, one, state) {
  const kept = await context.records.read();
  const fitting = Object.entries(kept.orders).filter(([, record]) => isAbout(record, one));
  if (fitting.length !== 1 || fitting[0][1].state === state) return;
  const [key] = fitting[0];
  const record = await changeOrder(context, key, (changed) => { changed.state = state; });
  if (state === "deferred" && record && record.user === context.user) {
    await tellApprovalPending(context, key, record, record.user);
  }
}

/** @param {Context} context @param {string} key @param {import("./types").OrderRecord} record @param {string} user */
export async function tellApprovalPending(context, key, record, user) {
  const path = `/v1/orders/${record.order?.id}/approval-pending`;
  const reply = await ask(context, user, "POST", path, { body: {} });
  if (reply.kind === "answered") await changeOrder(context, key, (changed) => { changed.approvalTold = true; });
}

/**
 * Evidence is in the vault before it is sent, and what is known is not replaced.
 *
 * @param {Context} context
 * @param {StoreTransaction} one
 * @param {string | null} sameRun
 */
async function keep(context, one, sameRun) {
  const id = /** @type {string} */ (one.transactionId);
  await context.records.change((kept) => {
    if (kept.evidence[id] || Object.keys(kept.evidence).length >= EVIDENCE_MAX) return;
    const records = Object.values(kept.orders);
    // A charge without a token beside a sheet that did not fail belongs to an earlier purchase.
    const hasFailed = records.some((record) => record.order?.id === sameRun && record.state === "failedOnce");
    const isOfThisRun = sameRun !== null && (one.token ? one.token.toLowerCase() === sameRun : hasFailed);
    kept.evidence[id] = {
      transactionId: id, productId: one.productId, quantity: one.quantity, token: one.token ?? null,
      purchaseDate: one.purchaseDate, evidence: /** @type {string} */ (one.evidence),
      ours: records.find((record) => isAbout(record, one))?.productId ?? null,
      sameRun: isOfThisRun ? sameRun : null, verdict: null,
    };
  });
}

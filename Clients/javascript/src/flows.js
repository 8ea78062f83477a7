import { PurchasingError, explanation } from "./errors.js";
import { lookLater } from "./wechat.js";

/** @typedef {import("./types").Context} Context */
/** @typedef {import("./types").Flow} Flow */
/** @typedef {import("../index").PurchaseOutcome} PurchaseOutcome */

/**
 * A purchase that is under way. Only its first result counts.
 *
 * @param {Context} context
 * @param {string} user
 * @param {import("./types").OrderRequest} body
 * @param {import("../index").Store} store
 * @returns {Flow}
 */
export function addFlow(context, user, body, store) {
  /** @type {(outcome: PurchaseOutcome) => void} */
  let resolve = () => {};
  /** @type {(error: unknown) => void} */
  let reject = () => {};
  /** @type {Promise<PurchaseOutcome>} */
  const promise = new Promise((fulfil, refuse) => { [resolve, reject] = [fulfil, refuse]; });
  /** @type {Flow} */
  const flow = {
    user, body, store, promise, key: null, order: null, isPaying: false, isDecided: false, isBack: false, code: null,
    wake: () => {}, release: () => {},
    decide(result) {
      if (flow.isDecided) return;
      flow.isDecided = true;
      context.flows.delete(flow); // whoever has a result may tap again at once
      flow.release();
      flow.wake();
      if (result instanceof PurchasingError) reject(result); else resolve(result);
    },
  };
  context.flows.add(flow);
  return flow;
}

/**
 * Runs a flow to its end, within the time that a caller waits.
 *
 * @param {Context} context
 * @param {Flow} flow
 * @param {() => Promise<void>} work
 */
export function runFlow(context, flow, work) {
  const failed = (/** @type {unknown} */ error) => flow.decide(
    error instanceof PurchasingError ? error : new PurchasingError("client_store_failed", explanation(error)));
  context.inBackground(async () => {
    await context.dependencies.within(context.policies.purchaseLimit, work().catch(failed));
    endFlow(flow);
    if (flow.store.name === "weChatPay" && flow.isPaying && flow.key) await lookLater(context, flow.key, flow.user);
  });
  return flow.promise;
}

/**
 * Tells the caller what is known, if nothing is decided.
 *
 * @param {Flow} flow
 * @param {PurchasingError} [error] if nothing was opened
 */
export function endFlow(flow, error) {
  const isOpen = flow.isPaying && flow.order;
  const late = () => new PurchasingError("client_server_unreachable", "The time was over before the payment.");
  flow.decide(isOpen ? { outcome: "awaitingConfirmation", order: isOpen.id } : error ?? late());
}

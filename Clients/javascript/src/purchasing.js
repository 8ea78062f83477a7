import * as appStore from "./app-store.js";
import { makeClaims } from "./claims.js";
import { standardDependencies, standardPolicies } from "./dependencies.js";
import { PurchasingError, explanation } from "./errors.js";
import { addFlow, endFlow, runFlow } from "./flows.js";
import { checkConfiguration, checkPurchase, isOrderId, isTransaction, isUser } from "./input.js";
import { messageKey } from "./message-keys.js";
import { messages } from "./messages.js";
import { storeOf } from "./orders.js";
import { recover } from "./recovery.js";
import { ask, isOrder, must } from "./server.js";
import { makeRecords } from "./vault.js";
import * as weChat from "./wechat.js";

/** @typedef {import("./types").Context} Context */
/** @typedef {import("./types").Flow} Flow */
/** @typedef {import("../index").PurchaseOutcome} PurchaseOutcome */
/** @typedef {import("../index").PurchaseEvent} PurchaseEvent */

const REASONS = ["launch", "foreground", "link", "networkBack", "userAsked", "push"];

/**
 * A client of a Counterfoil server. `start()` it once, at launch; `setUser` at each sign-in and sign-out.
 *
 * @param {import("../index").Configuration} given
 * @returns {import("../index").Purchasing}
 */
export function createPurchasing(given) {
  checkConfiguration(given);
  const configuration = { ...given, stores: [...given.stores] };
  const policies = { ...standardPolicies, ...given.policies };
  const dependencies = { ...standardDependencies, ...given.dependencies };
  /** @type {Set<(event: PurchaseEvent) => void>} */
  const listeners = new Set();
  /** @type {Set<Promise<unknown>>} */
  const tasks = new Set();
  /** @type {Promise<void> | null} */
  let recovering = null;
  let isAskedAgain = false;

  /** @type {Context} */
  const context = {
    configuration, policies, dependencies, records: makeRecords(given.vault, dependencies, policies.storeLimit),
    claims: makeClaims(), flows: new Set(), user: null, isRunning: false, ended: new Map(), judged: new Map(),
    submissions: new Map(), isLaunching: false,
    emit(event) {
      for (const listener of [...listeners]) {
        try {
          listener(event);
        } catch (error) {
          // A page's own error must not stop a purchase, and must not vanish.
          dependencies.sleep(0).then(() => { throw error; });
        }
      }
    },
    inBackground(work) {
      const task = Promise.resolve().then(work)
        .catch((error) => context.emit({ event: "workFailed", details: explanation(error) }))
        .finally(() => tasks.delete(task));
      tasks.add(task);
    },
  };

  const checkRunning = () => {
    if (!context.isRunning) throw new PurchasingError("client_not_running", "Call start() first.");
  };

  const signedIn = () => {
    checkRunning();
    if (context.user === null) throw new PurchasingError("client_not_signed_in", "Call setUser(user) first.");
    return context.user;
  };

  /**
   * One recovery at a time; who asks during one gets another after it.
   *
   * @returns {Promise<void>}
   */
  function recoverOnce() {
    if (recovering) {
      isAskedAgain = true;
      return recovering;
    }
    recovering = (async () => {
      do {
        isAskedAgain = false;
        await recover(context);
      } while (isAskedAgain && context.isRunning);
    })().finally(() => { recovering = null; });
    return recovering;
  }

  /**
   * @param {string} path @param {string} list
   * @param {string} [further] a list that an answer may have beside it
   */
  async function readList(path, list, further) {
    const user = signedIn();
    const answer = must(await ask(context, user, "GET", path));
    if (context.user !== user) throw new PurchasingError("client_user_differs", "Another user signed in meanwhile.");
    const more = further && Array.isArray(answer[further]) ? answer[further] : [];
    if (Array.isArray(answer[list])) return [...answer[list], ...more];
    throw new PurchasingError("client_server_unreachable", `The answer has no ${list}.`);
  }

  return {
    async start() {
      if (context.isRunning) return;
      context.isRunning = true;
      context.isLaunching = true;
      try {
        await recoverOnce();
      } finally {
        context.isLaunching = false;
      }
    },

    async stop() {
      context.isRunning = false;
      for (const flow of [...context.flows]) endFlow(flow, new PurchasingError("client_purchase_abandoned"));
    },

    async setUser(user) {
      if (user !== null && !isUser(user)) {
        throw new PurchasingError("client_request_invalid", "A user is a text of 1 to 255 bytes, or null.");
      }
      if (context.user === user) return;
      context.user = user;
      // A sheet of the user before may still be paid: their order stays, and is asked about when they are back.
      for (const flow of [...context.flows]) if (flow.isPaying && flow.user !== user) endFlow(flow);
      if (context.isRunning) await recoverOnce();
    },

    async purchase(product, details = {}) {
      checkPurchase(product, details);
      const user = signedIn();
      const { quantity = 1, store: name, ...more } = details;
      const store = configuration.stores.find((one) => name === undefined || one.name === name);
      if (!store) throw new PurchasingError(name === "weChatPay" ? "client_wechat_absent" : "client_store_unavailable");
      const asWeChat = store.name === "weChatPay" ? { tradeType: store.tradeType } : {};
      const body = JSON.parse(JSON.stringify(
        { productId: product, quantity, store: store.name, platform: store.platform, ...asWeChat, ...more }));
      if (body.tradeType === "JSAPI" && body.openId === undefined) {
        throw new PurchasingError("client_request_invalid", "JSAPI needs the payer's openId.");
      }
      // No await between this check and the entry: two taps are two calls.
      for (const flow of context.flows) {
        if (flow.user !== user || flow.body.productId !== product) continue;
        if (JSON.stringify(flow.body) === JSON.stringify(body)) return flow.promise;
        throw new PurchasingError("client_purchase_in_progress");
      }
      const flow = addFlow(context, user, body, store);
      return runFlow(context, flow, async () => {
        const known = store.name === "weChatPay"
          ? await weChat.prepare(context, flow, store) : await appStore.prepare(context, flow, store);
        if (known) return flow.decide(known);
        const order = /** @type {import("../index").Order} */ (flow.order);
        context.emit({ event: "orderOpen", order: order.id, productId: order.productId, quantity: order.quantity });
        await (store.name === "weChatPay" ? weChat.pay(context, flow, store) : appStore.pay(context, flow, store));
      });
    },

    async purchaseResult(id) {
      if (id !== undefined && !isOrderId(id)) {
        throw new PurchasingError("client_request_invalid", "An order is named by its id.");
      }
      const user = signedIn();
      const store = configuration.stores.find((one) => one.name === "weChatPay");
      if (store?.name !== "weChatPay") throw new PurchasingError("client_wechat_absent");
      const open = Object.entries((await context.records.read()).orders).filter(([, record]) =>
        record.user === user && storeOf(record) === "weChatPay" && record.order !== null && record.state !== "created");
      const named = id?.toLowerCase();
      const found = named ? open.find(([, record]) => record.order?.id === named) : open[open.length - 1];
      let order = found?.[1].order ?? null;
      if (!order && named) {
        order = must(await ask(context, user, "GET", `/v1/orders/${named}`));
        if (!isOrder(order)) throw new PurchasingError("client_order_differs");
      }
      if (!order) return null;
      const { productId, quantity } = order;
      const running = [...context.flows].find((flow) => flow.order?.id === order?.id);
      if (running) return running.promise;
      const flow = addFlow(context, user, { productId, quantity, store: "weChatPay" }, store);
      Object.assign(flow, { order, key: found?.[0] ?? null, isPaying: true, isBack: true });
      return runFlow(context, flow, () => weChat.pollUntilDecided(context, flow, store));
    },

    async foreground() {
      checkRunning();
      for (const flow of context.flows) {
        if (flow.store.name === "weChatPay") weChat.customerIsBack(flow);
      }
      await recoverOnce();
      // What the queue showed has decided these: their sheet says no more.
      for (const flow of context.flows) {
        if (flow.store.name === "appStore" && context.ended.has(flow.order?.id ?? "")) flow.wake();
      }
    },

    async recover(reason = "userAsked") {
      checkRunning();
      if (!REASONS.includes(reason)) throw new PurchasingError("client_request_invalid", "There is no such reason.");
      if (reason === "foreground" || reason === "link") return this.foreground();
      await recoverOnce();
    },

    async received(transaction) {
      checkRunning();
      if (!isTransaction(transaction)) {
        throw new PurchasingError("client_request_invalid", "That is no transaction.");
      }
      await context.records.read();
      const open = [...context.flows].find((flow) => flow.store.name === "appStore" && flow.isPaying);
      await appStore.receive(context, transaction, open?.order?.id ?? null);
    },

    async openOrders() {
      const user = signedIn();
      const kept = await context.records.read();
      return Object.values(kept.orders).filter((record) => record.user === user && record.order !== null)
        .map((record) => ({
          order: /** @type {import("../index").Order} */ (record.order).id, store: storeOf(record),
          productId: record.productId, quantity: record.quantity, phase: record.state,
        }));
    },

    products: () => readList("/v1/products", "products"),
    entitlements: () => readList("/v1/entitlements", "entitlements", "promotional"),
    balances: () => readList("/v1/balances", "balances"),

    message(about, language = configuration.language ?? "en") {
      const key = messageKey(about);
      if (!key || (language !== "en" && language !== "zh")) {
        throw new PurchasingError("client_request_invalid", "Hand in an outcome, an event or a PurchasingError.");
      }
      return configuration.messages?.[key]?.[language] ?? messages[key][language];
    },

    listen(listener) {
      if (typeof listener !== "function") {
        throw new PurchasingError("client_request_invalid", "A listener is a function.");
      }
      listeners.add(listener);
      return () => { listeners.delete(listener); };
    },

    async whenIdle() {
      while (tasks.size > 0 || recovering) await Promise.allSettled([...tasks, recovering]);
    },
  };
}

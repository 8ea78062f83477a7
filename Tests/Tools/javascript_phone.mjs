// A phone for tests, between the app and the simulated App Store: payment sheet, and a queue that survives a kill of
// the app. The same phone as http_phone.py has.
import { randomUUID } from "node:crypto";

import { BUNDLE } from "./javascript_world.mjs";

export class Phone {
  constructor(shop, account) {
    Object.assign(this, {
      shop, account, device: randomUUID(), plans: [], entries: [], told: [], hidden: new Set(), chargesToCome: [],
      finishesThatDoNotStick: 0, tokensAreLost: false, nextHandle: 0, sheets: 0, afterPaying: () => {},
    });
  }

  async charge(productId, quantity, appAccountToken) {
    const body = { account: this.account, bundleId: BUNDLE, productId, quantity, deviceVerificationId: this.device };
    if (appAccountToken) body.appAccountToken = appAccountToken;
    return this.entry(await this.shop.control("POST", "/purchases", body));
  }

  entry({ transaction, signedTransaction }) {
    const { transactionId, productId, quantity, purchaseDate, appAccountToken } = transaction;
    const token = this.tokensAreLost ? null : appAccountToken ?? null;
    return { state: "purchased", transactionId, productId, quantity, purchaseDate, token, evidence: signedTransaction };
  }

  put(state, productId, quantity, token, more = {}) {
    this.nextHandle += 1;
    const entry = { state, handle: this.nextHandle, productId, quantity, token, ...more };
    this.entries.push(entry);
    return entry;
  }

  /** The sheet opens, and the customer types the password unless the plan differs. */
  async pay(productId, quantity, token) {
    this.sheets += 1;
    const plan = this.plans.shift() ?? "normal";
    const tell = (...entries) => this.told.push(...entries);
    switch (plan) {
      case "normal": tell(await this.charge(productId, quantity, token)); break;
      case "toldTwice": {
        const entry = await this.charge(productId, quantity, token);
        tell(entry, { ...entry });
        break;
      }
      case "callbackLost": await this.charge(productId, quantity, token); break;
      case "tokenLost": tell(await this.charge(productId, quantity, null)); break;
      case "cancelled": tell(this.put("failed", productId, quantity, token, { isCancelled: true })); break;
      case "killedAfterPassword": this.chargesToCome.push([productId, quantity, token]); break;
      case "failedThoughCharged":
        this.hidden.add((await this.charge(productId, quantity, token)).transactionId);
        tell(this.put("failed", productId, quantity, token));
        break;
      case "interrupted":
        // The first entry fails; the customer accepts the new terms, and a second purchase has no token.
        tell(this.put("failed", productId, quantity, token), await this.charge(productId, quantity, null));
        break;
      case "interruptedForLater":
        tell(this.put("failed", productId, quantity, token));
        this.chargesToCome.push([productId, quantity, null]);
        break;
      case "askToBuy": tell(this.put("deferred", productId, quantity, token)); break;
      default: throw new Error(plan);
    }
    this.afterPaying();
    return this.told.splice(0);
  }

  async unfinished() {
    const query = `account=${this.account}&bundleId=${BUNDLE}&deviceVerificationId=${this.device}`;
    const { transactions } = await this.shop.control("GET", `/unfinished?${query}`);
    const shown = transactions.map((one) => this.entry(one)).filter((one) => !this.hidden.has(one.transactionId));
    return [...this.entries.map((one) => (this.tokensAreLost ? { ...one, token: null } : { ...one })), ...shown];
  }

  async finish(entry) {
    const isMine = (one) => (one.handle ?? one.transactionId) === (entry.handle ?? entry.transactionId);
    if (this.entries.some(isMine)) {
      this.entries = this.entries.filter((one) => !isMine(one));
    } else if (this.finishesThatDoNotStick > 0) {
      this.finishesThatDoNotStick -= 1;
    } else {
      await this.shop.control("POST", `/transactions/${entry.transactionId}/finish`,
        { account: this.account, bundleId: BUNDLE });
    }
  }

  /** The app is started again: callbacks of the last run are lost, and pending charges are made. */
  async relaunch() {
    Object.assign(this, { told: [], hidden: new Set(), tokensAreLost: true });
    for (const charge of this.chargesToCome.splice(0)) await this.charge(...charge);
  }

  async decideAskToBuy(isApproved) {
    const deferred = this.entries.filter((one) => one.state === "deferred");
    this.entries = this.entries.filter((one) => one.state !== "deferred");
    for (const { productId, quantity, token } of isApproved ? deferred : []) {
      await this.charge(productId, quantity, token);
    }
  }

  async charges() {
    const path = `/transactions?account=${this.account}&bundleId=${BUNDLE}&limit=500`;
    return (await this.shop.control("GET", path)).transactions.filter((one) => one.isCharge);
  }
}

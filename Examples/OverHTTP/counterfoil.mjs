// Counterfoil over HTTP alone, for JavaScript: web pages, mini programs, apps in a web view, React Native.
//
// Runs in our tests under Node.js, against the server and the simulated App Store. Needs nothing but `fetch`, or what
// you hand in instead of it. Copy the file and change what you like. The page docs/http-alone.md says why it is so.
//
//   const shop = new Counterfoil({ server, credential, user, vault, store });
//   await shop.start();                                  // once, at launch, after sign-in: completes what is open
//   const outcome = await shop.purchase("coins.100");    // "bought", "closed" (unpaid), "failedOnce", "deferred", …
//   document.addEventListener("visibilitychange", () => { if (!document.hidden) shop.foreground(); });
//
// `store` is the payment on this device:
//   pay(order)       opens the sheet; resolves with the transactions that the store reports, perhaps none; may throw
//   unfinished()     resolves with all transactions that the store has not closed; none where it has no such queue
//   finish(one)      closes a transaction at the store
//   name             "appStore" or "weChatPay"
// A transaction: { state: "purchased" | "failed" | "deferred", transactionId, productId, quantity, token, evidence };
// `evidence` is Apple's signed transaction. At WeChat Pay there is none: there the server asks WeChat itself.

const PAUSES = [10, 30, 120]; // seconds between questions for a verdict
const SILENCE = 30; // seconds after which the callback counts as lost
const REQUEST_LIMIT = 10; // seconds

export class Counterfoil {
  #kept = { version: 1, orders: {}, evidence: {}, usersKnown: [] };
  #settings;
  #submissions = new Map(); // transaction id: the submission that is under way
  #asked = new Set(); // what this run has handed in
  #opening = new Set(); // orders whose sheet is about to open: nobody may close them
  #ended = new Map(); // idempotency key: what the server said when the record ended, "paid" or "closed"
  #writing = Promise.resolve();

  // server: address of Counterfoil, or of your own gateway. credential: a function that resolves with a user token (or
  // with your own session, if your gateway adds the secret key). user: whose it is.
  constructor({ server, credential, user, vault, store, deviceId, ...doors }) {
    const standard = { request: requestByFetch, sleep: sleepFor, newKey: () => crypto.randomUUID() };
    this.#settings = { server, credential, user, vault, store, deviceId, ...standard, ...doors };
  }

  // Launch: reads the vault and completes what an earlier run left open.
  async start() {
    const text = await this.#settings.vault.read();
    if (text) this.#kept = JSON.parse(text); // a vault that cannot be read starts no payment: the error is yours
    await this.recover();
  }

  // Back in the foreground, or after a push: the callback may have been lost while another app was open.
  async foreground() {
    await this.#look();
    await this.#askAboutOrders();
  }

  get openOrders() {
    return Object.values(this.#kept.orders).filter((record) => record.user === this.#settings.user);
  }

  async purchase(productId, quantity = 1) {
    await this.recover(); // what is unfinished first: it must not be taken for the new order
    const earlier = Object.values(this.#kept.evidence).some((one) => one.verdict === null && one.ours === productId);
    if (earlier) return "earlierPurchaseOpen";
    const key = this.#settings.newKey();
    const record = { user: this.#settings.user, productId, quantity, state: "requested", order: null };
    this.#kept.orders[key] = record;
    await this.#write(); // before the request: a lost answer must not lose the order
    this.#opening.add(key);
    const isMade = await this.#makeOrder(key).finally(() => this.#opening.delete(key));
    if (!isMade) return "noOrder";
    record.state = "paying";
    await this.#write(); // before the sheet: a charge must never be without its order
    await this.#pay(record);
    if (this.#kept.orders[key] && record.state === "paying") {
      await this.#look();
      await this.#askAbout(key, 20); // WeChat Pay: the server asks WeChat, and waits a little
    }
    // A record that is gone is not a record that is paid: the server's word decides.
    if (!this.#kept.orders[key]) return this.#ended.get(key) === "paid" ? "bought" : "closed";
    return record.state === "paying" ? "awaitingConfirmation" : record.state;
  }

  async #pay(record) {
    const { store, sleep } = this.#settings;
    let transactions = null;
    try {
      transactions = await Promise.race([store.pay(record.order), sleep(SILENCE)]);
    } catch (error) {
      record.state = "failedOnce"; // never final: a charge may follow, so the order stays
      await this.#write();
      await this.#look();
    }
    for (const one of transactions ?? []) await this.received(one);
  }

  // Hand in every transaction that the store reports at any other time.
  async received(one) {
    if (one.state === "deferred") {
      await this.#mark(one, "deferred");
    } else if (one.state === "failed") {
      await this.#mark(one, "failedOnce");
      await this.#settings.store.finish(one); // there is no charge in it
    } else if (one.state === "purchased") {
      if (!this.#kept.evidence[one.transactionId]) {
        this.#kept.evidence[one.transactionId] = { ...one, ours: this.#ours(one), verdict: null };
        // Before it is sent. If that fails it is sent all the same: money was paid, and the store still holds it.
        await this.#write().catch(() => {});
      }
      await this.#submitOnce(one.transactionId, one);
    }
  }

  // Completes what is open, from vault, store and server. Safe at any time, as often as you like.
  async recover() {
    await this.#adoptOpenOrders();
    for (const [key, record] of Object.entries(this.#kept.orders)) {
      if (record.user === this.#settings.user && record.state === "requested") await this.#makeOrder(key);
    }
    await this.#look();
    for (const id of Object.keys(this.#kept.evidence)) {
      if (!this.#asked.has(id)) await this.#submitOnce(id, null); // the store no longer shows it
    }
    await this.#askAboutOrders();
  }

  // MARK: orders

  async #makeOrder(key) {
    const record = this.#kept.orders[key];
    const body = { productId: record.productId, quantity: record.quantity, store: this.#settings.store.name };
    for (const pause of [0, 1, 3]) {
      if (pause) await this.#settings.sleep(pause);
      const { status, answer } = await this.#ask("POST", "/v1/orders", body, key);
      if (status === 200 || status === 201) {
        record.order = answer;
        record.state = "created";
        await this.#write();
        return true;
      }
      if ([400, 404, 409, 422].includes(status)) {
        delete this.#kept.orders[key]; // the server refused to make it: there is none
        await this.#write();
        return false;
      }
    }
    return false; // nobody knows; the next launch asks again under the same key
  }

  // A new device, or storage that was cleared: the server's list stands in for the vault.
  async #adoptOpenOrders() {
    const user = this.#settings.user;
    if (this.#kept.usersKnown.includes(user)) return;
    const { status, answer } = await this.#ask("GET", "/v1/orders?open=true&limit=100");
    if (status !== 200) return;
    const known = new Set(Object.values(this.#kept.orders).map((record) => record.order?.id));
    for (const order of answer.orders.filter((one) => !known.has(one.id))) {
      const { id, productId, quantity } = order;
      this.#kept.orders[id] = { user, productId, quantity, state: "paying", order };
    }
    this.#kept.usersKnown.push(user);
    await this.#write();
  }

  async #askAboutOrders() {
    for (const key of Object.keys(this.#kept.orders)) await this.#askAbout(key, 0);
  }

  async #askAbout(key, wait) {
    const record = this.#kept.orders[key];
    if (record?.user !== this.#settings.user || !record.order) return;
    const path = `/v1/orders/${record.order.id}`;
    if (this.#opening.has(key)) return; // its sheet is about to open
    const isUnused = record.state === "created"; // its sheet never opened
    const { status, answer } = isUnused
      ? await this.#ask("POST", `${path}/close`, {})
      : await this.#ask("GET", wait ? `${path}?wait=${wait}` : path, undefined, undefined, wait);
    if (status !== 200) return;
    if (answer.state === "paid" || (answer.state === "closed" && !(await this.#mayStillBePaid(record)))) {
      this.#ended.set(key, answer.state);
      delete this.#kept.orders[key];
      await this.#write();
    } else if (record.state === "deferred") {
      await this.#ask("POST", `${path}/approval-pending`, {});
    }
  }

  async #mayStillBePaid(record) {
    const open = [...(await this.#settings.store.unfinished()), ...Object.values(this.#kept.evidence)];
    return open.some((one) => this.#kept.evidence[one.transactionId]?.verdict !== "refused" && isAbout(record, one));
  }

  // MARK: transactions

  async #look() {
    for (const one of await this.#settings.store.unfinished()) await this.received(one);
  }

  async #mark(one, state) {
    const fitting = Object.values(this.#kept.orders).filter((record) => isAbout(record, one));
    if (fitting.length !== 1) return;
    fitting[0].state = state;
    await this.#write();
  }

  #ours(one) {
    return Object.values(this.#kept.orders).find((record) => isAbout(record, one))?.productId ?? null;
  }

  // One submission of a transaction at a time: whoever comes second waits for the first.
  #submitOnce(id, one) {
    if (!this.#submissions.has(id)) {
      this.#submissions.set(id, this.#submit(id, one).finally(() => this.#submissions.delete(id)));
    }
    return this.#submissions.get(id);
  }

  async #submit(id, one) {
    const kept = this.#kept.evidence[id];
    if (!kept || (this.#asked.has(id) && kept.verdict !== null)) return; // set aside until the next launch
    this.#asked.add(id);
    const payment = await this.#verdict(id, kept);
    if (!payment) return; // nobody knows: everything is kept, the next launch or purchase asks again
    if (!payment.finish) {
      kept.verdict = payment.verdict;
      await this.#write();
      return;
    }
    if (one) {
      await this.#settings.store.finish(one); // on the server's word alone
      await this.#ask("POST", "/v1/payments/app-store/finished", { transactionIds: [id] });
    }
    delete this.#kept.evidence[id];
    for (const [key, record] of Object.entries(this.#kept.orders)) {
      if (payment.verdict !== "fulfilled" || record.order?.id !== payment.orderId) continue;
      this.#ended.set(key, "paid");
      delete this.#kept.orders[key];
    }
    await this.#write();
  }

  async #verdict(id, kept) {
    const fitting = Object.values(this.#kept.orders).filter((record) => isAbout(record, kept));
    const body = {
      evidence: kept.evidence, transactionId: id, orderIds: fitting.map((record) => record.order.id),
      deviceVerificationId: this.#settings.deviceId,
    };
    for (const pause of [0, ...PAUSES]) {
      if (pause) await this.#settings.sleep(pause);
      const { status, answer } = await this.#ask("POST", "/v1/payments/app-store", body);
      if (status !== 200) continue; // a problem is no verdict: nothing is finished
      const payment = answer.payments.find((one) => one.transactionId === id);
      if (payment && payment.verdict !== "pending") return payment;
    }
    return null;
  }

  // MARK: doors

  async #ask(method, path, body, key, wait = 0) {
    const { server, credential, request } = this.#settings;
    try {
      const headers = { Authorization: `Bearer ${await credential()}` };
      if (body) headers["Content-Type"] = "application/json";
      if (key) headers["Idempotency-Key"] = key;
      const { status, text } =
        await request(method, server + path, headers, body && JSON.stringify(body), REQUEST_LIMIT + wait);
      return { status, answer: text ? JSON.parse(text) : null };
    } catch (error) {
      return { status: 0, answer: null }; // no answer: whether it was done, nobody knows
    }
  }

  #write() {
    const text = JSON.stringify(this.#kept);
    return (this.#writing = this.#writing.catch(() => {}).then(() => this.#settings.vault.write(text)));
  }
}

// Whether a transaction could be the payment of an order. The server decides; this only gathers candidates.
function isAbout(record, one) {
  if (!record.order || record.state === "created") return false;
  if (one.token) return one.token === record.order.id;
  return one.productId === record.order.appStore?.productId && one.quantity === record.quantity;
}

async function requestByFetch(method, url, headers, body, seconds) {
  const response = await fetch(url, { method, headers, body, signal: AbortSignal.timeout(seconds * 1000) });
  return { status: response.status, text: await response.text() };
}

function sleepFor(seconds) {
  return new Promise((resolve) => setTimeout(() => resolve(null), seconds * 1000));
}

// A vault in a browser. What a browser stores can be cleared: then the server's open orders stand in.
export function localStorageVault(name = "counterfoil") {
  return { read: () => localStorage.getItem(name), write: (text) => localStorage.setItem(name, text) };
}

// In a mini program: hand in `wxRequest(wx)` as request, `wxVault(wx)` as vault, and a `newKey` that makes random texts.
export function wxRequest(wx) {
  return (method, url, header, data, seconds) =>
    new Promise((resolve, reject) => {
      const success = (answer) => resolve({ status: answer.statusCode, text: answer.data });
      wx.request({ method, url, header, data, timeout: seconds * 1000, dataType: "text", success, fail: reject });
    });
}

export function wxVault(wx, name = "counterfoil") {
  return { read: () => wx.getStorageSync(name) || null, write: (text) => wx.setStorageSync(name, text) };
}

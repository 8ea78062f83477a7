// Purchases at WeChat Pay, by every way to pay. Each entry: what it proves, the ways that it exists for, its steps, and
// the pieces that each user is owed if nothing kills the app.
import { COINS, pause } from "./javascript_world.mjs";
import { WAYS, detailsOf, weChatStore } from "./javascript_payer.mjs";
import { scenes } from "./javascript_scenes.mjs";

const IN_PLACE = ["APP", "JSAPI", "mini program"]; // the cashier comes back to the same page
const WORDS = ["fulfilled", "cancelled", "awaitingConfirmation", "client_wechat_failed"];
const PAYS = { action: "pay", tells: true };

/** Starts the app with that user signed in; it completes what is open, unless it does not start. */
export async function open(world, user, { starts = true, breaks = 0, ...options } = {}) {
  world.isBehindGateway = world.way === "H5"; // the server refuses the address of this machine as a payer's
  const { purchasing, process } = world.client((mine) => [weChatStore(world, mine, world.way)],
    { sleep: (seconds) => pause(seconds * world.scale), ...options });
  world.purchasing = purchasing;
  world.process = process;
  process.brokenRequests = breaks;
  await process.run(purchasing.setUser(world.full(user)));
  if (starts && !process.isDead) await process.run(purchasing.start());
  return purchasing;
}

/** Buys, and says what came of it: an outcome's word, or an error's code. */
async function buy(world, user, plans, { quantity = 1, ...options } = {}) {
  world.plans = [...plans];
  const purchasing = await open(world, user, options);
  return said(world, await tap(world, purchasing, user, quantity));
}

async function tap(world, purchasing, user, quantity = 1) {
  const details = { quantity, ...detailsOf(world.way) };
  world.returnedTo = null;
  const bought = purchasing.purchase(COINS, details).catch((error) => error);
  if (world.way !== "H5") return world.process.run(bought);
  // The page leaves for WeChat's, and another one opens when WeChat returns to it.
  const visits = world.visits.length;
  const left = (async () => {
    while (world.visits.length === visits && !world.process.isDead) await pause(0.01);
    return "left";
  })();
  const first = await world.process.run(Promise.race([bought, left]));
  if (first !== "left") return first;
  const order = new URL(world.returnedTo).searchParams.get("order");
  world.process.die();
  const next = await open(world, user);
  return world.process.run(next.purchaseResult(order).catch((error) => error));
}

/** The word for a result. Whatever says "fulfilled" must be true at that moment. */
async function said(world, result) {
  if (result === undefined) return "killed";
  const word = result?.code ?? result?.outcome ?? String(result);
  if (word === "fulfilled") {
    const [order] = (await world.shop.orders(world.full("anna"))).concat(await world.shop.orders(world.full("bert")))
      .filter((one) => one.id === result.order);
    world.expect(order?.state === "paid", `said bought, and the order is ${order?.state}`);
  }
  // After a kill the order before may be closing still: WeChat Pay is asked about it at most once in two seconds.
  const mayBeUndecided = (world.killedAt !== null || world.tapsAgain) && word === "client_earlier_purchase_undecided";
  if (!mayBeUndecided && ![...WORDS, "killed"].includes(word)) {
    world.expect(false, `said ${word}: ${result?.message ?? ""}`);
  }
  return word;
}

const expects = (...words) => async (world, got) => {
  if (world.killedAt === null) world.expect(words.includes(got), `said ${got} in place of ${words}`);
};

/**
 * What a tap ends with, once the purchase before it is decided. The server asks WeChat Pay about an order at most once
 * within two seconds, and its own look at open orders may have been the one.
 */
async function decided(world, tap) {
  let got;
  world.tapsAgain = true;
  for (let taps = 0; taps < 5; taps += 1) {
    await pause(2.2);
    got = await tap();
    if (got !== "client_earlier_purchase_undecided") break;
  }
  world.tapsAgain = false;
  return got;
}

/** One visit, and what must be said then. */
const once = (plan, ...words) => [async (world) => expects(...words)(world, await buy(world, "anna", [plan]))];

/** A visit that ends without payment, and a second tap that pays the same order. */
const twice = (plan, word, options = {}) => [
  async (world) => expects(word)(world, await buy(world, "anna", [plan], options)),
  async (world) => expects("fulfilled")(world, await buy(world, "anna", [PAYS])),
  async (world) => {
    const orders = await world.shop.orders(world.full("anna"));
    if (world.killedAt === null) world.expect(orders.length === 1, `${orders.length} orders for one purchase`);
  },
];

const UNPAID = "awaitingConfirmation";

/** The eight lost callbacks (client.md 1A.15). */
export const LOST = {
  "1: closed with the back key": ["1A.15.1", [...IN_PLACE, "H5"], once({ action: "leave", returns: true }, UNPAID), {}],
  "2: back from the password box": [
    "1A.15.2", [...IN_PLACE, "H5"], once({ action: "leave", returns: true, meanwhile: () => pause(0.3) }, UNPAID), {}],
  "3: home screen, then the app, then paid": [
    "1A.15.3", [...IN_PLACE, "H5"], twice({ action: "leave", returns: true }, UNPAID), { anna: 1 }],
  "4: locked and unlocked, paid later in the open sheet": ["1A.15.4", IN_PLACE, [async (world) => {
    let known;
    const isKnown = new Promise((resolve) => { known = resolve; });
    const meanwhile = async () => {
      world.purchasing.foreground();
      await isKnown; // the customer was told, and the sheet is still there
    };
    const result = buy(world, "anna", [{ action: "pay", meanwhile }]);
    expects(UNPAID)(world, await result);
    known();
    await pause(0.2);
  }], { anna: 1 }],
  "5: the notification shade, nothing is told to the app": [
    "1A.15.5", IN_PLACE, once({ ...PAYS, meanwhile: () => pause(0.5) }, "fulfilled"), { anna: 1 }],
  "6: paid, and left without the button": [
    "1A.15.6", [...IN_PLACE, "H5"], once({ action: "payAndLeave", returns: true }, "fulfilled"), { anna: 1 }],
  "7: WeChat was logged out, back in the middle of the login": [
    "1A.15.7", [...IN_PLACE, "H5"],
    twice({ action: "leave", returns: true, meanwhile: () => pause(0.2) }, UNPAID), { anna: 1 }],
  "8: two copies of WeChat, the chooser is cancelled": [
    "1A.15.8", IN_PLACE, twice({ action: "leave" }, UNPAID, { policies: { purchaseLimit: 3 } }), { anna: 1 }],
};

/** What WeChat says is never final (1A.11, 1A.12, X20). */
export const LIES = {
  "-1 although paid": ["1A.11 X20", IN_PLACE, once({ action: "payAndLeave", lies: -1 }, "fulfilled"), { anna: 1 }],
  "-2 although paid": ["1A.11 X20", [...IN_PLACE, "NATIVE"], once({ action: "payAndLeave", lies: -2 }, "fulfilled"),
    { anna: 1 }],
  "0 although unpaid": ["1A.12", IN_PLACE, once({ action: "leave", lies: 0 }, UNPAID), {}],
  "-1 and unpaid": ["1A.11", IN_PLACE, once({ action: "fail", tells: true }, "client_wechat_failed"), {}],
};

/** What is also killed at every step. */
export const KILLED = {
  "paid": ["1A.3 1A.4 1A.31", WAYS, once(PAYS, "fulfilled"), { anna: 1 }],
  "paid without a callback": ["1A.14", WAYS, once({ action: "payAndLeave", returns: true }, "fulfilled"), { anna: 1 }],
  "cancelled, then paid": ["1A.11 X18", [...IN_PLACE, "NATIVE"],
    twice({ action: "cancel", tells: true }, "cancelled"), { anna: 1 }],
  "two taps": ["1A.35 1A.60 F14", [...IN_PLACE, "NATIVE"], [async (world) => {
    world.plans = [{ ...PAYS, meanwhile: () => pause(0.05) }];
    const purchasing = await open(world, "anna");
    const before = world.sheets ?? 0;
    const [first, second] = await world.process.run(
      Promise.all([tap(world, purchasing, "anna"), tap(world, purchasing, "anna")])) ?? [];
    expects("fulfilled")(world, await said(world, first));
    expects("fulfilled")(world, await said(world, second));
    if (world.killedAt === null) world.expect(world.sheets === before + 1,
      `${world.sheets - before} sheets for two taps`);
  }], { anna: 1 }],
  "another quantity": ["1A.39 X5", IN_PLACE, [
    async (world) => expects(UNPAID)(world, await buy(world, "anna", [{ action: "leave", returns: true }])),
    async (world) => expects("fulfilled")(world,
      await decided(world, () => buy(world, "anna", [PAYS], { quantity: 3 }))),
  ], { anna: 3 }],
  "another user signs in while the sheet is open": ["1A.36", [...IN_PLACE, "NATIVE"], [async (world) => {
    const meanwhile = () => world.purchasing.setUser(world.full("bert"));
    const got = await buy(world, "anna", [{ ...PAYS, meanwhile }]);
    expects(UNPAID)(world, got);
    while (world.visits.length === 0 && !world.process.isDead) await pause(0.05); // anna pays in her sheet
    if (world.process.isDead) return;
    world.plans = [PAYS];
    expects("fulfilled")(world, await said(world, await tap(world, world.purchasing, "bert")));
  }], { anna: 1, bert: 1 }],
  "answers are lost": ["1A.2 S18", WAYS, [async (world) => {
    world.answersToLose = 2;
    expects("fulfilled")(world, await buy(world, "anna", [PAYS]));
    const orders = await world.shop.orders(world.full("anna"));
    if (world.killedAt === null) world.expect(orders.length === 1, `a lost answer made ${orders.length} orders`);
  }], { anna: 1 }],
  "the storage is cleared after the payment": ["1A.30 S19", [...IN_PLACE, "NATIVE"], [
    (world) => buy(world, "anna", [{ action: "payAndLeave" }], { policies: { purchaseLimit: 2 } }),
    async (world) => { world.text = null; },
    (world) => open(world, "anna"),
  ], { anna: 1 }],
  "closed by the backend while the sheet is open": ["B9", [...IN_PLACE, "NATIVE"], [async (world) => {
    const meanwhile = async () => {
      let [order] = await world.shop.orders(world.full("anna"));
      for (; order.state === "awaitingPayment"; await pause(0.5)) {
        order = await world.shop.ask("POST", `/v1/orders/${order.id}/close`, {});
      }
    };
    const plan = { ...PAYS, meanwhile, mayBeRefused: true, returns: true };
    expects("cancelled")(world, await buy(world, "anna", [plan]));
  }], {}],
};

/** The process ends while the customer is in WeChat, where they pay. */
async function leavePaid(world) {
  const purchasing = await open(world, "anna");
  if (world.process.isDead) return;
  world.plans = [{ action: "payAndLeave", dies: true }];
  const visits = world.visits.length;
  purchasing.purchase(COINS, detailsOf(world.way)).catch(() => {});
  while (world.visits.length === visits && world.killedAt === null) await pause(0.01);
  // Beside a code the client asks all the time, and the server asks WeChat Pay at most once within two seconds.
  if (world.way === "NATIVE") await pause(2.2);
}

const QUEUE = scenes({
  open, leavePaid, sheets: (world) => world.sheets ?? 0,
  tap: async (world, purchasing) => {
    world.plans = [PAYS];
    return said(world, await tap(world, purchasing, "anna"));
  },
});

/** The six queue scenes, by every way to pay. */
export const SCENES = Object.fromEntries(
  Object.entries(QUEUE).map(([name, [cite, phases, owed]]) => [name, [cite, WAYS, phases, owed]]));

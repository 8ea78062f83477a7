// The ways in which a purchase at the App Store fails on a phone: those of http_scenarios.py. Each entry: what it
// proves, its phases, and the pieces of 100 coins that each user is owed if nothing kills the app.
import { randomUUID } from "node:crypto";

import { BUNDLE, COINS } from "./javascript_world.mjs";
import { Phone } from "./javascript_phone.mjs";
import { scenes } from "./javascript_scenes.mjs";

const SILENCE = 31; // seconds, unlike every other pause

/** Starts the app with that user signed in, or with nobody; it completes what is open, unless it does not start. */
export async function open(world, user, { starts = true, breaks = 0 } = {}) {
  await world.phone.relaunch();
  const { purchasing, process } = world.client((mine) => [{
    name: "appStore", platform: "ios", deviceVerificationId: world.phone.device,
    pay: ({ quantity, appStore }) => mine.effect("pay", () => {
      world.restedAtSheet = mine.rested;
      return world.phone.pay(appStore.productId, quantity, appStore.appAccountToken);
    }),
    unfinished: () => mine.effect("list queue", () => world.phone.unfinished()),
    finish: (entry) => mine.effect("finish", () => world.phone.finish(entry)),
  }], {
    // The sheet is never silent here; every other pause is noted and over at once.
    policies: { silenceLimit: SILENCE }, sleep: (seconds) => (seconds === SILENCE ? new Promise(() => {}) : undefined),
  });
  world.process = process;
  world.purchasing = purchasing;
  process.brokenRequests = breaks;
  await process.run(purchasing.setUser(world.full(user)));
  if (starts && !process.isDead) await process.run(purchasing.start());
  world.phone.tokensAreLost = false; // purchases of this run keep their token
  return purchasing;
}

/** The errors that a purchase may end with here: what is open is completed by the next start. */
const MAY_FAIL = ["client_store_failed", "client_earlier_purchase_undecided", "client_server_unreachable"];

export async function purchase(world, purchasing, quantity = 1) {
  if (world.process.isDead) return undefined;
  const result = await world.process.run(purchasing.purchase(COINS, { quantity }).catch((error) => error));
  if (result?.outcome === "fulfilled") {
    const orders = [...await world.shop.orders(world.full("anna")), ...await world.shop.orders(world.full("bert"))];
    const order = orders.find((one) => one.id === result.order);
    world.expect(order?.state === "paid", `said bought, and the order is ${order?.state}`);
  } else if (result instanceof Error) {
    world.expect(MAY_FAIL.includes(result.code), `${result.message}`);
  }
  const word = result?.code ?? result?.outcome;
  world.said.push(word);
  return word;
}

const buyAs = (user, quantity = 1) => async (world) => purchase(world, await open(world, user), quantity);
const buy = buyAs("anna");
const relaunch = (world) => open(world, "anna");

const planned = (...plans) => async (world) => {
  world.phone.plans = [...plans];
  await buy(world);
};

/** A purchase whose outcome must be this word if nothing killed the app. */
const saying = (word, phase) => async (world) => {
  const before = world.said.length;
  await phase(world);
  if (world.killedAt === null) world.expect(world.said[before] === word, `said ${world.said[before]}, not ${word}`);
};

async function buyWhileFinishesDoNotStick(world) {
  world.phone.finishesThatDoNotStick = 2;
  await buy(world);
}

const buyWithoutNetwork = (requests) => async (world) => {
  const purchasing = await open(world, "anna");
  world.phone.afterPaying = () => { world.process.brokenRequests = requests; };
  await purchase(world, purchasing);
  world.phone.afterPaying = () => {};
};

/** An entry that cannot be verified, one without an owner, and one of another user of this phone. */
async function crowdQueue(world) {
  const coins = `${BUNDLE}.coins100`;
  await world.phone.charge(coins, 1, null);
  const order = await world.shop.send("POST", `${world.shop.server}/v1/orders`, { productId: COINS, store: "appStore" },
    { "Authorization": `Bearer ${world.shop.token(world.full("bert"))}`, "Idempotency-Key": randomUUID() });
  await world.phone.charge(coins, 1, order.json.id);
  const real = (await world.phone.unfinished())[0];
  const [head, body] = real.evidence.split(".");
  const evidence = [head, body, "A".repeat(86)].join(".");
  world.phone.entries.push({ ...real, transactionId: `1${world.number}`, token: null, evidence });
  world.refused.add(`1${world.number}`);
}

async function removeApp(world) {
  world.text = null;
}

async function newPhone(world) {
  world.text = null;
  const old = world.phone;
  world.phone = new Phone(world.shop, world.name);
  world.phone.entries = old.entries.filter((one) => one.state === "deferred");
  world.phone.chargesToCome = old.chargesToCome;
}

async function twoTaps(world) {
  const purchasing = await open(world, "anna");
  const sheets = world.phone.sheets;
  await Promise.all([purchase(world, purchasing), purchase(world, purchasing)]);
  world.expect(world.phone.sheets <= sheets + 1, `${world.phone.sheets - sheets} sheets for two taps`);
}

const LATER = "killedAfterPassword";

const SCENES = scenes({
  open, tap: (world, purchasing) => purchase(world, purchasing), leavePaid: planned(LATER),
  sheets: (world) => world.phone.sheets,
});

export const SCENARIOS = {
  ...SCENES,
  "normal": ["1A.2 1A.23 1A.24 1A.31 1A.34 1A.62 1A.69 1A.58.5", [saying("fulfilled", buy)], { anna: 1 }],
  "two in a row": ["1A.39 1A.47", [buy, buy], { anna: 2 }],
  "two taps": ["1A.35 1A.60 F14", [twoTaps], { anna: 1 }],
  "killed after the password": ["1A.50 1A.51 1A.74", [planned(LATER), relaunch], { anna: 1 }],
  "the queue holds a purchase": ["1A.56 1A.58.6", [planned(LATER), saying("fulfilled", buy)], { anna: 2 }],
  "callback lost": ["1A.46", [saying("fulfilled", planned("callbackLost"))], { anna: 1 }],
  "told twice": ["1A.66 1A.67", [saying("fulfilled", planned("toldTwice"))], { anna: 1 }],
  "cancelled": ["1A.37 1A.71", [saying("cancelled", planned("cancelled"))], {}],
  "cancelled, then bought": ["1A.39 X5", [planned("cancelled"), buy], { anna: 1 }],
  "failed although charged": ["1A.48 1A.72 X11", [planned("failedThoughCharged"), relaunch], { anna: 1 }],
  "interrupted": ["1A.52 X11", [saying("fulfilled", planned("interrupted"))], { anna: 1 }],
  "interrupted, accepted after the relaunch": ["1A.52 1A.51", [planned("interruptedForLater"), relaunch], { anna: 1 }],
  "finish does not stick": ["1A.70 1A.67", [buyWhileFinishesDoNotStick, relaunch, relaunch], { anna: 1 }],
  "token lost": ["1A.51 X14", [planned("tokenLost")], { anna: 1 }],
  "network down for a while": ["1A.63 S18", [buyWithoutNetwork(3)], { anna: 1 }],
  "network down until the next start": ["1A.65 S18 X4 X16", [buyWithoutNetwork(1000), relaunch], { anna: 1 }],
  "user switched": ["1A.36", [planned(LATER), (world) => open(world, "bert")], { anna: 1 }],
  "user switched and token lost": ["1A.36 X14", [planned("interruptedForLater"), (world) => open(world, "bert")],
    { anna: 1 }],
  "user switched, and the next one buys": ["1A.36 1A.60", [planned(LATER), buyAs("bert")], { anna: 1, bert: 1 }],
  "reinstalled": ["S19", [planned(LATER), removeApp, relaunch], { anna: 1 }],
  "reinstalled and token lost": ["S19", [planned("interruptedForLater"), removeApp, relaunch], { anna: 1 }],
  "new phone": ["S19", [planned("callbackLost"), newPhone, relaunch], { anna: 1 }],
  "ask to buy, approved": ["1A.45 S15", [
    saying("pendingApproval", planned("askToBuy")), (world) => world.phone.decideAskToBuy(true), relaunch],
      { anna: 1 }],
  "ask to buy, approved after a reinstall": ["1A.45 S15 S19", [
    planned("askToBuy"), removeApp, (world) => world.phone.decideAskToBuy(true), relaunch], { anna: 1 }],
  "ask to buy, declined": ["1A.45 S15", [
    planned("askToBuy"), (world) => world.phone.decideAskToBuy(false), relaunch], {}],
  "interrupted six, then six": ["1A.54 1A.60", [async (world) => {
    world.phone.plans = ["interruptedForLater"];
    await buyAs("anna", 6)(world);
  }, buyAs("anna", 6)], { anna: 12 }],
  "interrupted six, then two and six": ["1A.54 1A.60", [async (world) => {
    world.phone.plans = ["interruptedForLater"];
    await buyAs("anna", 6)(world);
  }, async (world) => {
    const purchasing = await open(world, "anna");
    await purchase(world, purchasing, 2);
    await purchase(world, purchasing, 6);
  }], { anna: 14 }],
  "a crowded queue still sells": ["1A.53 1A.56 X3", [
    crowdQueue, (world) => open(world, null), saying("fulfilled", buy)], { anna: 2, bert: 1 }],
};

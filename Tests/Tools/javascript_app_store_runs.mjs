// Runs the JavaScript client through every scenario of the App Store, and kills it at each of its steps.
//
// Usage: javascript_app_store_runs.mjs SERVER_PORT SIMULATOR_PORT FOLDER GAP OUTPUT
//
// As javascript_wechat_runs.mjs.
import { writeFileSync } from "node:fs";

import { COINS_EACH, Shop, World, inParallel, pause } from "./javascript_world.mjs";
import { SCENARIOS, open } from "./javascript_app_store.mjs";
import { Phone } from "./javascript_phone.mjs";

const STEPS_MAX = 600; // far more than any scenario takes
const STARTS_MAX = 6; // what is open must be complete after so many starts
const AT_ONCE = 6;

const [serverPort, simulatorPort, folder, gap, output] = process.argv.slice(2);
const shop = new Shop(serverPort, simulatorPort, folder);
const prefix = Math.random().toString(36).slice(2, 8);
const charged = new Set();
let numbers = 0;

const openEntries = async (world) =>
  (await world.phone.unfinished()).filter((one) => !world.refused.has(one.transactionId));

async function isQuiet(world) {
  const { orders, evidence } = world.kept();
  const isRefused = (id) => world.refused.has(id);
  return Object.keys(orders).length === 0 && Object.keys(evidence).every(isRefused)
    && (await openEntries(world)).length === 0;
}

/** An operator decides the held payments: anna bought them on this phone. */
async function decideHeldOnes(world) {
  const mine = new Set((await world.phone.charges()).map((one) => one.transactionId));
  const { payments } = await shop.ask("GET", "/v1/operator/queue?limit=100", undefined, shop.keys.operator);
  for (const { transactionId, state } of payments) {
    if (!mine.has(transactionId) || state !== "held") continue;
    await shop.ask("POST", `/v1/operator/payments/${transactionId}/claim`,
      { userId: world.full("anna"), reason: "bought on that phone" }, shop.keys.operator);
  }
}

/** Each user starts the app again; the team closes unpaid orders, as time would, and the app starts again. */
async function heal(world) {
  world.process?.die();
  world.killAt = 0;
  const killedAt = world.killedAt;
  for (let starts = 0; starts < STARTS_MAX; starts += 1) {
    for (const user of ["anna", "bert"]) {
      await open(world, user);
      world.process.die();
    }
    await decideHeldOnes(world);
    if (await isQuiet(world)) break;
    await pause(0.5); // the server counts requests: pauses that are over at once use its allowance up
    for (const { state, order } of Object.values(world.kept().orders)) {
      const isShown = ["paying", "failedOnce", "deferred"].includes(state);
      if (isShown) await shop.ask("POST", `/v1/orders/${order.id}/close`, {});
    }
  }
  world.killedAt = killedAt;
}

async function run(name, [, phases, owed], killAt) {
  numbers += 1;
  const world = new World(shop, `${prefix}${numbers}`, killAt);
  Object.assign(world, { number: `${Date.now()}${numbers}`, phone: new Phone(shop, world.name), refused: new Set(),
    said: [] });
  await shop.control("PUT", `/accounts/${world.name}`, {});
  for (const phase of phases) await phase(world);
  await heal(world);
  const charges = await world.phone.charges();
  const granted = {};
  for (const user of ["anna", "bert"]) granted[user] = (await shop.balance(world.full(user))) / COINS_EACH;
  const pieces = charges.reduce((sum, one) => sum + one.quantity, 0);
  world.expect(granted.anna + granted.bert === pieces, `${pieces} pieces charged, granted ${JSON.stringify(granted)}`);
  const due = { anna: owed.anna ?? 0, bert: owed.bert ?? 0 };
  const isWhole = pieces === due.anna + due.bert;
  if (killAt === 0) world.expect(isWhole, `${pieces} pieces charged, owed ${JSON.stringify(due)}`);
  if (isWhole) world.expect(granted.anna === due.anna,
    `owed ${JSON.stringify(due)}, granted ${JSON.stringify(granted)}`);
  world.expect(pieces <= due.anna + due.bert, `charged more than once: ${pieces}`);
  world.expect(await isQuiet(world), `left open: ${JSON.stringify(world.kept().orders)}`
    + JSON.stringify((await openEntries(world)).map(({ evidence, ...one }) => one)));
  const shown = new Set((await world.phone.unfinished()).map((one) => one.transactionId));
  for (const id of world.refused) world.expect(shown.has(id), `${id} was refused, and has been finished`);
  for (const user of ["anna", "bert"]) {
    world.expect((await shop.orders(world.full(user), "&open=true")).length === 0,
      `the server waits for ever for ${user}`);
  }
  for (const event of world.events) world.expect(event.event !== "workFailed", `in the background: ${event.details}`);
  for (const one of charges) charged.add(one.transactionId);
  return { world, charges: charges.length, problems: world.problems.map((problem) => `${name}: ${problem}`) };
}

async function runAll(name, scenario, isKilled) {
  const result = { runs: 0, kills: 0, charges: 0, steps: 0, problems: [], cites: scenario[0] };
  const first = isKilled ? 1 + (name.length % gap) : 0;
  for (let killAt = first; killAt <= STEPS_MAX; killAt += Number(gap)) {
    const { world, charges, problems } = await run(name, scenario, killAt);
    result.runs += 1;
    result.charges += charges;
    result.problems.push(...problems);
    if (world.killedAt === null) return Object.assign(result, { steps: world.steps, pauses: world.slept });
    result.kills += 1;
  }
  result.problems.push(`${name} takes more than ${STEPS_MAX} steps`);
  return result;
}

const report = {};
const wrong = [];
// First with the notifications of the store, then without any: the phone alone must be enough.
for (const [title, value] of [["notified", 0], ["by phone alone", 1]]) {
  await shop.control("PUT", "/knobs/notifyNever", { value });
  await inParallel(Object.entries(SCENARIOS).map(([name, scenario]) => async () => {
    const work = runAll(name, scenario, value === 1);
    const { problems, ...result } = await work.catch((error) => ({ problems: [`${name}: ${error.stack}`] }));
    wrong.push(...problems);
    report[`${name}, ${title}`] = result;
  }), AT_ONCE);
}
const delivered = await shop.delivered();
for (const id of charged) {
  if (delivered[id] !== 1) wrong.push(`${id} was charged and delivered ${delivered[id]} times`);
}
writeFileSync(output, JSON.stringify({ scenarios: report, wrong, charged: charged.size }));
process.exit(0); // killed clients wait for ever

// Buys with the JavaScript client at the simulated WeChat Pay, by each way to pay, and kills it at each of its steps.
//
// Usage: javascript_wechat_runs.mjs SERVER_PORT SIMULATOR_PORT FOLDER GAP OUTPUT
//
// FOLDER: that of `counterfoil-lab run`. GAP: the distance between two steps that are tried. OUTPUT: JSON with the
// runs, the kills and the charges of each scenario, and `wrong`: the wrong results, in words.
import { writeFileSync } from "node:fs";

import { COINS_EACH, Shop, World, inParallel, pause } from "./javascript_world.mjs";
import { KILLED, LIES, LOST, SCENES, open } from "./javascript_wechat.mjs";

const STEPS_MAX = 400; // far more than any scenario takes
const STARTS_MAX = 8; // what is open must be complete after so many starts
const AT_ONCE = 8;
// The server asks WeChat Pay about an order at most once within two seconds: five seconds of the client must be more.
const SLOW = 0.5;
const QUICK = 0.01;

const [serverPort, simulatorPort, folder, gap, output] = process.argv.slice(2);
const shop = new Shop(serverPort, simulatorPort, folder);
const charged = new Set();
const prefix = Math.random().toString(36).slice(2, 8); // a server may have seen other runs
let numbers = 0;

/** What was paid at WeChat Pay for the orders of a user. */
async function chargesOf(user) {
  let pieces = 0;
  for (const order of await shop.orders(user)) {
    const number = order.id.replaceAll("-", "").toUpperCase();
    const found = await shop.send("GET", `${shop.simulator}/wechat-pay/orders/1900000001/${number}`);
    if (found.json?.trade_state !== "SUCCESS") continue;
    pieces += order.quantity;
    charged.add(found.json.order.transaction_id ?? found.json.order.transactionId);
  }
  return pieces;
}

/** Each user starts the app again; the team closes unpaid orders, as time would. */
async function heal(world) {
  world.process?.die();
  world.killAt = 0;
  const killedAt = world.killedAt;
  for (let starts = 0; starts < STARTS_MAX; starts += 1) {
    for (const user of ["anna", "bert"]) {
      world.plans = [];
      await open(world, user);
      await world.purchasing.stop();
      world.process.die();
    }
    const left = Object.values(world.kept().orders);
    if (left.length === 0) break;
    for (const { state, order } of left) {
      // The client itself must close what was never shown. The server may have asked WeChat Pay a moment before: then
      // it closes the order at a later start.
      const isMine = state === "created" || !order;
      if (!isMine) await shop.ask("POST", `/v1/orders/${order.id}/close`, {});
      else if (starts === STARTS_MAX - 1) world.expect(false, `an order in the state ${state} is left by every start`);
    }
    await pause(0.5);
  }
  world.killedAt = killedAt;
}

async function run(name, way, [, , phases, owed], killAt, scale) {
  numbers += 1;
  const world = new World(shop, `${prefix}-${numbers}`, killAt);
  Object.assign(world, { way, scale, visits: [], plans: [] });
  for (const phase of phases) await phase(world);
  await heal(world);
  const total = { charged: 0, granted: 0 };
  for (const user of ["anna", "bert"]) {
    const [pieces, granted] = [await chargesOf(world.full(user)), (await shop.balance(world.full(user))) / COINS_EACH];
    world.expect(pieces === granted, `${user} paid ${pieces} pieces and was granted ${granted}`);
    if (world.killedAt === null) world.expect(granted === (owed[user] ?? 0),
      `${user} is owed ${owed[user]}: ${granted}`);
    world.expect(granted <= (owed[user] ?? 0), `${user} paid more than once: ${granted}`);
    const open = await shop.orders(world.full(user), "&open=true");
    world.expect(open.length === 0, `the server waits for ever for ${open.length} orders`);
    total.charged += pieces;
  }
  world.expect(Object.keys(world.kept().orders).length === 0, "the vault still holds orders");
  for (const event of world.events) world.expect(event.event !== "workFailed", `in the background: ${event.details}`);
  return { world, charged: total.charged, problems: world.problems.map((problem) => `${name} by ${way}: ${problem}`) };
}

async function runKilled(name, way, scenario) {
  const result = { runs: 0, kills: 0, charges: 0, steps: 0, problems: [] };
  for (let killAt = 1 + ((name.length + way.length) % gap); killAt <= STEPS_MAX; killAt += Number(gap)) {
    const { world, charged: pieces, problems } = await run(name, way, scenario, killAt, QUICK);
    result.runs += 1;
    result.charges += pieces;
    result.problems.push(...problems);
    if (world.killedAt === null) return Object.assign(result, { steps: world.steps });
    result.kills += 1;
  }
  result.problems.push(`${name} by ${way} takes more than ${STEPS_MAX} steps`);
  return result;
}

const report = {};
const wrong = [];

async function runAll(scenarios, title, work) {
  const tasks = [];
  for (const [name, scenario] of Object.entries(scenarios)) {
    for (const way of scenario[1]) {
      tasks.push(async () => {
        const result = await work(name, way,
          scenario).catch((error) => ({ problems: [`${name} by ${way}: ${error.stack}`] }));
        wrong.push(...result.problems);
        report[`${name}, ${way}, ${title}`] = {
          runs: result.runs ?? 1, kills: result.kills ?? 0, charges: result.charges ?? result.charged ?? 0,
          steps: result.steps ?? result.world?.steps, cites: scenario[0],
        };
      });
    }
  }
  await inParallel(tasks, AT_ONCE);
}

// First without any notification: the client's questions alone must be enough. Then killed at each step.
await shop.control("PUT", "/wechat-pay/knobs/notifyNever", { value: 1 });
const alone = (name, way, scenario) => run(name, way, scenario, 0, SLOW);
await runAll({ ...LOST, ...LIES, ...KILLED, ...SCENES }, "by questions alone", alone);
await shop.control("PUT", "/wechat-pay/knobs/notifyNever", { value: 0 });
await runAll({ ...KILLED, ...SCENES }, "notified", runKilled);

const delivered = await shop.delivered();
for (const id of charged) {
  if (delivered[id] !== 1) wrong.push(`${id} was charged and delivered ${delivered[id]} times`);
}
writeFileSync(output, JSON.stringify({ scenarios: report, wrong, charged: charged.size }));
process.exit(0); // killed clients wait for ever

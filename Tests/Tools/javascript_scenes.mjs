// The six queue scenes (client.md 1A.58): what is open before a payment, and who looked at it. A design that waits for
// a callback before each payment hangs in the first three. At WeChat Pay the open orders stand in for the queue.

/**
 * Scenes for one kind of store: cite, phases, and the pieces that each user is owed if nothing kills the app.
 *
 * - `open(world, user, { starts, breaks })` starts the app: with or without its work, with or without a network.
 * - `tap(world, purchasing)` buys, and says the word of the result.
 * - `leavePaid(world)` pays, and the process ends before anybody hears of it.
 * - `sheets(world)` counts the sheets that opened.
 */
export function scenes({ open, tap, leavePaid, sheets }) {
  /** Whether the scene goes on: no kill has ended the process. */
  const isAlive = (world) => !world.process.isDead;

  const say = (world, holds, words) => {
    if (world.killedAt === null) world.expect(holds, words);
  };

  const silent = (world) => say(world, world.events.length === 0, `heard ${JSON.stringify(world.events)}`);

  /** The sheet opens without any pause before it, and the purchase is granted. */
  async function sellsAtOnce(world, purchasing) {
    if (!isAlive(world)) return;
    const [rested, opened] = [world.process.rested, sheets(world)];
    const word = await tap(world, purchasing);
    say(world, word === "fulfilled" && sheets(world) === opened + 1, `said ${word}, ${sheets(world) - opened} sheets`);
    say(world, world.restedAtSheet === rested, `${world.restedAtSheet - rested} pauses before the sheet opened`);
  }

  const listening = async (world) => {
    const purchasing = await open(world, "anna");
    if (isAlive(world)) await world.process.run(purchasing.start());
    if (isAlive(world)) await world.process.run(purchasing.recover("userAsked"));
    silent(world);
    await sellsAtOnce(world, purchasing);
  };
  const lateRecovery = async (world) => {
    const purchasing = await open(world, "anna", { starts: false });
    say(world, world.steps === 0, `${world.steps} steps before the start`);
    if (isAlive(world)) await world.process.run(purchasing.start());
    if (isAlive(world)) await world.process.run(purchasing.recover("userAsked"));
    silent(world);
    await sellsAtOnce(world, purchasing);
  };
  const lateListening = async (world) => {
    const purchasing = await open(world, "anna", { starts: false });
    if (isAlive(world)) await world.process.run(purchasing.start());
    silent(world);
    await sellsAtOnce(world, purchasing);
  };
  const unchecked = async (world) => {
    const purchasing = await open(world, "anna", { breaks: 1000 });
    if (!isAlive(world)) return;
    world.process.brokenRequests = 0;
    const opened = sheets(world);
    const word = await tap(world, purchasing);
    say(world, word === "fulfilled" && sheets(world) === opened, `said ${word}, ${sheets(world) - opened} sheets`);
  };
  const checked = async (world) => {
    const purchasing = await open(world, "anna");
    await sellsAtOnce(world, purchasing);
  };
  return {
    "scene 1: nothing open, listening from launch and again before paying": ["1A.58.1", [listening], { anna: 1 }],
    "scene 2: nothing open, a recovery before paying alone": ["1A.58.2", [lateRecovery], { anna: 1 }],
    "scene 3: nothing open, listening before paying alone": ["1A.58.3", [lateListening], { anna: 1 }],
    "scene 4: a paid purchase was not checked at launch": ["1A.58.4 1A.60", [leavePaid, unchecked], { anna: 1 }],
    "scene 5: nothing open, the check is empty": ["1A.58.5", [checked, checked], { anna: 2 }],
    "scene 6: what is open is completed at launch": ["1A.58.6 1A.55", [leavePaid, checked], { anna: 2 }],
  };
}

import { PurchasingError, explanation } from "./errors.js";
import { isObject, isText } from "./input.js";

/** @typedef {import("./types").Kept} Kept */
/** @typedef {import("./types").OrderRecord} OrderRecord */

const VERSION = 1;
const CHARACTERS_MAX = 8 * 1024 * 1024;
/** Fewer than one submission may name (50), more than two users can keep open at the server (20 each). */
export const ORDERS_MAX = 48;
/** The rest stays in the store's queue, where it came from. */
export const EVIDENCE_MAX = 100;
const USERS_MAX = 100;
const STATES = ["requested", "created", "paying", "failedOnce", "deferred"];

/**
 * The client's records in a vault: one text, replaced as a whole. Each change reads the text anew, so that a second tab
 * over the same storage loses nothing.
 *
 * @param {import("../index").Vault} vault
 * @param {import("../index").Dependencies} dependencies
 * @param {number} limit seconds that a caller waits for the vault
 */
export function makeRecords(vault, dependencies, limit) {
  /** @type {Kept} */
  let last = empty();
  /** @type {Promise<unknown>} */
  let before = Promise.resolve();

  /** @param {(kept: Kept) => unknown} act */
  async function readAndChange(act) {
    const text = await vault.read();
    const kept = parse(text);
    const result = act(kept);
    const changed = JSON.stringify(kept);
    if (changed !== text && !(text === null && changed === JSON.stringify(empty()))) await vault.write(changed);
    last = kept;
    return result;
  }

  /**
   * Reads, changes and writes the records, one change after another. If it fails, nothing was changed.
   *
   * @template T
   * @param {(kept: Kept) => T} act
   * @returns {Promise<T>}
   */
  async function change(act) {
    const exclusively = vault.exclusively ?? ((/** @type {() => Promise<unknown>} */ run) => run());
    // A vault that is late keeps its place: no later change may overtake it.
    const mine = before.then(() => exclusively(() => readAndChange(act)));
    before = mine.catch(() => {});
    /** @type {{ result: any } | undefined} */
    let done;
    try {
      done = await dependencies.within(limit, mine.then((result) => ({ result })));
    } catch (error) {
      if (error instanceof PurchasingError) throw error;
      throw new PurchasingError("client_vault_unavailable", explanation(error));
    }
    if (!done) throw new PurchasingError("client_vault_unavailable", `The vault did not answer in ${limit} s.`);
    return done.result;
  }

  return {
    change,
    /**
     * The records as the vault has them now.
     *
     * @returns {Promise<Kept>}
     */
    read: () => change((kept) => kept),
    /** The records as they were read or written last. */
    last: () => last,
  };
}

/** @returns {Kept} */
const empty = () => ({ version: VERSION, orders: {}, evidence: {}, usersKnown: [] });

/**
 * @param {unknown} text
 * @returns {Kept}
 */
function parse(text) {
  if (text === null || text === undefined || text === "") return empty();
  /** @param {string} words */
  const damaged = (words) =>
    new PurchasingError("client_vault_unavailable", `The vault's content was left as it is. ${words}`);
  if (typeof text !== "string" || text.length > CHARACTERS_MAX) throw damaged("It is no text, or too long.");
  let kept;
  try {
    kept = JSON.parse(text);
  } catch (error) {
    throw damaged(`It is not JSON: ${explanation(error)}`);
  }
  if (!isObject(kept) || kept.version !== VERSION) throw damaged("It is of another version, or damaged.");
  const { orders, evidence, usersKnown } = kept;
  const isWhole = isObject(orders) && isObject(evidence) && Array.isArray(usersKnown)
    && Object.values(orders).every(isRecord) && Object.values(evidence).every(isEvidence)
    && usersKnown.every((/** @type {unknown} */ user) => typeof user === "string");
  if (!isWhole) throw damaged("A record in it is damaged.");
  return /** @type {Kept} */ (kept);
}

/** @param {any} record */
const isRecord = (record) =>
  isObject(record) && isText(record.user, 255) && isText(record.productId, 255) && Number.isInteger(record.quantity)
  && STATES.includes(record.state) && (record.order === null || (isObject(record.order) && isText(record.order.id, 64)))
  && (record.order !== null || record.state === "requested");

/** @param {any} one */
const isEvidence = (one) => isObject(one) && typeof one.evidence === "string" && "verdict" in one;

/**
 * Remembers that the server's list was read for a user; the oldest is forgotten.
 *
 * @param {Kept} kept
 * @param {string} user
 */
export function rememberUser(kept, user) {
  kept.usersKnown = [...kept.usersKnown.filter((one) => one !== user), user].slice(-USERS_MAX);
}

/**
 * A vault in a browser. What a browser stores can be cleared: then the server's list of open orders stands in.
 *
 * @param {string} [name]
 * @param {Storage} [storage]
 * @returns {import("../index").Vault}
 */
export function localStorageVault(name = "counterfoil", storage) {
  const place = () => storage ?? globalThis.localStorage;
  const locks = globalThis.navigator?.locks;
  return {
    read: () => place().getItem(name),
    write: (text) => place().setItem(name, text),
    // Two tabs take turns, where the browser can do that.
    ...(locks ? { exclusively: (/** @type {() => Promise<any>} */ run) => locks.request(`${name}.vault`, run) } : {}),
  };
}

/**
 * A vault in a mini program's storage.
 *
 * @param {import("../index").MiniProgram} wx
 * @param {string} [name]
 * @returns {import("../index").Vault}
 */
export const miniProgramVault = (wx, name = "counterfoil") => ({
  read: () => wx.getStorageSync(name) || null,
  write: (text) => wx.setStorageSync(name, text),
});

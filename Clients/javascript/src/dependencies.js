import { explanation } from "./errors.js";

/** @typedef {import("../index").Dependencies} Dependencies */

const ANSWER_CHARACTERS_MAX = 8 * 1024 * 1024;

/** Waiting times in seconds; those of the Swift client. */
export const standardPolicies = {
  requestLimit: 10, verificationPauses: [10, 30, 120], orderPauses: [1, 3], purchaseLimit: 180, recoveryLimit: 25,
  silenceLimit: 30, storeLimit: 10, waitSeconds: 25, weChatLooks: [0, 5, 10, 20, 30], looksAfterFailure: [5, 30],
};

/** What the client needs of the world. Each can be handed in: a mini program has neither `fetch` nor `crypto`. */
export const standardDependencies = {
  request: requestByFetch,
  /** @param {number} seconds @returns {Promise<unknown>} */
  sleep: (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000)),
  within,
  newKey,
  now: () => Date.now(),
};

/**
 * The value of some work, or `undefined` once the time is over. The work itself may go on.
 * @template T
 * @param {number} seconds
 * @param {Promise<T>} work
 * @returns {Promise<T | undefined>}
 */
function within(seconds, work) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), seconds * 1000);
    const end = () => clearTimeout(timer);
    work.then((value) => (end(), resolve(value)), (error) => (end(), reject(error)));
  });
}

/** @type {Dependencies["request"]} */
async function requestByFetch(method, url, headers, body, seconds) {
  // Older web views have no AbortSignal.timeout.
  const controller = typeof AbortController === "function" ? new AbortController() : null;
  const timer = setTimeout(() => controller?.abort(), seconds * 1000);
  try {
    // A redirect could carry the token to another host.
    const response = await fetch(url, {
      method, headers, body, redirect: "error", credentials: "omit", cache: "no-store", signal: controller?.signal,
    });
    const text = await response.text();
    if (text.length > ANSWER_CHARACTERS_MAX) throw new Error("The answer is too large.");
    return {
      status: response.status, text, contentType: response.headers.get("Content-Type"),
      retryAfter: response.headers.get("Retry-After"),
    };
  } catch (error) {
    throw new Error(`The server cannot be reached: ${explanation(error)}`);
  } finally {
    clearTimeout(timer);
  }
}

/** A random UUID. A page without https has `getRandomValues` but no `randomUUID`. */
function newKey() {
  const source = globalThis.crypto;
  if (source?.randomUUID) return source.randomUUID();
  if (!source?.getRandomValues) throw new Error("There is no source of random numbers: hand in dependencies.newKey.");
  const bytes = source.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const digits = Array.from(bytes, (one) => one.toString(16).padStart(2, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

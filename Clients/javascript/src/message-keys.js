import { PurchasingError } from "./errors.js";
import { isObject } from "./input.js";
import { messages } from "./messages.js";

/**
 * The name of the text about an outcome, an event or an error, as Clients/messages.json has it.
 *
 * @param {any} about
 * @returns {string | null} null if there is none: some events are for developers alone
 */
export function messageKey(about) {
  let key = null;
  if (about instanceof PurchasingError) key = about.messageKey;
  else if (!isObject(about)) return null;
  else if (about.outcome === "fulfilled") key = about.recovered ? "outcome.recovered" : "outcome.fulfilled";
  else if (about.outcome === "notGranted") {
    const isOpen = about.verdict === "pending" || about.verdict === "unpaid";
    key = "outcome." + (isOpen ? "awaitingConfirmation" : about.verdict);
  } else if (typeof about.outcome === "string") key = "outcome." + about.outcome;
  else if (typeof about.event === "string") key = "event." + about.event;
  return key !== null && Object.prototype.hasOwnProperty.call(messages, key) ? key : null;
}

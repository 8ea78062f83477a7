/** Who works on a record: one at a time, a purchase or a check in the background. */
export function makeClaims() {
  /** @type {Map<string, Promise<void>>} */
  const held = new Map();

  /**
   * Takes a record if nobody has it.
   *
   * @param {string} key
   * @returns {(() => void) | null} releases it
   */
  function take(key) {
    if (held.has(key)) return null;
    /** @type {() => void} */
    let free = () => {};
    held.set(key, new Promise((resolve) => { free = resolve; }));
    return () => {
      if (held.delete(key)) free();
    };
  }

  /**
   * Waits for a record at most until the limit ends.
   *
   * @param {string} key
   * @param {(work: Promise<void>) => Promise<unknown>} limited
   */
  async function wait(key, limited) {
    const earlier = held.get(key);
    if (earlier) await limited(earlier);
    return take(key);
  }

  return { take, wait, isHeld: (/** @type {string} */ key) => held.has(key) };
}

// Compiled by `tsc --strict`, never run: the declarations say what the sources do.
import * as declared from "../index";
import * as written from "../src/index.js";

/** Each export of the sources fits its declaration, and neither has one that the other lacks. */
export const declarations: typeof declared = written;
export const names: Record<keyof typeof written, keyof typeof declared> = {} as { [name in keyof typeof declared]: name };

export async function shop(): Promise<string> {
  const purchasing = declared.createPurchasing({
    server: "https://pay.example.com", userToken: async (user) => `token of ${user}`,
    vault: declared.localStorageVault(), stores: [declared.h5Store({ returnUrl: (order) => `https://a.example/${order.id}` })],
  });
  await purchasing.start();
  await purchasing.setUser("alice");
  const outcome = await purchasing.purchase("coins.100", { quantity: 2 });
  // @ts-expect-error A closed order carries no `recovered`.
  void (outcome.outcome === "cancelled" && outcome.recovered);
  // @ts-expect-error There is no such detail.
  await purchasing.purchase("coins.100", { amount: 2 });
  switch (outcome.outcome) {
    case "fulfilled": return outcome.recovered ? "before" : "now";
    case "notGranted": return outcome.verdict;
    case "cancelled": case "pendingApproval": case "awaitingConfirmation": return outcome.order;
  }
}

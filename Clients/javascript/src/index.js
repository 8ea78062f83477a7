export { PurchasingError } from "./errors.js";
export { messages } from "./messages.js";
export { createPurchasing } from "./purchasing.js";
export { h5Store, jsapiStore, miniProgramRequest, miniProgramStore, nativeStore, openSDKStore } from "./stores.js";
export { localStorageVault, miniProgramVault } from "./vault.js";

// Writes src/messages.js from ../messages.json, the texts that all clients share; with --check it only compares.
import { readFileSync, writeFileSync } from "node:fs";

const here = (/** @type {string} */ path) => new URL(path, import.meta.url);
const texts = JSON.parse(readFileSync(here("../messages.json"), "utf8"));
const written =
  "// Made by messages-from-json.mjs from Clients/messages.json. Change that file.\n" +
  '/** @type {Record<string, import("../index").BilingualText>} */\n' +
  "export const messages = {\n" +
  Object.entries(texts).map(([name, text]) => `  ${JSON.stringify(name)}: ${JSON.stringify(text)},\n`).join("") +
  "};\n";
if (process.argv.includes("--check")) {
  if (readFileSync(here("src/messages.js"), "utf8") !== written) {
    console.error("src/messages.js differs from Clients/messages.json: run node messages-from-json.mjs");
    process.exit(1);
  }
} else {
  writeFileSync(here("src/messages.js"), written);
}

import { createInterface } from "node:readline";
import { webcrypto } from "node:crypto";

// Node 18, which Debian 12 has, keeps this behind a flag; the NATS client expects it.
globalThis.crypto ??= webcrypto;

export const fromHex = (word) => (word === "-" ? Buffer.alloc(0) : Buffer.from(word, "hex"));
export const toHex = (bytes) => Buffer.from(bytes).toString("hex") || "-";
export const say = (...words) => process.stdout.write(words.join(" ") + "\n");

/** The lines of standard input, each as an array of decoded words. */
export async function* lines() {
  for await (const line of createInterface({ input: process.stdin }))
    yield line.trim().split(/\s+/).map(fromHex);
}

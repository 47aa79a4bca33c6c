import { webcrypto } from "node:crypto";
import { wsconnect, headers } from "@nats-io/nats-core";

// Node 20 keeps this behind a flag in modules; the NATS client expects it.
globalThis.crypto ??= webcrypto;

const connection = await wsconnect({ servers: process.argv[2], name: "official" });

const subscription = connection.subscribe("echo.*");
(async () => {
  for await (const message of subscription) message.respond(message.data, { headers: message.headers });
})();

const tagged = headers();
tagged.set("Tag", "value");
const small = await connection.request("echo.small", "hello", { timeout: 5000, headers: tagged });
console.log("SMALL", small.string(), small.headers.get("Tag"));

const body = new Uint8Array(1000000).map((_, i) => i % 251);
const large = await connection.request("echo.large", body, { timeout: 10000 });
console.log("LARGE", Buffer.compare(Buffer.from(large.data), Buffer.from(body)));

try {
  await connection.request("nobody", "", { timeout: 5000 });
} catch (error) {
  console.log("NOBODY", error.isNoResponders());
}

await connection.drain();
console.log("CLOSED", (await connection.closed()) ?? "in order");

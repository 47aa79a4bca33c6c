// Uses streams, buckets and object stores of a server with the official JavaScript client, and prints one line for each
// step: its number, its name and its result as JSON. Arguments: the address, and the domain ("" for none).
import assert from "node:assert/strict";
import { connect } from "@nats-io/transport-node";
import { AckPolicy, jetstream, jetstreamManager } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import { Objm } from "@nats-io/obj";

const [address, domain] = process.argv.slice(2);
const connection = await connect({ servers: address, timeout: 60_000 });
const options = { timeout: 60_000, ...(domain ? { domain } : {}) };
let count = 0;

async function step(name, run) {
  try {
    const result = await run();
    console.log(`STEP ${++count} ${name}: ${text(result)}`);
    return result;
  } catch (error) {
    console.log(`FAILED ${count + 1} ${name}: ${error.name}: ${error.message}`);
    process.exit(1);
  }
}

// Objects with methods, such as consumers and buckets, are the client's own.
function text(result) {
  const isPlain = result === null || typeof result !== "object" || [Object.prototype, Array.prototype].includes(Object.getPrototypeOf(result));
  return isPlain ? JSON.stringify(result ?? null, (_, value) => typeof value === "bigint" ? Number(value) : value) : "{}";
}

async function refused(run, text) {
  let message = "";
  await assert.rejects(run, (error) => (message = error.message).includes(text));
  return message;
}

const manager = await step("manager", () => jetstreamManager(connection, options));
const streams = jetstream(connection, options);

await step("account", () => manager.getAccountInfo());
await step("create stream", () => manager.streams.add({ name: "ORDERS", subjects: ["orders.>"], allow_direct: true }));
await step("stream info", () => manager.streams.info("ORDERS"));
for (let number = 1; number <= 3; number++) {
  await step(`publish ${number}`, () => streams.publish(`orders.${number}`, `order ${number}`));
}
await step("publish without an acknowledgement", async () => {
  connection.publish("orders.core", "core");
  await connection.flush();
});
await step("publish again with one id", async () => {
  await streams.publish("orders.once", "once", { msgID: "once" });
  const again = await streams.publish("orders.once", "once", { msgID: "once" });
  assert.equal(again.duplicate, true);
  return again;
});
await step("wrong last sequence", () =>
  refused(() => streams.publish("orders.1", "x", { expect: { lastSequence: 77 } }), "wrong last sequence"));
await step("get a message", async () =>
  assert.equal((await manager.streams.getMessage("ORDERS", { seq: 1 })).string(), "order 1"));
await step("get a message directly", async () =>
  assert.equal((await manager.direct.getMessage("ORDERS", { seq: 2 })).string(), "order 2"));
await step("find the stream of a subject", async () => assert.equal(await manager.streams.find("orders.1"), "ORDERS"));
await step("create pull consumer", () =>
  manager.consumers.add("ORDERS", { durable_name: "pull", ack_policy: AckPolicy.Explicit }));
const consumer = await step("get consumer", () => streams.consumers.get("ORDERS", "pull"));
for (let number = 1; number <= 3; number++) {
  await step(`next ${number}`, async () => {
    const message = await consumer.next({ expires: 30_000 });
    assert.equal(message.subject, `orders.${number}`);
    assert.equal(await message.ackAck(), true);
  });
}
await step("fetch", async () => {
  const subjects = [];
  for await (const message of await consumer.fetch({ max_messages: 2, expires: 30_000 })) {
    subjects.push(message.subject);
    await message.ackAck();
  }
  assert.deepEqual(subjects, ["orders.core", "orders.once"]);
});
await step("acknowledged", async () => {
  const info = await consumer.info();
  assert.deepEqual([info.num_ack_pending, info.num_pending], [0, 0]);
  return info;
});
await step("consume and refuse once", async () => {
  await streams.publish("orders.again", "again");
  let deliveries = 0;
  for await (const message of await consumer.consume()) {
    deliveries++;
    if (deliveries === 1) {
      message.nak();
    } else {
      await message.ackAck();
      break;
    }
  }
  assert.equal(deliveries, 2);
});
await step("ordered consumer", async () => {
  let received = 0;
  for await (const message of await (await streams.consumers.get("ORDERS")).consume()) {
    assert.ok(message.subject.startsWith("orders."));
    if (++received === 6) {
      break;
    }
  }
});
await step("list streams", async () => {
  const names = [];
  for await (const stream of manager.streams.list()) {
    names.push(stream.config.name);
  }
  assert.deepEqual(names, ["ORDERS"]);
});
await step("list consumers", async () => {
  const names = [];
  for await (const info of manager.consumers.list("ORDERS")) {
    names.push(info.name);
  }
  assert.ok(names.includes("pull"));
});
await step("delete a message", async () => assert.equal(await manager.streams.deleteMessage("ORDERS", 1), true));
await step("purge", () => manager.streams.purge("ORDERS"));
await step("delete consumer", async () => assert.equal(await manager.consumers.delete("ORDERS", "pull"), true));
await step("delete stream", async () => assert.equal(await manager.streams.delete("ORDERS"), true));

const bucket = await step("create bucket", () => new Kvm(streams).create("b", { history: 5 }));
let revision = await step("put", () => bucket.put("k", "one"));
await step("get", async () => assert.equal((await bucket.get("k")).string(), "one"));
revision = await step("update", () => bucket.update("k", "two", revision));
await step("wrong revision", () => refused(() => bucket.update("k", "x", revision + 7), "wrong last sequence"));
await step("create", () => bucket.create("new", "first"));
await step("create again", () => refused(() => bucket.create("new", "second"), "wrong last sequence"));
await step("watch", async () => {
  const seen = new Set();
  for await (const entry of await bucket.watch()) {
    seen.add(`${entry.key}=${entry.string()}`);
    if (seen.size === 2) {
      break;
    }
  }
  assert.deepEqual([...seen].sort(), ["k=two", "new=first"]);
});
await step("watch changes", async () => {
  for await (const entry of await bucket.watch({ key: "k" })) {
    if (entry.string() === "two") {
      await bucket.put("k", "three");
    } else {
      break;
    }
  }
});
await step("keys", async () => {
  const keys = [];
  for await (const key of await bucket.keys()) {
    keys.push(key);
  }
  assert.deepEqual(keys.sort(), ["k", "new"]);
});
await step("history", async () => {
  const values = [];
  for await (const entry of await bucket.history({ key: "k" })) {
    values.push(entry.string());
  }
  assert.deepEqual(values, ["one", "two", "three"]);
});
await step("delete key", () => bucket.delete("k"));
await step("deleted", async () => {
  const { key, operation, revision } = await bucket.get("k");
  assert.equal(operation, "DEL");
  return { key, operation, revision };
});
await step("missing", async () => assert.equal(await bucket.get("no"), null));
await step("status", async () => assert.equal((await bucket.status()).bucket, "b"));
await step("delete bucket", async () => assert.equal(await bucket.destroy(), true));

const objects = await step("create store", () => new Objm(streams).create("o"));
const content = new Uint8Array(300_000).map((_, at) => (at * 7919) & 0xff);
await step("put object", () => objects.putBlob({ name: "file" }, content));
await step("get object", async () => assert.deepEqual(await objects.getBlob("file"), content));
await step("object info", async () => {
  const { size, chunks, digest, deleted } = await objects.info("file");
  return { size, chunks, digest, deleted };
});
await step("delete object", () => objects.delete("file"));
await step("delete store", async () => assert.equal(await objects.destroy(), true));

await connection.close();
console.log(`DONE ${count}`);

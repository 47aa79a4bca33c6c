import { createInterface } from "node:readline";
import { fromHex, say, toHex } from "./words.mjs";
import { connect, headers, nkeyAuthenticator } from "@nats-io/transport-node";

const [servers, ...words] = process.argv.slice(2);
const given = Object.fromEntries(words.map((word) => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]));
const options = {
  servers: servers.split(","),
  timeout: 60_000,
  noRandomize: true,
  maxReconnectAttempts: -1,
  reconnect: given.reconnect !== "no",
  reconnectTimeWait: 100,
  reconnectJitter: 0,
  user: given.user,
  pass: given.pass,
  token: given.token,
  noEcho: given.echo === "no",
  verbose: given.verbose === "yes",
  pedantic: given.pedantic === "yes",
};
if (given.nkey) {
  const sign = nkeyAuthenticator(Buffer.from(given.nkey));
  options.authenticator = (nonce) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(given.sign_after ?? 0));
    return sign(nonce);
  };
}
if (given.ca || given.cert) options.tls = { caFile: given.ca, certFile: given.cert, keyFile: given.key };

const text = (error) => `${error}${error.cause ? ` (${error.cause})` : ""}`.replaceAll("\n", " ");

let connection;
try {
  connection = await connect(options);
  await connection.flush();
} catch (error) {
  say("FAILED", text(error));
  process.exit(0);
}

(async () => {
  for await (const status of connection.status()) {
    if (status.type === "disconnect") say("EVENT disconnected");
    else if (status.type === "reconnect") say("EVENT reconnected", status.server);
    else if (status.type === "ldm") say("EVENT lameduck");
    else if (status.type === "update" && status.added?.length) say("EVENT discovered", status.added.join(","));
    else if (status.type === "error") say("EVENT error", text(status.error));
  }
})();
say("READY");

const subscriptions = new Map();
const reports = new Map();
connection.closed().then(async (error) => {
  await Promise.all(reports.values());
  say("EVENT closed", error ? text(error) : "");
});

const headerLines = (message) => {
  const found = message.headers?.code ? [`Status: ${message.headers.code}`] : [];
  for (const [name, values] of message.headers ?? []) for (const value of values) found.push(`${name}: ${value}`);
  return found.map(toHex);
};

const report = async (id, subscription, answers) => {
  try {
    for await (const message of subscription) {
      say("MSG", id, toHex(message.subject), toHex(message.data), ...headerLines(message));
      for (let i = 0; i < answers; i++) message.respond(message.data);
    }
  } catch {
    // A refused subscription ends with the error that the connection's status has told.
  }
};

const subscribe = async (id, subject, queue, answers) => {
  const subscription = connection.subscribe(subject.toString(), { queue: queue?.toString() });
  subscriptions.set(String(id), subscription);
  reports.set(String(id), report(id, subscription, answers));
  await connection.flush();
};

const commands = {
  sub: (id, subject, queue) => subscribe(id, subject, queue, 0),
  respond: (id, subject, count) => subscribe(id, subject, undefined, Number(count)),
  async unsub(id, max) {
    subscriptions.get(String(id)).unsubscribe(Number(max ?? 0));
    await connection.flush();
  },
  pub(subject, payload, ...lines) {
    const options = {};
    if (lines.length > 0) options.headers = headers();
    for (const line of lines) options.headers.append(...line.toString().split(": "));
    connection.publish(subject.toString(), payload, options);
  },
  ask(subject, reply, payload) {
    connection.publish(subject.toString(), payload, { reply: reply.toString() });
  },
  burst(subject, count) {
    for (let i = 0; i < Number(count); i++) connection.publish(subject.toString(), String(i));
  },
  async request(subject, payload, timeout) {
    const reply = await connection.request(subject.toString(), payload, { timeout: Number(timeout) });
    return [toHex(reply.data)];
  },
  async many(subject, payload, count, wait) {
    const options = { strategy: "count", maxMessages: Number(count), maxWait: Number(wait) };
    const replies = [];
    for await (const reply of await connection.requestMany(subject.toString(), payload, options)) replies.push(toHex(reply.data));
    return replies;
  },
  flush: () => connection.flush(),
  async rtt() {
    await connection.rtt();
  },
  async drain(id) {
    await (id ? subscriptions.get(String(id)) : connection).drain();
    await reports.get(String(id));
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const [command, ...rest] = line.split(" ");
  try {
    say("OK", ...((await commands[command](...rest.map(fromHex))) ?? []));
  } catch (error) {
    say("ERR", text(error));
  }
}
process.exit(0);

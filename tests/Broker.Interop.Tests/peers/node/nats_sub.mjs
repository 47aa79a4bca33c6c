import { fromHex, say, toHex } from "./words.mjs";
import { connect } from "@nats-io/transport-node";

const [server, subject, countText, mode = ""] = process.argv.slice(2);
const count = Number(countText);
const connection = await connect({ servers: server, timeout: 60_000 });
const queue = mode.startsWith("queue=") ? mode.slice(6) : undefined;
const subscription = connection.subscribe(fromHex(subject).toString(), { queue });
await connection.flush();
say("READY");

let received = 0;
for await (const message of subscription) {
  const headerLines = [];
  for (const [name, values] of message.headers ?? [])
    for (const value of values) headerLines.push(toHex(`${name}: ${value}`));
  say("MSG", toHex(message.subject), toHex(message.data), ...headerLines);
  if (mode === "echo") message.respond(message.data);
  if (++received === count) break;
}
await connection.flush();
await connection.close();
say("DONE", received);

import { lines, say, toHex } from "./words.mjs";
import { connect } from "@nats-io/transport-node";

const connection = await connect({ servers: process.argv[2], timeout: 60_000 });
await connection.flush();
say("READY");

let asked = 0;
for await (const [subject, payload] of lines()) {
  try {
    const reply = await connection.request(subject.toString(), payload, { timeout: 60_000 });
    say("MSG", toHex(reply.subject), toHex(reply.data));
  } catch (error) {
    say("ERR", error.message.replaceAll("\n", " "));
  }
  asked++;
}
await connection.close();
say("DONE", asked);

import { lines, say } from "./words.mjs";
import { connect, headers } from "@nats-io/transport-node";

const connection = await connect({ servers: process.argv[2], timeout: 60_000 });
await connection.flush();
say("READY");

let sent = 0;
for await (const [subject, payload, ...headerLines] of lines()) {
  const options = {};
  if (headerLines.length > 0) {
    options.headers = headers();
    for (const line of headerLines) {
      const [name, value] = line.toString().split(": ");
      options.headers.append(name, value);
    }
  }
  connection.publish(subject.toString(), payload, options);
  await connection.flush();
  sent++;
}
await connection.close();
say("DONE", sent);

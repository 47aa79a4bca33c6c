import { Publisher } from "zeromq";
import { lines, say } from "./words.mjs";

const [address, how] = process.argv.slice(2);
const socket = new Publisher({ linger: 2000 });
if (how === "bind") await socket.bind(address);
else socket.connect(address);
say("READY");

let sent = 0;
for await (const frames of lines()) {
  await socket.send(frames);
  sent++;
}
socket.close();
say("DONE", sent);

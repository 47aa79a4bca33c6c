import { Subscriber } from "zeromq";
import { fromHex, say, toHex } from "./words.mjs";

const [address, how, topic, countText] = process.argv.slice(2);
const count = Number(countText);
const socket = new Subscriber({ linger: 0 });
socket.subscribe(fromHex(topic));
if (how === "bind") await socket.bind(address);
else socket.connect(address);
say("READY");

let received = 0;
for await (const frames of socket) {
  say("MSG", ...frames.map(toHex));
  if (++received === count) break;
}
say("DONE", received);
process.exit(0);

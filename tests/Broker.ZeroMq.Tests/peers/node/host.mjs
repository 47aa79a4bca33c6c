// Runs commands from standard input on sockets of npm's zeromq, as ../python/host.py does. It has the commands that the
// matrix tests need.
import { createInterface } from 'node:readline';
import * as zmq from 'zeromq';

const kinds = {
  PUB: zmq.Publisher, SUB: zmq.Subscriber, XPUB: zmq.XPublisher, XSUB: zmq.XSubscriber, PUSH: zmq.Push, PULL: zmq.Pull,
  DEALER: zmq.Dealer, ROUTER: zmq.Router, REQ: zmq.Request, REP: zmq.Reply, PAIR: zmq.Pair,
};
const short = 1024;
const sockets = new Map();

function encode(frame) {
  if (frame.length <= short) return frame.toString('hex');
  return frame.equals(Buffer.alloc(frame.length, frame[0])) ? [frame.length, frame[0]] : { size: frame.length };
}

function decode(frame) {
  return typeof frame === 'string' ? Buffer.from(frame, 'hex') : Buffer.alloc(frame[0], frame[1]);
}

// Each attempt polls first. A wait for the socket's descriptor alone may never end: the poll below, which libzmq needs,
// consumes the descriptor's signal.
const slice = 100;

async function inSlices(timeout, attempt) {
  const end = Date.now() + timeout;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (error.code !== 'EAGAIN' || Date.now() >= end) throw error;
    }
  }
}

const operations = {
  socket({ name, type, options }) {
    const socket = new kinds[type]({ linger: 0 });
    for (const [option, value] of Object.entries(options ?? {})) {
      if (option === 'ROUTING_ID') socket.routingId = value;
      else if (option === 'ROUTER_MANDATORY') socket.mandatory = value === 1;
      else if (option === 'SNDHWM') socket.sendHighWaterMark = value;
      else if (option === 'RCVHWM') socket.receiveHighWaterMark = value;
      else if (option === 'CURVE_SERVER') socket.curveServer = value === 1;
      else if (option === 'CURVE_SECRETKEY') socket.curveSecretKey = value;
      else if (option === 'CURVE_PUBLICKEY') socket.curvePublicKey = value;
      else if (option === 'CURVE_SERVERKEY') socket.curveServerKey = value;
      else if (option === 'PLAIN_USERNAME') socket.plainUsername = value;
      else if (option === 'PLAIN_PASSWORD') socket.plainPassword = value;
      else throw new Error(`no option ${option}`);
    }
    sockets.set(name, socket);
    return {};
  },
  async bind({ name, endpoint }) {
    await sockets.get(name).bind(endpoint);
    return { endpoint: sockets.get(name).lastEndpoint };
  },
  connect({ name, endpoint }) {
    sockets.get(name).connect(endpoint);
    return {};
  },
  option({ name, option, value }) {
    const prefix = Buffer.from(value[0], 'hex');
    if (option === 'SUBSCRIBE') sockets.get(name).subscribe(prefix);
    else sockets.get(name).unsubscribe(prefix);
    return {};
  },
  async send({ name, frames, timeout }) {
    const socket = sockets.get(name);
    socket.sendTimeout = Math.min(timeout, slice);
    try {
      await inSlices(timeout, () => socket.send(frames.map(decode)));
      return {};
    } catch (error) {
      return { refused: error.errno ?? -1 };
    }
  },
  async receive({ name, timeout }) {
    const socket = sockets.get(name);
    socket.receiveTimeout = Math.min(timeout, slice);
    try {
      return { frames: (await inSlices(timeout, () => socket.receive())).map(encode) };
    } catch (error) {
      if (error.code === 'EAGAIN') return { frames: null };
      throw error;
    }
  },
  close({ name }) {
    sockets.get(name).close();
    sockets.delete(name);
    return {};
  },
};

// Without regular polls a libzmq socket accepts no new peer and sends it no subscriptions.
setInterval(() => sockets.forEach(socket => socket.readable), 10);

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line);
  let result;
  try {
    result = await operations[command.op](command);
  } catch (error) {
    result = { error: String(error) };
  }
  process.stdout.write(JSON.stringify(result) + '\n');
}

process.exit();

// The NATS protocol over a browser's own WebSocket: as much of it as a page like this needs. Requests, headers and coming back after a loss
// are in the official client for browsers (@nats-io/nats-core), which connects to the same address.

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const lineEnd = encoder.encode('\r\n');

export class Nats {
  #socket;
  #rest = new Uint8Array(0);
  #handlers = new Map();
  #connected = Promise.withResolvers();
  #closed = Promise.withResolvers();

  constructor(address) {
    this.#socket = new WebSocket(address);
    this.#socket.binaryType = 'arraybuffer';
    this.#socket.onmessage = event => this.#receive(new Uint8Array(event.data));
    this.#socket.onclose = event => {
      this.#connected.reject(new Error(`closed with ${event.code}`));
      this.#closed.resolve(event.reason || `${event.code}`);
    };
  }

  // Done when the server has taken the client.
  static async connect(address) {
    const nats = new Nats(address);
    await nats.#connected.promise;
    return nats;
  }

  // The reason, when the connection has ended.
  get closed() {
    return this.#closed.promise;
  }

  publish(subject, text) {
    const body = encoder.encode(text);
    this.#send(encoder.encode(`PUB ${subject} ${body.length}\r\n`), body, lineEnd);
  }

  subscribe(subject, handler) {
    const id = this.#handlers.size + 1;
    this.#handlers.set(`${id}`, handler);
    this.#send(encoder.encode(`SUB ${subject} ${id}\r\n`));
  }

  #send(...parts) {
    this.#socket.send(new Blob(parts));
  }

  // A frame ends anywhere: in the middle of a line, of a message, or behind several.
  #receive(bytes) {
    const all = new Uint8Array(this.#rest.length + bytes.length);
    all.set(this.#rest);
    all.set(bytes, this.#rest.length);
    let from = 0;
    for (let taken = 0; (taken = this.#take(all.subarray(from))) > 0; from += taken) { }
    this.#rest = all.slice(from);
  }

  // Handles the first operation; answers its length, or 0 while a part of it is missing.
  #take(bytes) {
    const end = bytes.indexOf(10) + 1;
    if (end === 0) {
      return 0;
    }
    const words = decoder.decode(bytes.subarray(0, end)).trim().split(' ');
    switch (words[0]) {
      case 'INFO':
        this.#send(encoder.encode('CONNECT {"verbose":false,"pedantic":false,"lang":"page"}\r\nPING\r\n'));
        return end;
      case 'PING':
        this.#send(encoder.encode('PONG\r\n'));
        return end;
      case 'PONG':
        this.#connected.resolve();
        return end;
      case '-ERR':
        this.#connected.reject(new Error(words.slice(1).join(' ')));
        return end;
      case 'MSG': {
        const size = Number(words.at(-1));
        if (bytes.length < end + size + 2) {
          return 0;
        }
        this.#handlers.get(words[2])?.(decoder.decode(bytes.subarray(end, end + size)), words[1]);
        return end + size + 2;
      }
      default:
        return end;
    }
  }
}

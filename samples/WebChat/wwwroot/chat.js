import { Nats } from './nats.js';

const state = document.getElementById('state');
const messages = document.getElementById('messages');
const text = document.getElementById('text');

const address = new URL('/nats', location.href);
address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';

try {
  const nats = await Nats.connect(address);
  nats.closed.then(why => { state.textContent = `closed: ${why}`; });
  nats.subscribe('chat.room', said => {
    // As text: what others say must not become a part of the page.
    const line = messages.appendChild(document.createElement('li'));
    line.textContent = said;
    // Publishes the text that the page shows now.
    nats.publish('chat.seen', line.textContent);
  });
  document.getElementById('form').addEventListener('submit', event => {
    event.preventDefault();
    nats.publish('chat.room', text.value);
    text.value = '';
  });
  state.textContent = 'connected';
  // A link may bring the first words: /?say=hello
  const first = new URL(location.href).searchParams.get('say');
  if (first) {
    nats.publish('chat.room', first);
  }
} catch (error) {
  state.textContent = `not connected: ${error.message}`;
}

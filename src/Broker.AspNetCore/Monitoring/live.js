// The live page. It shows one stream of snapshots (./live) and computes rates from two of them.
// Names come from clients, so they are only ever set as text.
'use strict';

const seconds = 300;
const traffic = [['in_msgs', count], ['out_msgs', count], ['in_bytes', bytes], ['out_bytes', bytes]];
const byId = id => document.getElementById(id);
const columns = [
  { key: 'cid', title: 'Client', sort: 'cid', text: c => c.name ? `${c.cid} ${c.name}` : `${c.cid}`, left: true },
  { key: 'user', title: 'User', text: c => c.user ?? '', left: true },
  { key: 'account', title: 'Account', text: c => c.account, left: true },
  { key: 'address', title: 'Address', text: c => c.address, left: true },
  { key: 'in', title: 'Msg/s in', sort: 'msgs_from', text: c => count(c.rates.in) },
  { key: 'out', title: 'Msg/s out', sort: 'msgs_to', text: c => count(c.rates.out) },
  { key: 'bytes_in', title: 'Bytes/s in', sort: 'bytes_from', text: c => bytes(c.rates.bytes_in) },
  { key: 'bytes_out', title: 'Bytes/s out', sort: 'bytes_to', text: c => bytes(c.rates.bytes_out) },
  { key: 'pending', title: 'Pending', sort: 'pending', text: c => bytes(c.pending) },
  { key: 'subscriptions', title: 'Subs', sort: 'subs', text: c => count(c.subscriptions) },
  { key: 'uptime', title: 'Up', sort: 'uptime', text: c => duration(c.uptime) },
  { key: 'note', title: 'Note', text: c => c.note, left: true },
];

const values = {
  msgs_from: c => c.rates.in, msgs_to: c => c.rates.out, bytes_from: c => c.rates.bytes_in, bytes_to: c => c.rates.bytes_out,
};

const state = {
  sort: 'cid', closed: false, filter: '', last: null, rows: null, subjects: [], troubles: [], logged: null, history: new Map(), source: null,
  one: null, // the id of the connection that has the page, or null for the page of the server
  past: new Map(), // what this page has seen of each connection, by id
};

const maxPast = 500;

function count(value) {
  if (value === null || value === undefined) { return '–'; }
  const units = ['', 'k', 'M', 'G'];
  let unit = 0;
  while (value >= 10000 && unit < units.length - 1) { value /= 1000; unit++; }
  return `${value >= 100 || Number.isInteger(value) ? Math.round(value).toLocaleString('en') : value.toFixed(1)}${units[unit] && ' ' + units[unit]}`;
}

function bytes(value) {
  if (value === null || value === undefined) { return '–'; }
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) { value /= 1024; unit++; }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

function duration(value) {
  const all = Math.max(0, Math.floor(value));
  const days = Math.floor(all / 86400), hours = Math.floor(all / 3600) % 24, minutes = Math.floor(all / 60) % 60;
  return days ? `${days} d ${hours} h` : hours ? `${hours} h ${minutes} min` : minutes ? `${minutes} min ${all % 60} s` : `${all} s`;
}

function make(name, text, className) {
  const element = document.createElement(name);
  if (text !== undefined) { element.textContent = text; }
  if (className) { element.className = className; }
  return element;
}

// Changes the text only if it differs, so that a selection stays.
function setText(element, text) {
  if (element.textContent !== text) { element.textContent = text; }
}

// The difference of a counter in one second; null if there is no earlier snapshot, or if the counter began again.
function rate(now, before, elapsed, key) {
  return before && elapsed > 0 && now[key] >= before[key] ? (now[key] - before[key]) / elapsed : null;
}

// An idle server sends less than one snapshot a second, but a chart has one point for each second.
function record(points, value, elapsed) {
  for (let i = Math.min(seconds, Math.max(1, Math.round(elapsed))); i > 0; i--) { points.push(value); }
  points.splice(0, points.length - seconds);
  return points;
}

// A chart shows at least the last minute, and up to 5 minutes when the page is open that long.
function draw(id, points, format) {
  const most = Math.max(...points, 1);
  const step = 300 / (Math.max(60, points.length) - 1);
  const line = points.map((p, i) => `${(300 - step * (points.length - 1 - i)).toFixed(1)},${(39 - 36 * p / most).toFixed(1)}`);
  byId(`${id}_line`).setAttribute('points', line.join(' '));
  byId(`${id}_area`).setAttribute('points', line.length ? [`${line[0].split(',')[0]},40`, ...line, '300,40'].join(' ') : '');
  setText(byId(`${id}_peak`), points.length ? `peak ${format(Math.max(...points))}/s` : '');
}

function showServer(now, elapsed) {
  const before = state.last;
  setText(byId('health'), now.healthy ? 'healthy' : 'shutting down');
  byId('health').className = now.healthy ? 'badge' : 'badge bad';
  setText(byId('up'), `(${duration((now.now - now.started) / 1000)})`);
  for (const [key, format] of traffic) {
    const value = rate(now, before, elapsed, key);
    setText(byId(key), `${format(value)}/s`);
    if (value !== null) {
      const points = record(state.history.get(key) ?? [], value, elapsed);
      state.history.set(key, points);
      draw(key, points, format);
    }
  }
  setText(byId('connections'), count(now.connections));
  setText(byId('subscriptions'), count(now.subscriptions));
  setText(byId('memory'), bytes(now.memory));
  setText(byId('cpu'), `${now.cpu.toFixed(0)} %`);
  setText(byId('slow'), count(now.slow_consumers));
  setText(byId('dropped'), count(now.dropped));
}

function note(now, before, maxPending) {
  const notes = [];
  if (now.reason) { notes.push(now.reason); }
  if (!now.reason && (now.pending >= maxPending / 8 || (before && now.stalls > before.stalls))) { notes.push('slow'); }
  return notes.join(', ');
}

function showConnections(now, elapsed) {
  const before = new Map((state.last?.list ?? []).map(c => [c.cid, c]));
  state.total = now.total;
  state.rows = now.list.map(c => {
    const old = before.get(c.cid);
    return {
      ...c,
      rates: {
        in: rate(c, old, elapsed, 'in_msgs'), out: rate(c, old, elapsed, 'out_msgs'),
        bytes_in: rate(c, old, elapsed, 'in_bytes'), bytes_out: rate(c, old, elapsed, 'out_bytes'),
      },
      note: note(c, old, now.max_pending),
    };
  });
  state.rows.forEach(c => remember(c, now.now));
  if (state.one === null) { fillConnections(); } else { showOne(); }
}

// Keeps the rates of the last 5 minutes and the times at which a connection was slow. A connection that was not shown for
// a while has its average rate for that time.
function remember(c, at) {
  const past = state.past.get(c.cid) ?? { at, counts: null, rates: Object.fromEntries(traffic.map(([key]) => [key, []])), slow: [] };
  const elapsed = (at - past.at) / 1000;
  for (const [key] of traffic) {
    const value = rate(c, past.counts, elapsed, key);
    if (value !== null && !c.reason) { record(past.rates[key], value, elapsed); }
  }
  past.at = at;
  past.counts = c;
  if (c.note.split(', ').includes('slow')) {
    const last = past.slow.at(-1);
    // Marks of consecutive snapshots are one mark.
    if (last && at - last.to < 15000) { last.to = at; } else { past.slow.push({ from: at, to: at }); }
    past.slow.splice(0, past.slow.length - 20);
  }
  // The connection that was seen longest ago is forgotten first.
  state.past.delete(c.cid);
  state.past.set(c.cid, past);
  if (state.past.size > maxPast) { state.past.delete(state.past.keys().next().value); }
}

function fillConnections() {
  // The server orders by totals and the page shows rates, so the page orders the connections that it has by rate.
  const value = values[state.sort];
  const rows = value ? [...state.rows].sort((a, b) => (value(b) ?? 0) - (value(a) ?? 0)) : state.rows;
  const shown = rows.filter(c => !state.filter || columns.some(column => column.left && column.text(c).toLowerCase().includes(state.filter)));
  const body = byId('rows');
  while (body.rows.length > shown.length) { body.deleteRow(-1); }
  shown.forEach((c, i) => {
    const row = body.rows[i] ?? body.insertRow();
    columns.forEach((column, at) => {
      const cell = row.cells[at] ?? row.insertCell();
      const text = column.text(c);
      cell.className = column.left ? 'text' : '';
      if (column.key === 'cid') {
        const link = cell.firstElementChild ?? cell.appendChild(make('a'));
        link.href = `#client=${c.cid}`;
        link.dataset.cid = c.cid;
        setText(link, text);
      } else if (column.key === 'note' && text) {
        const badge = cell.firstElementChild ?? cell.appendChild(make('span'));
        badge.className = 'badge bad';
        setText(badge, text);
      } else {
        setText(cell, text);
      }
      cell.title = column.left ? text : '';
    });
  });
  const part = state.rows.length < state.total ? `the first ${state.rows.length} of ${state.total}` : `${state.total}`;
  setText(byId('shown'), `${part} ${state.closed ? 'closed' : 'open'}; ${shown.length} shown`);
}

function fill(bodyId, rows) {
  const body = byId(bodyId);
  while (body.rows.length > rows.length) { body.deleteRow(-1); }
  rows.forEach((cells, i) => {
    const row = body.rows[i] ?? body.insertRow();
    cells.forEach((content, at) => {
      const cell = row.cells[at] ?? row.insertCell();
      cell.className = at === 0 ? 'text' : '';
      if (typeof content === 'string') { setText(cell, content); return; }
      const badge = cell.firstElementChild ?? cell.appendChild(make('span'));
      badge.className = content.badge;
      setText(badge, content.text);
    });
  });
}

function showAccounts(now, elapsed) {
  const before = new Map((state.last?.accounts ?? []).map(a => [a.name, a]));
  fill('accounts', now.accounts.map(a => [
    a.name, count(a.connections), count(a.subscriptions),
    `${count(rate(a, before.get(a.name), elapsed, 'in_msgs'))}`, `${count(rate(a, before.get(a.name), elapsed, 'out_msgs'))}`,
    `${bytes(rate(a, before.get(a.name), elapsed, 'in_bytes'))}`, `${bytes(rate(a, before.get(a.name), elapsed, 'out_bytes'))}`,
  ]));
}

// The counts of a subject are estimates from few samples, so their rate is that of the last ten seconds.
function showSubjects(now) {
  const keyOf = s => `${s.account} ${s.subject}`;
  const past = state.subjects;
  past.push({ now: now.now, interval: now.sample_subjects, counts: new Map(now.subjects.map(s => [keyOf(s), s])) });
  while (past[0].interval !== now.sample_subjects || (past.length > 1 && past[1].now <= now.now - 10000)) { past.shift(); }
  const elapsed = (now.now - past[0].now) / 1000;
  // A subject that is new or has come back is counted from 0.
  const rateOf = (s, key) => {
    const before = past[0].counts.get(keyOf(s))?.[key] ?? 0;
    return elapsed > 0 ? (s[key] - (before <= s[key] ? before : 0)) / elapsed : null;
  };
  const rows = now.subjects.map(s => ({ ...s, rate: rateOf(s, 'msgs'), bytes_rate: rateOf(s, 'bytes') })).sort((a, b) => b.rate - a.rate);
  byId('subjects').hidden = !now.sample_subjects;
  setText(byId('subjectnote'), now.sample_subjects
    ? `Estimates from one of ${now.sample_subjects} messages, over ten seconds.`
    : 'Nothing is sampled. The key sample_subjects of the configuration turns sampling on.');
  fill('subjectrows', rows.slice(0, 20).map(s => [s.subject, s.account, count(s.rate), bytes(s.bytes_rate)]));
}

function showLeafs(now, elapsed) {
  byId('leafs').hidden = now.leafs.length === 0;
  const keyOf = l => `${l.name} ${l.address}`;
  const before = new Map((state.last?.leafs ?? []).map(l => [keyOf(l), l]));
  fill('leafrows', now.leafs.map(l => {
    const rateOf = key => rate(l, before.get(keyOf(l)), elapsed, key);
    return [
      l.name || l.address, l.address, l.account, l.connected ? { text: 'connected', badge: 'badge' } : { text: 'not connected', badge: 'badge bad' },
      count(l.subscriptions), count(rateOf('in_msgs')), count(rateOf('out_msgs')), bytes(rateOf('in_bytes')), bytes(rateOf('out_bytes')),
    ];
  }));
}

function showStreams(now, elapsed) {
  byId('streams').hidden = now.streams === undefined;
  if (now.streams === undefined) { return; }
  const keyOf = s => `${s.account} ${s.name}`;
  const before = new Map((state.last?.streams ?? []).map(s => [keyOf(s), s]));
  const part = now.streams.length === now.streams_total ? ''
    : now.streams.length ? `The first ${now.streams.length} of ${now.streams_total} streams.` : `${count(now.streams_total)} streams are too many to show here.`;
  setText(byId('streamnote'), now.streams_total ? part : 'No stream exists yet.');
  fillList('streamproblems', now.stream_problems);
  byId('streamtable').hidden = now.streams.length === 0;
  fill('streamrows', now.streams.map(s => {
    const rateOf = key => rate(s, before.get(keyOf(s)), elapsed, key);
    return [
      s.name, s.account, count(s.messages), bytes(s.bytes), count(rateOf('last')), count(rateOf('delivered')), count(s.consumers),
      count(s.pending), count(s.unacknowledged), s.damaged ? { text: 'damaged', badge: 'badge bad' } : { text: 'works', badge: 'badge' },
    ];
  }));
}

// Health in one line: what needs the attention of an operator now.
function showSummary(now) {
  const past = state.troubles;
  past.push({ now: now.now, dropped: now.dropped, slow: now.slow_consumers });
  while (past.length > 1 && past[1].now <= now.now - 60000) { past.shift(); }
  const troubles = [];
  if (!now.healthy) { troubles.push('the server shuts down'); }
  if (state.one === null && !state.closed) {
    const slow = state.rows.filter(c => c.note.includes('slow')).length;
    if (slow) { troubles.push(`${slow} slow ${slow === 1 ? 'client' : 'clients'}`); }
  }
  if (now.slow_consumers > past[0].slow) { troubles.push(`${count(now.slow_consumers - past[0].slow)} slow consumers were closed in the last minute`); }
  if (now.dropped > past[0].dropped) { troubles.push(`${count(now.dropped - past[0].dropped)} messages were dropped in the last minute`); }
  const lostLeafs = now.leafs.filter(l => !l.connected).length;
  if (lostLeafs) { troubles.push(`${lostLeafs} of ${now.leafs.length} leaf links are not connected`); }
  for (const problem of now.stream_problems ?? []) { troubles.push(problem); }
  troubles.push(...routeTroubles(now));
  const text = troubles.join('; ');
  setText(byId('summary'), text ? `Needs attention: ${text}.` : 'Nothing needs attention.');
  byId('summary').className = text ? 'badge bad' : 'muted';
}

async function showLog(now) {
  byId('log').hidden = now.log === undefined;
  if (now.log === undefined || now.log === state.logged) { return; }
  state.logged = now.log;
  const answer = await fetch('./logz');
  if (!answer.ok) { return; }
  const lines = (await answer.json()).lines.reverse().slice(0, 100);
  byId('loglines').replaceChildren(...lines.map(line => {
    const item = make('li');
    item.append(make('time', new Date(line.time).toLocaleString()), ' ',
      make('span', line.level, line.level === 'info' ? 'muted' : 'badge bad'), ` ${line.category}: ${line.text}`);
    return item;
  }));
}

function show(now) {
  const elapsed = state.last ? (now.now - state.last.now) / 1000 : 0;
  showServer(now, elapsed);
  showConnections(now, elapsed);
  showSubjects(now);
  showAccounts(now, elapsed);
  showLeafs(now, elapsed);
  showStreams(now, elapsed);
  showRoutes(now, elapsed);
  showSummary(now);
  showLog(now);
  state.last = now;
}

function lost(text) {
  byId('stream').hidden = false;
  setText(byId('stream'), text);
}

function open() {
  state.source?.close();
  const query = state.one === null ? `sort=${state.sort}&state=${state.closed ? 'closed' : 'open'}` : `cid=${state.one}&state=any`;
  const source = new EventSource(`./live?${query}`);
  state.source = source;
  source.onmessage = event => {
    byId('stream').hidden = true;
    show(JSON.parse(event.data));
  };
  source.onerror = () => {
    lost('The stream of the server has ended. The page tries again.');
    if (source.readyState === EventSource.CLOSED && state.source === source) { setTimeout(open, 3000); }
  };
}

const clock = at => new Date(at).toLocaleTimeString();

// The page of one connection: #client=5 is its address.
function showOne() {
  const c = state.rows.find(row => row.cid === state.one);
  const past = state.past.get(state.one);
  setText(byId('onehead'), c ? `Client ${c.cid} ${c.name ?? ''}`.trim() : `Client ${state.one}`);
  const text = !c ? 'The server does not know this client any more.' : c.reason ? `closed: ${c.reason}` : c.note || 'connected';
  setText(byId('onestate'), text);
  byId('onestate').className = c && !c.reason && !c.note ? 'badge' : 'badge bad';
  for (const [key, format] of traffic) {
    const points = past?.rates[key] ?? [];
    setText(byId(`one_${key}`), `${format(c && !c.reason ? points.at(-1) : null)}/s`);
    draw(`one_${key}`, points, format);
  }
  if (!c) { return; }
  const events = [`connected ${new Date(c.started).toLocaleString()}, ${duration(c.uptime)}${c.reason ? ' before it was closed' : ' ago'}`];
  for (const mark of past.slow) { events.push(`slow ${mark.to > mark.from ? `from ${clock(mark.from)} to ${clock(mark.to)}` : `at ${clock(mark.from)}`}`); }
  if (c.stalls) { events.push(`slowed down ${count(c.stalls)} times as a publisher, because a subscriber read too slowly`); }
  if (c.reason) { events.push(`closed ${new Date(c.started + 1000 * c.uptime).toLocaleString()}: ${c.reason}`); }
  fillList('onehistory', events);
  if (state.detailed !== `${c.cid} ${c.subscriptions} ${c.reason}`) {
    state.detailed = `${c.cid} ${c.subscriptions} ${c.reason}`;
    showDetails(c.cid);
  }
}

function fillList(id, texts, name) {
  const list = byId(id);
  while (list.children.length > texts.length) { list.lastChild.remove(); }
  texts.forEach((text, i) => {
    const item = list.children[i] ?? list.appendChild(make('li'));
    setText(name ? item.firstElementChild ?? item.appendChild(make(name)) : item, text);
  });
}

// Facts that change seldom come from /connz, again if the number of subscriptions changes.
async function showDetails(cid) {
  const answer = await fetch(`./connz?cid=${cid}&subs=1&auth=1&state=any`);
  const one = answer.ok ? (await answer.json()).connections?.[0] : null;
  if (!one || state.one !== cid) { return; }
  const facts = Object.entries(one).filter(([key]) => key !== 'subscriptions_list');
  byId('onefacts').replaceChildren(...facts.flatMap(([key, value]) => [make('dt', key.replaceAll('_', ' ')), make('dd', `${value}`)]));
  const all = one.subscriptions_list ?? [];
  setText(byId('onesubhead'), all.length > 500 ? `Subscriptions, the first 500 of ${all.length}` : 'Subscriptions');
  fillList('onesubs', all.length ? all.slice(0, 500) : ['none'], 'code');
}

// The address after # chooses between the page of the server and that of one connection.
function navigate() {
  const before = state.one;
  const asked = /^#client=(\d{1,15})$/.exec(location.hash);
  state.one = asked ? Number(asked[1]) : null;
  state.detailed = null;
  for (const part of byId('main').children) { part.classList.toggle('away', (part.id === 'one') !== (state.one !== null)); }
  byId('one').hidden = state.one === null;
  if (state.one !== null) {
    for (const id of ['onehistory', 'onefacts', 'onesubs']) { byId(id).replaceChildren(); }
    setText(byId('onehead'), `Client ${state.one}`);
    byId('onehead').focus();
  } else if (before !== null) {
    document.querySelector(`#rows a[data-cid="${before}"]`)?.focus();
  }
  showAdmin();
  open();
}

// The administrator. The page has this part only if the server has an administrator.
const admin = { state: null };

async function act(action, fields) {
  const answer = await fetch(`./admin/${action}`, { method: 'POST', headers: { [admin.state.header]: admin.state.token }, body: new URLSearchParams(fields) });
  setText(byId('adminsays'), await answer.text());
  byId('adminsays').className = answer.ok ? 'muted' : 'badge bad';
  await readAdmin();
}

async function readAdmin() {
  const answer = await fetch('./admin');
  if (!answer.ok) { return; }
  admin.state = await answer.json();
  byId('admin').hidden = false;
  showAdmin();
}

function showAdmin() {
  if (!admin.state) { return; }
  const known = admin.state.name !== null;
  byId('login').hidden = known;
  byId('actions').hidden = !known;
  byId('namelabel').hidden = !admin.state.needs_name;
  setText(byId('adminname'), known ? `Logged in as ${admin.state.name}.` : '');
  byId('reload').hidden = !admin.state.reload;
  byId('lameduck').hidden = !admin.state.lameduck;
  byId('closeone').hidden = state.one === null;
}

// An action that clients notice needs a second press within five seconds.
function onSecondPress(button, run) {
  const title = button.textContent;
  let until = 0;
  button.onclick = () => {
    if (Date.now() < until) { until = 0; setText(button, title); run(); return; }
    until = Date.now() + 5000;
    setText(button, `Really? ${title}`);
    setTimeout(() => { if (Date.now() >= until) { setText(button, title); } }, 5100);
  };
}

function beginAdmin() {
  byId('login').onsubmit = async event => {
    event.preventDefault();
    const secret = byId('loginsecret').value;
    byId('loginsecret').value = '';
    await act('login', { name: byId('loginname').value, secret });
  };
  byId('logout').onclick = () => act('logout', {});
  byId('reload').onclick = () => act('reload', {});
  onSecondPress(byId('lameduck'), () => act('lameduck', {}));
  onSecondPress(byId('closeone'), () => act('close', { cid: state.one }));
  readAdmin();
}

function begin() {
  const head = byId('heads');
  for (const column of columns) {
    const cell = head.appendChild(make('th', undefined, column.left ? 'text' : ''));
    cell.scope = 'col';
    if (!column.sort) { cell.textContent = column.title; continue; }
    const button = cell.appendChild(make('button', column.title));
    button.type = 'button';
    button.onclick = () => {
      state.sort = column.sort;
      for (const other of head.cells) { other.removeAttribute('aria-sort'); }
      cell.setAttribute('aria-sort', column.sort === 'cid' ? 'ascending' : 'descending');
      open();
    };
  }
  byId('filter').oninput = event => {
    state.filter = event.target.value.trim().toLowerCase();
    if (state.rows) { fillConnections(); }
  };
  byId('which').onchange = event => {
    state.closed = event.target.value === 'closed';
    open();
  };
  window.onhashchange = navigate;
  if (byId('admin')) { beginAdmin(); }
  byId('main').hidden = false;
  navigate();
}

begin();

// The routes of the ZeroMQ bridge as pictures: ZeroMQ programs | route | subjects. The elements of a route stay as long
// as the route, so that the focus stays on a button.
'use strict';

const programs = [['publishers', 'PUB'], ['subscribers', 'SUB'], ['pushers', 'PUSH'], ['pullers', 'PULL']];
const shownElsewhere = [
  'name', 'pattern', 'security', 'endpoints', 'subjects', 'from_zeromq', 'to_subjects', 'from_subjects', 'to_zeromq', 'refused_because',
  'dropped_because', 'dropped', 'refused', 'peers', 'publishers', 'subscribers', 'pushers', 'pullers', 'paused', 'shadow', 'window', 'credit', 'in_flight',
];

function child(parent, key, name, className) {
  let element = [...parent.children].find(c => c.dataset.part === key);
  if (!element) {
    element = parent.appendChild(make(name, undefined, className));
    element.dataset.part = key;
  }
  return element;
}

function showChild(parent, key, text, className) {
  const element = child(parent, key, 'p');
  element.hidden = !text;
  element.className = className ?? '';
  setText(element, text);
}

function showList(parent, key, texts) {
  const list = child(parent, key, 'div');
  while (list.children.length > texts.length) { list.lastChild.remove(); }
  texts.forEach((text, i) => setText(list.children[i] ?? list.appendChild(make('code')), text));
}

function showFlow(picture, key, right, left) {
  const flow = child(picture, key, 'div', 'flow');
  for (const [side, value] of [['right', right], ['left', left]]) {
    const arrow = child(flow, side, 'p');
    arrow.className = value > 0 ? `${side} on` : side;
    setText(arrow, `${count(value)} msg/s`);
  }
}

function reasons(because) {
  const all = Object.entries(because ?? {}).filter(([, n]) => n).map(([reason, n]) => `${count(n)} ${reason.replaceAll('_', ' ')}`);
  return all.length ? `: ${all.join(', ')}` : '';
}

// Whether the senders of a route have to wait: its windows are used up, and it has taken nothing since the last event.
function isBlocked(route, before) {
  return !route.paused && route.credit === 0 && route.pushers > 0 && before !== undefined && route.from_zeromq === before.from_zeromq;
}

function showMarks(head, route, before) {
  const marks = [];
  if (route.paused) { marks.push(['paused', 'badge warn']); }
  if (route.shadow) { marks.push(['shadow: gets copies', 'badge info']); }
  if (route.shadow === 0 && !route.paused) { marks.push(['takes part', 'badge']); }
  if (isBlocked(route, before)) { marks.push(['PUSH programs wait', 'badge bad']); }
  const list = child(head, 'marks', 'span', 'marks');
  while (list.children.length > marks.length) { list.lastChild.remove(); }
  marks.forEach(([text, className], i) => {
    const mark = list.children[i] ?? list.appendChild(make('span'));
    mark.className = className;
    setText(mark, text);
  });
}

// The windows of a pipeline: how much is on its way, and how much more the other ends take.
function showWindow(middle, route) {
  const box = child(middle, 'window', 'div', 'window');
  const sends = route.credit > 0 || route.in_flight > 0 || route.pushers > 0;
  box.hidden = route.window === undefined || !sends;
  if (box.hidden) { return; }
  const size = route.in_flight + route.credit;
  showChild(box, 'text', size ? `window: ${count(route.in_flight)} in flight, room for ${count(route.credit)}` : 'no PULL side takes messages');
  const bar = child(box, 'bar', 'progress');
  bar.setAttribute('aria-label', `window of route ${route.name}`);
  bar.max = Math.max(1, size);
  bar.value = route.in_flight;
  bar.className = route.credit === 0 ? 'full' : '';
}

function showMiddle(middle, route) {
  const waiting = (route.pending ?? 0) + (route.held ?? 0) + (route.waiting ?? 0);
  showChild(middle, 'waits', waiting ? `${count(waiting)} wait` : 'nothing waits', waiting ? 'waits' : 'muted');
  showWindow(middle, route);
  showChild(middle, 'dropped', route.dropped ? `${count(route.dropped)} dropped${reasons(route.dropped_because)}` : '', 'loss');
  showChild(middle, 'refused', route.refused ? `${count(route.refused)} refused${reasons(route.refused_because)}` : '', 'loss');
  const more = Object.entries(route).filter(([key, value]) => !shownElsewhere.includes(key) && value)
    .map(([key, value]) => `${key.replaceAll('_', ' ')} ${count(value)}`);
  showChild(middle, 'more', more.join(', '), 'muted small');
}

function showRoute(item, route, before, elapsed, server) {
  const head = child(item, 'head', 'div', 'routehead');
  setText(child(head, 'name', 'h3'), route.name);
  setText(child(head, 'pattern', 'span', 'chip'), route.pattern);
  showMarks(head, route, before);
  showButtons(head, route);
  const picture = child(item, 'picture', 'div', 'picture');
  const ends = programs.filter(([key]) => route[key]).map(([key, name]) => `${count(route[key])} ${name}`);
  const zeromq = child(picture, 'zeromq', 'div', 'end');
  setText(child(zeromq, 'title', 'h4'), 'ZeroMQ');
  showChild(zeromq, 'programs', ends.length ? ends.join(', ') : route.peers ? `${count(route.peers)} ${route.peers === 1 ? 'program' : 'programs'}` : 'no program is connected');
  showList(zeromq, 'endpoints', route.endpoints ?? []);
  showChild(zeromq, 'security', route.security === 'NULL' ? '' : route.security, 'muted small');
  showFlow(picture, 'outer', rate(route, before, elapsed, 'from_zeromq'), rate(route, before, elapsed, 'to_zeromq'));
  showMiddle(child(picture, 'route', 'div', 'middle'), route);
  showFlow(picture, 'inner', rate(route, before, elapsed, 'to_subjects'), rate(route, before, elapsed, 'from_subjects'));
  const subjects = child(picture, 'subjects', 'div', 'end');
  setText(child(subjects, 'title', 'h4'), 'Subjects');
  showList(subjects, 'subjects', route.subjects ?? []);
  showChild(subjects, 'server', server ? `server: ${server}` : 'not connected', server ? 'muted small' : 'badge bad');
}

function showRoutes(now, elapsed) {
  const routes = now.pages?.bridgez?.routes ?? [];
  const before = new Map((state.last?.pages?.bridgez?.routes ?? []).map(r => [r.name, r]));
  byId('bridge').hidden = routes.length === 0;
  const list = byId('routes');
  for (const item of [...list.children]) {
    if (!routes.some(r => r.name === item.dataset.part)) { item.remove(); }
  }
  for (const route of routes) {
    showRoute(child(list, route.name, 'li', 'route'), route, before.get(route.name), elapsed, now.pages.bridgez.server);
  }
}

// What an operator should know about the routes, for the line about health.
function routeTroubles(now) {
  const bridge = now.pages?.bridgez;
  if (!bridge?.routes?.length) { return []; }
  const troubles = bridge.server ? [] : ['the ZeroMQ bridge is not connected'];
  const before = new Map((state.last?.pages?.bridgez?.routes ?? []).map(r => [r.name, r]));
  for (const route of bridge.routes) {
    if (route.paused) { troubles.push(`route ${route.name} is paused`); }
    if (isBlocked(route, before.get(route.name))) { troubles.push(`the PUSH programs of route ${route.name} wait`); }
  }
  return troubles;
}

// The administrator's buttons. Each change that programs notice needs a second press.
const changes = [
  ['pause', 'Pause', r => !r.paused, true], ['resume', 'Resume', r => r.paused, false],
  ['begin_shadow', 'Make it a shadow', r => r.shadow === 0, true], ['end_shadow', 'Let it take part', r => r.shadow === 1, true],
];

function showButtons(head, route) {
  const box = child(head, 'buttons', 'span', 'buttons');
  const mayAct = Boolean(admin.state?.name && admin.state.routes);
  box.hidden = !mayAct;
  if (!mayAct) { return; }
  const hadFocus = box.contains(document.activeElement);
  for (const [change, title, isOffered, isAsked] of changes) {
    let button = [...box.children].find(b => b.dataset.part === change);
    if (!button) {
      button = child(box, change, 'button');
      button.type = 'button';
      button.dataset.change = change;
      button.textContent = title;
      const run = () => act('route', { route: route.name, change });
      if (isAsked) { onSecondPress(button, run); } else { button.onclick = run; }
    }
    button.hidden = !isOffered(route);
  }
  // A pressed button gives its place to the one that takes its action back.
  if (hadFocus && document.activeElement === document.body) { box.querySelector('button:not([hidden])')?.focus(); }
}

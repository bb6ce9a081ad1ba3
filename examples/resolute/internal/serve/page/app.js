// The page of `resolute serve`. Everything that comes from catalogs is put into the
// page as text. The state, the problem that is looked at, lies in the link; each
// change of it asks the server for the answer.
'use strict';

const $ = (id) => document.getElementById(id);
let state = {}, start = {}, catalogs = [], good = null, asked = 0, searched = 0;
const packages = new Map(); // by name, what the server says of it

// el makes an element of a tag, properties and children; strings become text.
function el(tag, props, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(props || {})) {
    if (k.startsWith('on')) e.addEventListener(k.slice(2), v);
    else if (k === 'class') e.className = v;
    else if (v !== undefined && v !== false) e.setAttribute(k, v === true ? '' : k.startsWith('aria-') ? plain(v) : v);
  }
  e.append(...children.filter((c) => c !== null && c !== undefined && c !== '').map((c) => typeof c === 'string' ? plain(c) : c));
  return e;
}

// plain shows the marks that would turn the text around them, or hide in it, as what
// they are: a name from a catalog cannot look like another one.
function plain(text) {
  return text.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
}

function encode(value) {
  let s = '';
  for (const b of new TextEncoder().encode(JSON.stringify(value))) s += String.fromCharCode(b);
  return btoa(s).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

function decode(text) {
  const s = atob(text.replace(/-/g, '+').replace(/_/g, '/'));
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(s, (c) => c.charCodeAt(0))));
}

async function ask(path, body) {
  const answer = await fetch(path, body === undefined ? {} :
    { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  const said = await answer.json();
  if (!answer.ok) throw new Error(said.error);
  return said;
}

// change makes a change of the state and goes there.
function change(edit) {
  const next = structuredClone(state);
  edit(next);
  go(next);
}

function go(next) {
  location.hash = encode(next);
}

// list returns the list of the state under a key, made if there is none.
const list = (of, key) => (of[key] = of[key] || []);

function unique(wanted, taken) {
  let name = wanted;
  for (let n = 2; taken.includes(name); n++) name = `${wanted}-${n}`;
  return name;
}

async function known(name) {
  if (!packages.has(name)) packages.set(name, await ask('api/package?name=' + encodeURIComponent(name)).catch(() => null));
  return packages.get(name);
}

// showProblem says what is wrong, in its own place.
const showProblem = (err) => { $('problem').textContent = err ? plain(err.message) : ''; };

async function refresh() {
  const now = ++asked, focused = document.activeElement, shown = state;
  $('status').textContent = '…';
  try {
    // What changes is seen against the last problem that had a solution, or against
    // what is installed, and nothing asked for.
    const [answer] = await Promise.all([ask('api/resolve', { state, before: good || { ...start, subscriptions: [], extensions: [] } }), showAsked()]);
    if (now !== asked) return; // a later question was asked meanwhile
    showProblem();
    showAnswer(answer);
    if (answer.answer.status === 'resolved') good = shown;
    focusAgain(focused);
  } catch (err) {
    if (now !== asked) return;
    $('status').textContent = '';
    for (const id of ['diff', 'conflicts', 'steps', 'warnings']) $(id).replaceChildren();
    showProblem(err);
  }
}

// figure is a picture with its sources, which are asked for when they are to be seen. The
// SVG is parsed as XML, and its elements are put into the page; what is not SVG is not.
function figure(picture, label, sources) {
  const svg = document.importNode(new DOMParser().parseFromString(picture.svg, 'image/svg+xml').documentElement, true);
  if (svg.localName !== 'svg') return '';
  const source = (name, text) => [el('p', { class: 'faint' }, name), el('pre', { tabindex: 0, role: 'group', 'aria-label': `${name} source of: ${label}` }, text)];
  const details = el('details', { ontoggle: async () => {
    if (details.childElementCount > 1) return;
    try {
      const p = sources ? (await sources()).picture : picture;
      details.append(...source('Mermaid', p.mermaid), ...source('DOT', p.dot));
    } catch (err) { showProblem(err); }
  } }, el('summary', {}, 'Show source'));
  return el('figure', {}, el('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': label }, svg), details);
}

// focusAgain keeps the keyboard where it was: on the control that took the place of
// the one that was used, or at the answer if there is no such control any more.
function focusAgain(was) {
  if (!was || was === document.body || was.isConnected) return;
  const label = was.getAttribute('aria-label');
  const same = label && [...document.querySelectorAll('[aria-label]')].find((e) => e.getAttribute('aria-label') === label);
  (same || $('answer')).focus();
}

// What is asked for.

async function showAsked() {
  const subs = state.subscriptions || [];
  await Promise.all(subs.map((s) => known(s.package)));
  $('subscriptions').replaceChildren(...subs.map(showSubscription));
  $('installed').replaceChildren(...(state.installed || []).map((b) => el('li', {}, el('div', { class: 'row' }, b.name,
    b.automatic ? el('span', { class: 'faint' }, 'automatic') : '',
    button('Remove', `Remove the installed ${b.name}`, () => change((s) => {
      s.installed = s.installed.filter((x) => x.name !== b.name);
      for (const sub of list(s, 'subscriptions')) if (sub.installedCSV === b.name) delete sub.installedCSV;
    }))))));
  $('forbidden').replaceChildren(...(state.forbid || []).map((f) => el('li', {}, el('div', { class: 'row' }, f.bundle,
    button('Allow', `Allow ${f.bundle}`, () => change((s) => { s.forbid = s.forbid.filter((x) => x.bundle !== f.bundle || x.catalog !== f.catalog); }))))));
  $('extensions').replaceChildren(...(state.extensions || []).map((e) => el('li', {}, el('div', { class: 'row' }, el('strong', {}, e.package),
    el('span', { class: 'faint' }, [e.name, ...(e.channels || []), e.versionRange, e.installedCSV && 'owns ' + e.installedCSV].filter((x) => x).join(', ')),
    button('Drop', `Drop extension ${e.name}`, () => change((s) => { s.extensions = s.extensions.filter((x) => x.name !== e.name); }))))));
  $('relaxed').replaceChildren(...(state.relax || []).map((r, i) => el('li', {}, el('div', { class: 'row' }, `${r.bundle}: ${r.constraint ? JSON.stringify(r.constraint.value) : 'everything'}`,
    button('Restore', `Let what ${r.bundle} requires count again, ${i + 1}`, () => change((s) => { s.relax.splice(i, 1); }))))));
  for (const [id, key] of [['extensions', 'extensions'], ['relaxed', 'relax'], ['forbidden', 'forbid']]) $(id + '-part').hidden = !(state[key] || []).length;
  for (const [key, select] of policySelects) select.value = (state.policy || {})[key] || '';
  const cluster = state.cluster || {};
  $('kubernetes').value = cluster.kubernetesVersion || '';
  $('openshift').value = cluster.openshiftVersion || '';
  $('apis').value = (cluster.apis || []).map((a) => `${a.group}/${a.version}/${a.kind}`).join(' ');
  const group = state.operatorGroup;
  $('targets').value = !group ? '' : (group.targetNamespaces || []).join(' ') || '*';
}

function button(text, label, press, props) {
  return el('button', { type: 'button', 'aria-label': label, onclick: press, ...props }, text);
}

function showSubscription(sub) {
  const at = (s) => list(s, 'subscriptions').find((x) => x.name === sub.name);
  const info = packages.get(sub.package);
  const channels = [], bundles = [];
  for (const c of info ? info.catalogs : []) {
    if (sub.catalog && sub.catalog !== c.catalog) continue;
    for (const ch of c.channels) {
      if (!channels.includes(ch.name)) channels.push(ch.name);
      if (!sub.channel || sub.channel === ch.name) for (const e of ch.entries) if (!bundles.some((b) => b.bundle === e.bundle)) bundles.push(e);
    }
  }
  if (sub.channel && !channels.includes(sub.channel)) channels.push(sub.channel);
  const pinned = sub.startingCSV || (bundles.find((b) => sub.versionRange === '=' + b.version) || {}).bundle || '';
  return el('li', {}, el('div', { class: 'row' },
    el('strong', {}, sub.package), sub.name !== sub.package ? el('span', { class: 'faint' }, sub.name) : '',
    sub.installedCSV ? el('span', { class: 'faint' }, 'owns ' + sub.installedCSV) : '',
    sub.versionRange && !pinned ? el('span', { class: 'faint' }, 'version ' + sub.versionRange) : '',
    sub.hold ? el('span', { class: 'faint' }, 'held: ' + sub.hold) : '',
    choice(`Channel of ${sub.name}`, 'any channel', channels, sub.channel || '', (v) => change((s) => {
      const x = at(s);
      delete x.channels;
      if (v) x.channel = v; else delete x.channel;
    })),
    choice(`Version of ${sub.name}`, 'best version', bundles.map((b) => b.bundle), pinned, (v) => change((s) => {
      const x = at(s);
      delete x.startingCSV;
      delete x.versionRange;
      if (v && x.installedCSV) x.versionRange = '=' + bundles.find((b) => b.bundle === v).version;
      else if (v) x.startingCSV = v;
    })),
    ...((info || { catalogs: [] }).catalogs.slice(0, 1).map((c) => button('Graph', `Update graph of ${sub.package}`, () => showGraph(c.catalog, sub.package, sub.channel)))),
    button('Drop', `Drop subscription ${sub.name}`, () => change((s) => { s.subscriptions = s.subscriptions.filter((x) => x.name !== sub.name); }))));
}

// choice is a labelled select, its first option being none.
function choice(label, none, values, chosen, pick) {
  const select = el('select', { 'aria-label': label, onchange: () => pick(select.value) },
    el('option', { value: '' }, none), ...values.map((v) => el('option', { value: v }, v)));
  if (chosen && !values.includes(chosen)) select.append(el('option', { value: chosen }, chosen));
  select.value = chosen;
  return select;
}

// subscribe adds a subscription, to one catalog if there are several.
function subscribe(s, catalog, name, more) {
  const subs = list(s, 'subscriptions');
  subs.push({ name: unique(name, subs.map((x) => x.name)), package: name, ...(catalogs.length > 1 ? { catalog } : {}), ...more });
}

function pretend(s, more) {
  if (!list(s, 'installed').some((b) => b.name === more.name)) s.installed.push(more);
}

async function search() {
  const now = ++searched, q = $('search').value.trim();
  if (!q) { $('found').replaceChildren(); return; }
  try {
    const found = await ask('api/search?q=' + encodeURIComponent(q));
    if (now !== searched) return;
    const row = (name, about, ...buttons) => el('li', {}, el('div', { class: 'row' }, el('strong', {}, name), el('span', { class: 'faint' }, about), ...buttons));
    const rows = found.packages.map((p) => row(p.name, p.catalog + (p.head ? ', ' + p.head : ''),
      button('Subscribe', `Subscribe to ${p.name} of ${p.catalog}`, () => change((s) => subscribe(s, p.catalog, p.name))),
      button('Graph', `Update graph of ${p.name} of ${p.catalog}`, () => showGraph(p.catalog, p.name, ''))));
    rows.push(...(found.bundles || []).map((b) => row(b.bundle, `${b.package} of ${b.catalog}`,
      button('Subscribe', `Subscribe to ${b.package} at ${b.bundle}`, () => change((s) => subscribe(s, b.catalog, b.package, { startingCSV: b.bundle }))),
      button('Installed', `Pretend that ${b.bundle} is installed`, () => change((s) => pretend(s, { name: b.bundle, package: b.package, version: b.version, catalog: b.catalog }))),
      button('Forbid', `Forbid ${b.bundle} of ${b.catalog}`, () => change((s) => list(s, 'forbid').push({ bundle: b.bundle, catalog: b.catalog }))),
      button('Why?', `Why ${b.bundle}, or why not?`, () => explain(b.catalog + ':' + b.bundle)))));
    if (found.more) rows.push(el('li', { class: 'faint' }, `and ${found.more} more: say more of the name`));
    if (!rows.length) rows.push(el('li', { class: 'faint' }, 'no such package' + ((found.near || []).length ? '; did you mean ' + found.near.join(' or ') + '?' : '')));
    $('found').replaceChildren(...rows);
  } catch (err) { showProblem(err); }
}

// The answer.

const words = { resolved: 'Resolved', unsatisfiable: 'There is no solution', invalid: 'The problem is not well formed', incomplete: 'Not finished in time' };

function showAnswer(said) {
  const a = said.answer, n = (a.set || []).length;
  $('status').textContent = said.otherwise ? 'R' + plain(said.otherwise).slice(1) : plain(words[a.status] + (a.status === 'resolved' ? `: ${n} ${n === 1 ? 'bundle' : 'bundles'}` : '') + (a.error && !said.conflicts ? ': ' + a.error : ''));
  $('status').className = said.otherwise ? 'warn' : a.status === 'resolved' ? 'good' : 'bad';
  $('diff').replaceChildren(...showDiff(said.diff));
  $('conflicts').replaceChildren(...(said.conflicts || []).flatMap(showConflict));
  $('steps').replaceChildren(...showSteps(a.steps || [], said.picture));
  $('warnings').replaceChildren(...((a.warnings || []).length ? [el('h3', {}, 'Warnings'), el('ul', {}, ...a.warnings.map((w) => el('li', {}, w.message || `${w.kind} ${w.bundle}`)))] : []),
    ...(a.unresolved || []).map((u) => el('pre', { tabindex: 0 }, `Left out: ${u.subscription || u.installed}\n${u.conflict.text}`)));
  $('bundles').replaceChildren(...(a.set || []).map((b) => el('option', { value: b })));
}

function showDiff(d) {
  if (!d) return [];
  const lines = [...(d.install || []).map((b) => el('li', { class: 'new' }, '+ ' + b)), ...(d.remove || []).map((b) => el('li', { class: 'gone' }, '− ' + b)),
    ...(d.upgrade || []).map((m) => el('li', {}, `~ ${m.from} → ${m.to}`))];
  return lines.length ? [el('h3', {}, 'What this changes'), el('ul', { 'aria-label': 'What this changes' }, ...lines)] : [];
}

function showConflict(c) {
  const offers = (c.offers || []).map((o) => {
    const then = (o.result || []).length ? ' (then: ' + o.result.join(', ') + ')' : '';
    const left = o.remaining ? `, and ${o.remaining} other ${o.remaining === 1 ? 'conflict is' : 'conflicts are'} left` : '';
    return o.state ? button(o.text + then + left, 'Apply: ' + o.text, () => go(o.state), { class: 'offer' })
      : el('p', { class: 'faint' }, o.text + then);
  });
  return [el('h3', {}, c.headline), el('pre', { tabindex: 0, role: 'group', 'aria-label': 'The argument' }, c.text),
    offers.length ? el('h3', {}, 'Any of these would resolve it') : c.tried ? el('p', {}, `No small set of changes was found that would resolve it: ${c.tried} were tried.`) : '', ...offers,
    figure(c.picture, 'The conflict as a graph')].filter((x) => x);
}

function showSteps(steps, picture) {
  if (!steps.length) return [];
  return [figure(picture, 'The steps, wave by wave'), el('div', { class: 'tables' }, el('table', {}, el('caption', { class: 'faint' }, 'Steps, wave by wave'),
    el('thead', {}, el('tr', {}, ...['Wave', 'Action', 'Bundle', 'From', 'Because', ''].map((h) => el('th', { scope: 'col' }, h)))),
    el('tbody', {}, ...steps.map((s) => el('tr', {},
      el('td', {}, String(s.wave)), el('td', {}, s.action), el('td', {}, s.bundle + (s.replaces ? ` (replaces ${[].concat(s.replaces).join(', ')})` : '')),
      el('td', {}, [s.catalog, s.channel].filter((x) => x).join(', ')), el('td', {}, (s.because || []).map(reason).join('; ')),
      el('td', {}, button('Why?', `Why ${s.bundle}?`, () => explain(s.bundle)), ' ',
        button('Forbid', `Forbid ${s.bundle}`, () => change((x) => list(x, 'forbid').push({ bundle: s.bundle })))))))))];
}

const reason = (b) => b.subscription ? 'subscription ' + b.subscription : b.installed ? 'it is installed' : b.bundle ? `${b.bundle} requires ${b.constraint}` : '';

async function explain(bundle) {
  try {
    const said = await ask('api/why', { state, bundle });
    showProblem();
    $('because').replaceChildren(el('pre', { tabindex: 0, role: 'group', 'aria-label': 'Why' }, said.text), said.picture ? figure(said.picture, 'What stands in the way') : '');
    $('because').hidden = false;
    $('because').firstChild.focus();
  } catch (err) { showProblem(err); }
}

async function follow() {
  try {
    const road = await ask('api/road', { state });
    const states = road.states || [];
    const n = (road.rounds || []).filter((r) => !r.conflict).length;
    const rounds = (road.rounds || []).map((r, i) => el('li', {}, el('strong', {}, `Round ${i + 1}`), ' ',
      i < states.length ? button('Go there', `Go to the state after round ${i + 1}`, () => go(states[i])) : '',
      el('ul', {}, ...(r.steps || []).filter((s) => s.action !== 'keep').map((s) => el('li', {}, `${s.action} ` + (s.replaces ? [].concat(s.replaces).join(', ') + ' → ' : '') + s.bundle)))));
    const end = road.end || (n ? `Settled after ${n} ${n === 1 ? 'round' : 'rounds'}.` : 'Nothing is left to do.');
    const last = (road.rounds || [])[n];
    $('road').replaceChildren(el('h3', {}, 'The road'), el('p', {}, end === 'nothing changes' ? 'Nothing is left to do.' : end),
      n ? figure(road.picture, 'The upgrade road, round by round') : '', el('ol', { 'aria-label': 'Rounds' }, ...rounds),
      last && last.conflict ? el('pre', { tabindex: 0, role: 'group', 'aria-label': 'What ends the road' }, last.conflict.text) : '');
  } catch (err) { showProblem(err); }
}

async function showGraph(catalog, name, channel) {
  try {
    const question = { state, catalog, package: name, channel: channel || '' }, said = await ask('api/graph', question);
    const title = `Update graph of ${name} of ${catalog}${channel ? ', channel ' + channel : ''}`;
    $('graph-title').textContent = plain(title);
    $('graph-picture').replaceChildren(figure(said.picture, title, () => ask('api/graph', { ...question, sources: true })));
    $('graph').hidden = false;
    $('graph').scrollIntoView({ block: 'nearest' });
  } catch (err) { showProblem(err); }
}

// The parts that are there from the beginning.

const policies = { upgrades: ['SelfCertified'], compounds: ['PerBundle'], goal: ['MinimalChange', 'Oldest'], deprecations: ['Avoid'], failures: ['Partial'], compatibility: ['Require', 'Ignore'], dependencies: ['Plan'] };
const policySelects = Object.entries(policies).map(([key, values]) => [key, choice(`Policy ${key}`, 'default', values, '', (v) => change((s) => {
  s.policy = s.policy || {};
  if (v) s.policy[key] = v; else delete s.policy[key];
}))]);

function fields() {
  const onCluster = (id, key) => $(id).addEventListener('change', () => change((s) => {
    s.cluster = s.cluster || {};
    if ($(id).value.trim()) s.cluster[key] = $(id).value.trim(); else delete s.cluster[key];
  }));
  // The link holds the state, so that one within the page must not go there.
  document.querySelector('.skip').addEventListener('click', (e) => { e.preventDefault(); $('answer').focus(); });
  onCluster('kubernetes', 'kubernetesVersion');
  onCluster('openshift', 'openshiftVersion');
  $('apis').addEventListener('change', () => change((s) => {
    s.cluster = s.cluster || {};
    const apis = $('apis').value.trim().split(/[\s,]+/).filter((x) => x).map((x) => { const [kind, version, ...group] = x.split('/').reverse(); return { group: group.reverse().join('/'), version: version || '', kind }; });
    if (apis.length) s.cluster.apis = apis; else delete s.cluster.apis;
  }));
  $('targets').addEventListener('change', () => change((s) => {
    const said = $('targets').value.trim();
    if (!said) delete s.operatorGroup;
    else s.operatorGroup = { targetNamespaces: said === '*' ? [] : said.split(/[\s,]+/) };
  }));
  $('policy').append(...policySelects.map(([key, select]) => el('p', {}, el('span', { class: 'faint' }, key + ' '), select)));
  $('search').addEventListener('input', search);
  $('search-form').addEventListener('submit', (e) => { e.preventDefault(); search(); });
  $('install-form').addEventListener('submit', (e) => {
    e.preventDefault();
    const name = $('install').value.trim();
    $('install').value = '';
    if (name) change((s) => pretend(s, { name }));
  });
  $('why-form').addEventListener('submit', (e) => { e.preventDefault(); if ($('why').value.trim()) explain($('why').value.trim()); });
  $('follow').addEventListener('click', follow);
  $('undo').addEventListener('click', () => history.back());
  $('reset').addEventListener('click', () => go(start));
  $('copy').addEventListener('click', async () => { await navigator.clipboard.writeText(location.href); $('status').textContent = 'The link is copied.'; });
  $('export').addEventListener('click', async () => {
    try {
      const said = await ask('api/export', { state });
      $('yaml').textContent = said.yaml;
      $('save').href = 'data:text/yaml;charset=utf-8,' + encodeURIComponent(said.yaml);
      $('exported').hidden = false;
      $('exported').scrollIntoView({ block: 'nearest' });
    } catch (err) { showProblem(err); }
  });
  window.addEventListener('hashchange', enter);
}

// enter takes the state out of the link.
function enter() {
  try {
    state = location.hash.length > 1 ? decode(location.hash.slice(1)) : structuredClone(start);
  } catch {
    state = structuredClone(start);
    showProblem(new Error('The link is damaged; this is the beginning.'));
  }
  for (const id of ['road', 'diff']) $(id).replaceChildren();
  $('because').hidden = true;
  refresh();
}

(async () => {
  try {
    const said = await ask('api/start');
    start = said.state;
    catalogs = said.catalogs || [];
    $('catalogs').textContent = catalogs.map((c) => `${c.key}: ${c.packages} packages, ${c.bundles} bundles`).join('; ');
    fields();
    enter();
  } catch (err) { showProblem(err); }
})();

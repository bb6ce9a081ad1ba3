// The page of `resolute serve`. The state, the problem that is looked at, lies in the
// link; each change of it asks the server for the answer. Answers come as HTML, made by
// the same template as the reports, which escapes everything that comes from catalogs; what
// this script adds, it puts into the page as text.
'use strict';

const $ = (id) => document.getElementById(id);
let state = {}, start = {}, catalogs = [], good = null, asked = 0, searched = 0, hot = [];
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

const empty = (s) => !['subscriptions', 'extensions', 'installed'].some((key) => (s[key] || []).length);

// put puts what the server made into a part of the page. A button whose state there is
// none of is taken away.
function put(id, part) {
  $(id).innerHTML = part.html;
  for (const b of $(id).querySelectorAll('[data-go]')) {
    const to = (part.states || [])[b.dataset.go];
    if (to) b.addEventListener('click', () => go(to)); else b.remove();
  }
}

// pressed acts on the names and buttons of what the server made.
function pressed(event) {
  const at = event.target.closest('[data-why], [data-forbid], [data-graph]');
  if (!at) return;
  event.preventDefault(); // the link of the page holds the state
  if (at.dataset.why) explain(at.dataset.why);
  if (at.dataset.forbid) change((s) => list(s, 'forbid').push({ bundle: at.dataset.forbid }));
  if (at.dataset.graph) showGraph(at.dataset.catalog, at.dataset.graph, '');
}

async function refresh() {
  const now = ++asked, focused = document.activeElement, shown = state;
  $('answer').ariaBusy = 'true';
  try {
    // What changes is seen against the last problem that had a solution, or against
    // what is installed, and nothing asked for.
    const said = await ask('api/resolve', { state, before: good || { ...start, subscriptions: [], extensions: [] } });
    await Promise.all((state.subscriptions || []).map((s) => known(s.package)));
    if (now !== asked) return; // a later question was asked meanwhile
    hot = said.changes || [];
    showProblem();
    put('said', said);
    $('status').textContent = said.headline;
    $('bundles').replaceChildren(...(said.set || []).map((b) => el('option', { value: b })));
    if (said.status === 'resolved') good = shown;
  } catch (err) {
    if (now !== asked) return;
    hot = [];
    $('status').textContent = '';
    $('said').replaceChildren();
    showProblem(err);
  }
  showAsked();
  $('answer').ariaBusy = 'false';
  focusAgain(focused);
}

// focusAgain keeps the keyboard where it was: on the control that took the place of
// the one that was used, or at the answer if there is no such control any more.
function focusAgain(was) {
  if (!was || was === document.body || was.isConnected && was.checkVisibility()) return;
  const label = was.getAttribute('aria-label');
  const same = label && [...document.querySelectorAll('[aria-label]')].find((e) => e.getAttribute('aria-label') === label && e.checkVisibility());
  (same || $('answer')).focus();
}

// What is asked for: a list to read, each line of which opens in its place.

const tag = (text, isHot) => text ? el('span', { class: isHot ? 'tag hot' : 'tag' }, text) : '';
const isHot = (subject, ...kinds) => hot.some((c) => c.subject === subject && kinds.includes(c.kind));

function line(name, about, tags, ...buttons) {
  return el('li', {}, el('div', { class: 'row' }, el('span', { class: 'name' }, name), ...buttons,
    about ? el('small', { class: 'soft' }, about) : '', tags ? el('span', { class: 'tags' }, ...tags) : ''));
}

const remove = (label, edit) => button('✕', label, () => change(edit), { class: 'quiet' });

function showAsked() {
  const open = [...document.querySelectorAll('#subscriptions details[open]')].map((d) => d.dataset.name);
  const owner = (name) => (list(state, 'subscriptions').find((s) => s.installedCSV === name) || {}).name;
  $('subscriptions').replaceChildren(...(state.subscriptions || []).map((s) => showSubscription(s, open.includes(s.name))));
  $('installed').replaceChildren(...(state.installed || []).map((b) => line(b.name, owner(b.name) ? 'owned by ' + owner(b.name) : '',
    [tag(b.automatic ? 'came as a dependency' : ''), tag(isHot(b.name, 'removeInstalled', 'adoptInstalled') ? 'in conflict' : '', true)],
    remove(`Remove the installed ${b.name}`, (s) => {
      s.installed = s.installed.filter((x) => x.name !== b.name);
      for (const sub of list(s, 'subscriptions')) if (sub.installedCSV === b.name) delete sub.installedCSV;
    }))));
  $('forbidden').replaceChildren(...(state.forbid || []).map((f) => line(f.bundle, f.message, null,
    remove(`Allow ${f.bundle}`, (s) => { s.forbid = s.forbid.filter((x) => x.bundle !== f.bundle || x.catalog !== f.catalog); }))));
  $('extensions').replaceChildren(...(state.extensions || []).map((e) => line(e.package, e.name !== e.package ? e.name : '',
    [...(e.channels || []), e.versionRange, e.installedCSV && 'owns ' + e.installedCSV].map((x) => tag(x)),
    remove(`Drop extension ${e.name}`, (s) => { s.extensions = s.extensions.filter((x) => x.name !== e.name); }))));
  $('relaxed').replaceChildren(...(state.relax || []).map((r, i) => line(r.bundle, r.constraint ? JSON.stringify(r.constraint.value) : 'everything', null,
    remove(`Let what ${r.bundle} requires count again, ${i + 1}`, (s) => { s.relax.splice(i, 1); }))));
  for (const [id, key] of [['relaxed', 'relax'], ['forbidden', 'forbid']]) $(id + '-part').hidden = !(state[key] || []).length;
  showRules();
}

function showRules() {
  for (const [key, select] of policySelects) select.value = (state.policy || {})[key] || '';
  const cluster = state.cluster || {}, group = state.operatorGroup;
  $('kubernetes').value = cluster.kubernetesVersion || '';
  $('openshift').value = cluster.openshiftVersion || '';
  $('apis').value = (cluster.apis || []).map((a) => `${a.group}/${a.version}/${a.kind}`).join(' ');
  $('targets').value = !group ? '' : (group.targetNamespaces || []).join(' ') || '*';
  const said = [cluster.openshiftVersion && 'OpenShift ' + cluster.openshiftVersion, cluster.kubernetesVersion && 'Kubernetes ' + cluster.kubernetesVersion,
    (cluster.apis || []).length && `${cluster.apis.length} APIs`, group && 'watches ' + $('targets').value, ...Object.entries(state.policy || {}).map(([key, value]) => `${key}: ${value}`)].filter((x) => x);
  $('rules-said').replaceChildren(...(said.length ? said : ['any cluster', 'default rules']).map((x) => tag(x)));
}

function button(text, label, press, props) {
  return el('button', { type: 'button', 'aria-label': label, onclick: press, ...props }, text);
}

function showSubscription(sub, open) {
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
  return el('li', {}, el('details', { open, 'data-name': sub.name },
    el('summary', {}, el('b', {}, sub.package),
      sub.name !== sub.package ? el('small', { class: 'soft' }, 'subscription ' + sub.name) : '',
      el('span', { class: 'tags' },
        tag(sub.channel || (sub.channels || []).join(', ') || 'any channel', isHot(sub.name, 'changeChannel')),
        tag([sub.startingCSV && 'starts with ' + sub.startingCSV, sub.versionRange && 'version ' + sub.versionRange].filter((x) => x).join(', ') || 'best version', isHot(sub.name, 'releasePin')),
        tag(sub.catalog && catalogs.length > 1 ? 'of ' + sub.catalog : ''),
        tag(sub.installedCSV && 'owns ' + sub.installedCSV), tag(sub.hold && 'on hold: ' + sub.hold, isHot(sub.name, 'releasePin')))),
    el('div', { class: 'form' },
      choice('Channel', `Channel of ${sub.name}`, 'any channel', channels, sub.channel || '', (v) => change((s) => {
        const x = at(s);
        delete x.channels;
        if (v) x.channel = v; else delete x.channel;
      })),
      choice('Version', `Version of ${sub.name}`, sub.versionRange && !pinned ? sub.versionRange : 'best version', bundles.map((b) => b.bundle), pinned, (v) => change((s) => {
        const x = at(s);
        delete x.startingCSV;
        delete x.versionRange;
        if (v && x.installedCSV) x.versionRange = '=' + bundles.find((b) => b.bundle === v).version;
        else if (v) x.startingCSV = v;
      })),
      el('div', { class: 'bar' },
        button('Any version', `Any version of ${sub.name}`, () => change((s) => { delete at(s).startingCSV; delete at(s).versionRange; }), { disabled: !sub.startingCSV && !sub.versionRange }),
        button('Update graph', `Update graph of ${sub.package}`, () => showGraph('', sub.package, sub.channel)),
        button('Drop', `Drop subscription ${sub.name}`, () => change((s) => { s.subscriptions = s.subscriptions.filter((x) => x.name !== sub.name); }))))));
}

// choice is a select with what stands above it and its label, its first option being none.
function choice(title, label, none, values, chosen, pick) {
  const select = el('select', { 'aria-label': label, onchange: () => pick(select.value) },
    el('option', { value: '' }, none), ...values.map((v) => el('option', { value: v }, v)));
  if (chosen && !values.includes(chosen)) select.append(el('option', { value: chosen }, chosen));
  select.value = chosen;
  return el('label', {}, title, select);
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
  $('found').hidden = !q;
  if (!q) { $('found').replaceChildren(); return; }
  try {
    const found = await ask('api/search?q=' + encodeURIComponent(q));
    if (now !== searched) return;
    const hit = (name, about, ...buttons) => el('li', { class: 'hit' }, el('b', {}, name), el('span', { class: 'soft small' }, about), el('span', { class: 'bar' }, ...buttons));
    const act = (text, label, edit, props) => button(text, label, () => { $('search').value = ''; search(); change(edit); }, props);
    const rows = found.packages.map((p) => hit(p.name, [p.head, p.catalog].filter((x) => x).join(', of '),
      act('Add', `Subscribe to ${p.name} of ${p.catalog}`, (s) => subscribe(s, p.catalog, p.name), { class: 'go' }),
      button('Update graph', `Update graph of ${p.name} of ${p.catalog}`, () => showGraph(p.catalog, p.name, ''))));
    rows.push(...(found.bundles || []).map((b) => hit(b.bundle, `${b.package} of ${b.catalog}`,
      act('Add', `Subscribe to ${b.package} at ${b.bundle}`, (s) => subscribe(s, b.catalog, b.package, { startingCSV: b.bundle }), { class: 'go' }),
      act('Is installed', `Pretend that ${b.bundle} is installed`, (s) => pretend(s, { name: b.bundle, package: b.package, version: b.version, catalog: b.catalog })),
      act('Forbid', `Forbid ${b.bundle} of ${b.catalog}`, (s) => list(s, 'forbid').push({ bundle: b.bundle, catalog: b.catalog })),
      button('Why?', `Why ${b.bundle}, or why not?`, () => explain(b.catalog + ':' + b.bundle)))));
    if (found.more) rows.push(el('li', { class: 'soft' }, `and ${found.more} more: say more of the name`));
    if (!rows.length) rows.push(el('li', { class: 'soft' }, 'No such package' + ((found.near || []).length ? '; did you mean ' + found.near.join(' or ') + '?' : '.')));
    $('found').replaceChildren(...rows);
  } catch (err) { showProblem(err); }
}

// Further questions.

// show asks a question, puts what is said into its place, and goes there.
async function show(id, path, question) {
  try {
    const said = await ask(path, { state, ...question });
    showProblem();
    playing(true);
    $('found').hidden = true;
    put(id, said);
    $(id).scrollIntoView({ block: 'nearest' });
    return true;
  } catch (err) { showProblem(err); }
}

async function explain(bundle) {
  if (await show('because', 'api/why', { bundle })) { $('because').tabIndex = -1; $('because').focus(); }
}

async function showGraph(catalog, name, channel) {
  const from = catalog || (((await known(name)) || { catalogs: [] }).catalogs[0] || {}).catalog || '';
  const question = { catalog: from, package: name, channel: channel || '' };
  if (!await show('graph', 'api/graph', question)) return;
  const title = `Update graph of ${name}`;
  const details = el('details', { ontoggle: async () => {
    if (details.childElementCount > 1) return;
    try {
      const said = await ask('api/graph', { state, ...question, sources: true });
      for (const [form, text] of [['Mermaid', said.mermaid], ['DOT', said.dot]]) details.append(el('p', { class: 'soft small' }, form), el('pre', { tabindex: 0, role: 'group', 'aria-label': `${form} source of: ${title}` }, text));
    } catch (err) { showProblem(err); }
  } }, el('summary', {}, 'Show source'));
  $('graph').querySelector('figure').append(details);
}

// The parts that are there from the beginning.

const policies = { upgrades: ['SelfCertified'], compounds: ['PerBundle'], goal: ['MinimalChange', 'Oldest'], deprecations: ['Avoid'], failures: ['Partial'], compatibility: ['Require', 'Ignore'], dependencies: ['Plan'] };
const policySelects = Object.entries(policies).map(([key, values]) => {
  const label = choice(key, `Policy ${key}`, 'default', values, '', (v) => change((s) => {
    s.policy = s.policy || {};
    if (v) s.policy[key] = v; else delete s.policy[key];
  }));
  return [key, label.querySelector('select'), label];
});

// playing shows the problem and its answer, or the start page.
function playing(yes) {
  $('play').hidden = !yes;
  $('start').hidden = $('start-title').hidden = yes;
  document.body.classList.toggle('start', !yes);
}

// showStart fills in the start page: problems to begin with, and packages.
async function showStart(examples) {
  const tile = (title, about, label, press) => el('li', {}, button('', label || title, press, { class: 'tile' }));
  const fill = (li, title, about) => { li.firstChild.append(el('b', {}, plain(title)), el('span', { class: 'soft small' }, plain(about))); return li; };
  const all = empty(start) ? examples : [{ title: 'The scenario', about: 'that this page was started with', state: start }, ...examples];
  $('examples').replaceChildren(...all.map((e) => fill(tile(e.title, e.about, `${e.title} ${e.about}`, () => go(e.state)), e.title, e.about)));
  const found = await ask('api/search?q=');
  $('packages').replaceChildren(...found.packages.map((p) => fill(tile(p.name, p.head || p.catalog, `Subscribe to ${p.name} of ${p.catalog}`, () => change((s) => subscribe(s, p.catalog, p.name))), p.name, p.head || p.catalog)));
  $('packages-more').textContent = found.more ? `and ${found.more} more: search for them above` : '';
}

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
  $('policy').append(...policySelects.map(([, , label]) => label));
  $('answer').addEventListener('click', pressed);
  $('search').addEventListener('input', search);
  $('search').addEventListener('focus', search);
  $('search-form').addEventListener('submit', (e) => { e.preventDefault(); search(); });
  $('search-form').addEventListener('keydown', (e) => { if (e.key === 'Escape') { $('search').focus(); $('found').hidden = true; } });
  document.addEventListener('click', (e) => { if (!$('search-form').contains(e.target)) $('found').hidden = true; });
  $('add').addEventListener('click', () => $('search').focus());
  $('home').addEventListener('click', () => go({}));
  $('install-form').addEventListener('submit', (e) => {
    e.preventDefault();
    const name = $('install').value.trim();
    $('install').value = '';
    if (name) change((s) => pretend(s, { name }));
  });
  $('why-form').addEventListener('submit', (e) => { e.preventDefault(); if ($('why').value.trim()) explain($('why').value.trim()); });
  $('follow').addEventListener('click', () => show('path', 'api/path'));
  $('undo').addEventListener('click', () => history.back());
  $('reset').addEventListener('click', () => go(start));
  $('copy').addEventListener('click', async () => { await navigator.clipboard.writeText(location.href); $('status').textContent = $('copy').textContent = 'The link is copied'; setTimeout(() => { $('copy').textContent = 'Copy link'; }, 2000); });
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
  for (const id of ['because', 'graph', 'path']) $(id).replaceChildren();
  $('exported').hidden = true;
  playing(!empty(state));
  refresh();
}

(async () => {
  try {
    const said = await ask('api/start');
    start = said.state;
    catalogs = said.catalogs || [];
    const n = (count, what) => `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
    $('catalogs').textContent = catalogs.map((c) => `${plain(c.key)}: ${n(c.packages, 'package')}, ${n(c.bundles, 'bundle')}`).join('; ');
    fields();
    enter();
    await showStart(said.examples || []);
  } catch (err) { playing(true); showProblem(err); }
})();

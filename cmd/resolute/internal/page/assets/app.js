// The page of `resolute serve` and of the static site. Its state, a scenario, is part of the link; each change
// requests a new answer. Answers are HTML from the template of the reports, which escapes names
// from catalogs. This script adds content as text only.
'use strict';

const $ = (id) => document.getElementById(id);
let state = {}, start = {}, catalogs = [], good = null, asked = 0, searched = 0, hot = [], entered = null, depth = 0;
const packages = new Map(); // cached package details by name

// el creates an element with a tag, properties and children; strings become text nodes.
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

// plain makes bidirectional and invisible characters visible, so that names from catalogs
// cannot imitate others.
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
  const value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(s, (c) => c.charCodeAt(0))));
  const object = (v) => typeof v === 'object' && v !== null && !Array.isArray(v);
  const lists = ['subscriptions', 'extensions', 'installed', 'forbid', 'relax'];
  const sound = object(value) && lists.every((key) => value[key] === undefined || Array.isArray(value[key]) && value[key].every(object)) &&
    ['cluster', 'policy', 'operatorGroup'].every((key) => value[key] === undefined || object(value[key])) &&
    (!value.policy || value.policy.veto === undefined || Array.isArray(value.policy.veto) && value.policy.veto.every(object));
  if (!sound) throw new Error('no state');
  return value;
}

// ask sends a call to the server, or to the worker of a static site.
async function ask(path, body) {
  if (window.site) return window.site.ask(path, body);
  const answer = await fetch(path, body === undefined ? {} :
    { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  const said = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(said.error), { problems: said.problems || [] });
  return said;
}

// change edits the state and goes there.
function change(edit) {
  const next = structuredClone(state);
  edit(next);
  go(next);
}

// go adds a history entry that Undo can revert.
function go(next) {
  follow('#' + encode(next));
}

// follow goes to a link of the page.
function follow(link) {
  if (link === location.hash) return;
  history.pushState({ depth: depth + 1 }, '', link);
  enter();
}

// problemText returns the part of the link that contains the problem.
const problemText = () => location.hash.slice(1).split('&')[0];

// list returns a list of the state, creating it if necessary.
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

// showProblem shows an error about the whole problem at the top.
const showProblem = (err) => { $('problem').textContent = err ? plain(err.message) : ''; };

// entitle sets the document title to the verdict.
const entitle = (verdict) => { document.title = plain(verdict) + ' · resolute'; };

let named = 0;

// fault shows an error at a control, or clears it.
function fault(control, err) {
  control.id = control.id || 'control-' + ++named;
  const id = control.id + '-fault';
  if ($(id)) $(id).remove();
  control.removeAttribute('aria-describedby');
  control.removeAttribute('aria-invalid');
  if (!err) return;
  control.setAttribute('aria-describedby', id);
  if (control.matches('input, select')) control.setAttribute('aria-invalid', 'true');
  const said = el('span', { class: 'fault', id, role: 'alert' }, err.message);
  const label = control.closest('label'), around = control.closest('p, form, .row');
  if (label) label.after(said); else if (around) around.append(said); else control.after(said);
  for (let d = control.closest('details'); d; d = d.parentElement.closest('details')) if (!control.closest('summary')) d.open = true;
}

// controlOf returns the control for a path of the state.
function controlOf(path) {
  const [, key, index, field] = path.match(/^(\w+)(?:\[(\d+)\])?\.?(\w*)/) || [];
  if (key === 'operatorGroup') return $('targets');
  if (key === 'cluster') return { kubernetesVersion: $('kubernetes'), openshiftVersion: $('openshift'), apis: $('apis') }[field];
  if (key === 'now') return $('now');
  if (key === 'policy' && field === 'veto') return ($('veto').children[(path.match(/\d+/) || [])[0]] || $('veto-part')).querySelector('button');
  if (key === 'policy') return (policySelects.find(([name]) => name === field) || [])[1];
  const row = index && $({ forbid: 'forbidden', relax: 'relaxed' }[key] || key) && $({ forbid: 'forbidden', relax: 'relaxed' }[key] || key).children[index];
  if (!row) return undefined;
  const [channel, version] = row.querySelectorAll('select');
  return { channel, channels: channel, startingCSV: version, versionRange: version }[field] || row.querySelector('summary, button');
}

// showFaults shows each error at its control, and others at the top. The first gets the focus.
function showFaults(err) {
  const rest = [];
  let first = null;
  for (const p of err.problems || []) {
    const control = controlOf(p.path || '');
    if (!control) { rest.push(p.path ? p.path + ': ' + p.message : p.message); continue; }
    fault(control, { message: p.message });
    first = first || control;
  }
  showProblem(first ? { message: ['There is no answer: correct what is marked.', ...rest].join(' ') } : err);
  entitle('No answer: ' + (first ? 'correct what is marked' : err.message));
  see(first || $('problem'));
}

// see scrolls to a part of the page and focuses it.
function see(part) {
  if (!part) return;
  if (!part.matches('a, button, input, select, summary, [tabindex]')) part.tabIndex = -1;
  const top = document.querySelector('.top'); // may overlap the page
  document.documentElement.style.scrollPaddingTop = getComputedStyle(top).position === 'sticky' ? `${top.offsetHeight + 12}px` : '12px';
  part.focus({ preventScroll: true });
  part.scrollIntoView({ block: part.matches('input, select, summary, button') ? 'center' : 'start' });
}

// copy copies text to the clipboard and confirms on the button.
async function copy(control, text) {
  const was = control.dataset.was = control.dataset.was || control.textContent;
  try {
    await navigator.clipboard.writeText(text);
    fault(control);
    $('status').textContent = 'Copied';
    control.textContent = 'Copied';
    setTimeout(() => { control.textContent = was; }, 2000);
  } catch { fault(control, { message: 'The browser does not allow that: select the text and copy it.' }); }
}

const empty = (s) => !['subscriptions', 'extensions', 'installed'].some((key) => (s[key] || []).length);

// put inserts server-rendered HTML and removes buttons without a target state.
function put(id, part) {
  $(id).innerHTML = part.html;
  for (const b of $(id).querySelectorAll('[data-go]')) {
    const to = (part.states || [])[b.dataset.go];
    if (to) b.addEventListener('click', () => go(to)); else b.remove();
  }
  for (const pre of $(id).querySelectorAll('pre.commands')) {
    const b = button('Copy', 'Copy: ' + (pre.getAttribute('aria-label') || 'commands'), () => copy(b, pre.textContent), { class: 'copy' });
    pre.before(b);
  }
}

// pressed handles clicks in server-rendered HTML.
function pressed(event) {
  const at = event.target.closest('[data-why], [data-forbid], [data-graph]');
  if (!at) return;
  event.preventDefault(); // the link of the page contains the state
  if (at.dataset.why) explain(at.dataset.why);
  if (at.dataset.forbid) change((s) => list(s, 'forbid').push({ bundle: at.dataset.forbid }));
  if (at.dataset.graph) showGraph(at.dataset.catalog, at.dataset.graph, '');
}

// refresh requests the answer to the state. If the user requested it, the verdict is scrolled
// into view and focused, unless a later request was answered first.
async function refresh(byPlayer) {
  const now = ++asked, shown = state, before = answered;
  $('answer').ariaBusy = 'true';
  let err = null;
  try {
    // Changes are relative to the last problem with a solution, or to the installed
    // bundles without subscriptions.
    const said = await ask('api/resolve', { state, before: good || { ...start, subscriptions: [], extensions: [] } });
    await Promise.all((state.subscriptions || []).map((s) => known(s.package)));
    if (now !== asked) return; // superseded by a later request
    hot = said.changes || [];
    if ($('package').hidden) showProblem(); // it may be about the package
    put('said', said);
    $('status').textContent = said.headline;
    if (!$('play').hidden) entitle(said.headline);
    $('bundles').replaceChildren(...(said.set || []).map((b) => el('option', { value: b })));
    if (said.status === 'resolved') good = shown;
  } catch (e) {
    if (now !== asked) return;
    err = e;
    hot = [];
    $('status').textContent = '';
    $('said').replaceChildren();
  }
  showAsked();
  $('answer').ariaBusy = 'false';
  if (err) { if ($('package').hidden) playing(true); showFaults(err); } else if (byPlayer && before === answered && !$('play').hidden) see($('said').querySelector('.verdict'));
}

// The requested state: a list whose rows expand in place.

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
  $('relaxed').replaceChildren(...(state.relax || []).map((r, i) => line(r.bundle, requirement(r.constraint), null,
    remove(`Restore requirement ${i + 1} of ${r.bundle}`, (s) => { s.relax.splice(i, 1); }))));
  const veto = (state.policy || {}).veto || [];
  $('veto').replaceChildren(...veto.map((v, i) => line(v.rule, v.message, null, remove(`Remove rule ${i + 1}`, (s) => {
    s.policy.veto.splice(i, 1);
    $('veto-rule').value = $('veto-rule').value || v.rule; // to be corrected
    $('veto-message').value = $('veto-message').value || v.message || '';
  }))));
  $('veto-part').hidden = !veto.length;
  for (const [id, key] of [['relaxed', 'relax'], ['forbidden', 'forbid']]) $(id + '-part').hidden = !(state[key] || []).length;
  showRules();
}

function showRules() {
  for (const [key, select] of policySelects) set(select, (state.policy || {})[key] || '');
  const cluster = state.cluster || {}, group = state.operatorGroup;
  $('kubernetes').value = cluster.kubernetesVersion || '';
  $('openshift').value = cluster.openshiftVersion || '';
  $('apis').value = (cluster.apis || []).map((a) => `${a.group}/${a.version}/${a.kind}`).join(' ');
  $('now').value = state.now || '';
  $('targets').value = !group ? '' : (group.targetNamespaces || []).join(' ') || '*';
  const said = [cluster.openshiftVersion && 'OpenShift ' + cluster.openshiftVersion, cluster.kubernetesVersion && 'Kubernetes ' + cluster.kubernetesVersion,
    (cluster.apis || []).length && `${cluster.apis.length} APIs`, group && 'watches ' + $('targets').value, ...Object.entries(state.policy || {}).filter(([key]) => key !== 'veto').map(([key, value]) => inWords(key, value)), state.now && 'now is ' + state.now].filter((x) => x);
  $('rules-said').replaceChildren(...(said.length ? said : ['any cluster', 'default policy']).map((x) => tag(x)));
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

// choice is a labeled select whose first option is empty. Values may have texts of their own.
function choice(title, label, none, values, chosen, pick) {
  const select = el('select', { 'aria-label': label, onchange: () => pick(select.value) }, el('option', { value: '' }, none),
    ...values.map((v) => Array.isArray(v) ? el('option', { value: v[0] }, v[1]) : el('option', { value: v }, v)));
  set(select, chosen);
  return el('label', {}, title, select);
}

// set selects a value, also one that is not among the options.
function set(select, value) {
  if (![...select.options].some((o) => o.value === value)) select.append(el('option', { value }, value));
  select.value = value;
}

// subscribe adds a subscription, restricted to a catalog if there are several.
function subscribe(s, catalog, name, more) {
  const subs = list(s, 'subscriptions');
  subs.push({ name: unique(name, subs.map((x) => x.name)), package: name, ...(catalogs.length > 1 ? { catalog } : {}), ...more });
}

function pretend(s, more) {
  if (!list(s, 'installed').some((b) => b.name === more.name)) s.installed.push(more);
}

// The search is a combobox: it keeps the focus, and arrow keys move through the options.

const options = () => [...$('found').querySelectorAll('[role=option]')];
const active = () => options().find((o) => o.getAttribute('aria-selected') === 'true');

// opened shows or hides the results.
function opened(yes) {
  $('found').hidden = !yes;
  $('search').setAttribute('aria-expanded', String(yes && options().length > 0));
  if (!yes) { searched++; searching(false); choose(null); } // later answers are ignored
}

// searching marks the list while a search is running.
function searching(yes) { $('options').ariaBusy = String(yes); }

// choose activates an option.
function choose(option) {
  for (const o of options()) o.setAttribute('aria-selected', String(o === option));
  if (option) {
    $('search').setAttribute('aria-activedescendant', option.id);
    option.scrollIntoView({ block: 'nearest' });
  } else $('search').removeAttribute('aria-activedescendant');
}

// search lists the results for the current text. It returns false if the text changed meanwhile
// or the list was closed.
async function search() {
  const now = ++searched, q = $('search').value.trim();
  fault($('search'));
  if (!q) { $('hits').replaceChildren(); opened(false); $('found-said').textContent = ''; return false; }
  searching(true);
  try {
    const found = await ask('api/search?q=' + encodeURIComponent(q));
    if (now !== searched) return false;
    const hit = (name, about, pick, ...buttons) => el('div', { class: 'hit' },
      el('div', { role: 'option', class: 'pick', 'aria-selected': 'false', 'data-name': name, onclick: pick }, el('b', {}, name), ' ', el('span', { class: 'soft small' }, about)),
      el('span', { class: 'bar' }, ...buttons));
    const does = (edit) => () => { $('search').value = ''; search(); change(edit); };
    const act = (text, label, edit, props) => button(text, label, does(edit), props);
    const rows = found.packages.map((p) => {
      const add = (s) => subscribe(s, p.catalog, p.name);
      return hit(p.name, [p.displayName, p.head, catalogs.length > 1 && 'of ' + p.catalog].filter((x) => x).join(', '), does(add),
        act('Add', `Add ${p.name} of ${p.catalog}`, add, { class: 'go' }),
        button('About', `About ${p.name} of ${p.catalog}`, () => { opened(false); openPackage(p.catalog, p.name); }),
        button('Update graph', `Update graph of ${p.name} of ${p.catalog}`, () => showGraph(p.catalog, p.name, '')));
    });
    rows.push(...(found.bundles || []).map((b) => {
      const add = (s) => subscribe(s, b.catalog, b.package, { startingCSV: b.bundle });
      return hit(b.bundle, `${b.package} of ${b.catalog}`, does(add),
        act('Add', `Add ${b.package} at ${b.bundle}`, add, { class: 'go' }),
        act('Add as installed', `Add ${b.bundle} as installed`, (s) => pretend(s, { name: b.bundle, package: b.package, version: b.version, catalog: b.catalog })),
        act('Forbid', `Forbid ${b.bundle} of ${b.catalog}`, (s) => list(s, 'forbid').push({ bundle: b.bundle, catalog: b.catalog })),
        button('Why?', `Why ${b.bundle}, or why not?`, () => explain(b.catalog + ':' + b.bundle)));
    }));
    const count = rows.length;
    const near = (found.near || []).length ? '; did you mean ' + found.near.join(' or ') + '?' : '.';
    if (found.more) rows.push(el('p', { class: 'soft' }, `and ${found.more} more; refine the search`));
    if (!rows.length) rows.push(el('p', { class: 'soft' }, 'No such package' + near));
    const was = (active() || { dataset: {} }).dataset.name;
    const had = $('hits').contains(document.activeElement) ? document.activeElement.getAttribute('aria-label') : null;
    $('hits').replaceChildren(...rows);
    options().forEach((o, i) => { o.id = 'option-' + i; });
    // Buttons beside an option are not options themselves.
    $('options').setAttribute('aria-owns', options().map((o) => o.id).join(' '));
    $('found-said').textContent = count ? `${count}${found.more ? ' of ' + (count + found.more) : ''} found` : 'No such package' + plain(near);
    opened(true);
    choose(options().find((o) => o.dataset.name === was) || null);
    searching(false);
    // Focus the replacement of the focused button.
    if (had) ([...$('hits').querySelectorAll('button')].find((b) => b.getAttribute('aria-label') === had) || $('search')).focus();
    return true;
  } catch (err) {
    if (now === searched) { searching(false); fault($('search'), err); }
    return false;
  }
}

// searchKey handles a key in the search box.
async function searchKey(event) {
  const all = options(), at = all.indexOf(active());
  const to = { ArrowDown: (at + 1) % all.length, ArrowUp: (at < 0 ? all.length : at) - 1 }[event.key];
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    if ($('found').hidden) { if (await search()) choose(options()[event.key === 'ArrowDown' ? 0 : options().length - 1]); return; }
    choose(all[(to + all.length) % all.length]);
  } else if (event.key === 'Enter') {
    event.preventDefault();
    // The list may still show results for another text.
    if ((!active() || $('options').ariaBusy === 'true') && !await search()) return;
    if (active()) { active().click(); return; }
    const found = options(), q = $('search').value.trim();
    const meant = found.find((o) => o.dataset.name === q) || (found.length === 1 ? found[0] : null);
    if (meant) meant.click(); else choose(found[0]);
  } else if (event.key === 'Escape') {
    event.preventDefault();
    if ($('found').hidden) { $('search').value = ''; await search(); } else opened(false);
  }
}

// Further requests.

const shows = {}; // number of requests by place
let answered = 0; // number of answered requests

// show sends a request, inserts the answer into its place and goes there. Errors are shown at
// its control. Superseded answers are dropped.
async function show(id, path, question, control) {
  if (control) fault(control);
  const of = state, now = shows[id] = (shows[id] || 0) + 1;
  const late = () => state !== of || shows[id] !== now;
  try {
    const said = await ask(path, { state, ...question });
    if (late()) return false;
    showProblem();
    if (!$('package').contains($(id))) playing(true);
    opened(false);
    put(id, said);
    answered++;
    see($(id).querySelector('.verdict') || $(id));
    return true;
  } catch (err) {
    if (late()) return false;
    if (control) { fault(control, err); see(control); } else { showProblem(err); see($('problem')); }
    return false;
  }
}

function explain(bundle, control) {
  return show('because', 'api/why', { bundle }, control);
}

async function showGraph(catalog, name, channel, place = 'graph') {
  const from = catalog || (((await known(name)) || { catalogs: [] }).catalogs[0] || {}).catalog || '';
  const question = { catalog: from, package: name, channel: channel || '' };
  if (!await show(place, 'api/graph', question)) return;
  const title = `Update graph of ${name}`;
  const details = el('details', { ontoggle: async () => {
    if (details.childElementCount > 1) return;
    try {
      const said = await ask('api/graph', { state, ...question, sources: true });
      for (const [form, text] of [['Mermaid', said.mermaid], ['DOT', said.dot]]) details.append(el('p', { class: 'soft small' }, form), el('pre', { tabindex: 0, role: 'group', 'aria-label': `${form} source of: ${title}` }, text));
    } catch (err) { showProblem(err); }
  } }, el('summary', {}, 'Show source'));
  $(place).querySelector('figure').append(details);
}

// The static parts.

// The choices of each policy in words: what is decided, the default, and the other values.
const policies = {
  goal: ['Preferred versions', 'the newest that fit together', { MinimalChange: 'the installed ones, others only where needed', Oldest: 'the oldest of each channel', Nearest: 'the installed ones, then the next higher' }],
  upgrades: ['Installed operators may move to', 'versions with an upgrade edge', { SelfCertified: 'any version of their channel' }],
  deprecations: ['Deprecated versions are selected', 'with a warning', { Avoid: 'only if nothing else fits' }],
  compatibility: ['Versions that do not fit the cluster are selected', 'with a warning', { Require: 'never', Ignore: 'without a check' }],
  failures: ['If a subscription cannot be satisfied', 'there is no solution', { Partial: 'the others are resolved without it' }],
  compounds: ['A combined requirement is met by', 'several bundles together', { PerBundle: 'one bundle alone, as in OLM Classic' }],
  dependencies: ['An extension that requires other operators is', 'refused, as in OLM v1', { Plan: 'planned together with them' }],
};
const policySelects = Object.entries(policies).map(([key, [title, usual, others]]) => {
  const label = choice(title, title, usual, Object.entries(others), '', (v) => change((s) => {
    s.policy = s.policy || {};
    if (v) s.policy[key] = v; else delete s.policy[key];
  }));
  return [key, label.querySelector('select'), label];
});

// inWords describes a policy that is not the default.
function inWords(key, value) {
  const [title, , others] = policies[key] || [key, '', {}];
  return `${title}: ${others[value] || value}`;
}

// requirement describes a requirement that does not count.
function requirement(c) {
  if (!c) return 'everything that it requires';
  const v = c.value || {};
  switch (c.type) {
    case 'olm.package.required': return `package ${v.packageName} in range ${v.versionRange}`;
    case 'olm.gvk.required': return `API ${v.group}/${v.version}/${v.kind}`;
    case 'olm.label.required': return `label ${v.label}`;
  }
  return v.failureMessage || 'a combined requirement: ' + JSON.stringify(v);
}

// playing shows the problem and its answer, or the start page.
function playing(yes) { view(yes ? 'play' : 'start'); }

// view shows one of the three parts of the page: the problem with its answer ('play'), the start
// page ('start') or the page of a package ('package').
function view(which) {
  for (const id of ['play', 'start', 'package']) $(id).hidden = id !== which;
  $('start-title').hidden = which !== 'start';
  document.body.classList.toggle('start', which === 'start');
  if (which === 'start') entitle($('start-title').textContent);
}

// showStart fills the start page with examples and packages.
async function showStart(examples) {
  const tile = (e) => el('li', {}, el('button', { type: 'button', class: 'tile', onclick: () => go(e.state) },
    el('b', {}, e.title), ' ', el('span', { class: 'soft small' }, e.about)));
  const all = empty(start) ? examples : [{ title: 'The scenario', about: 'of this server', state: start }, ...examples];
  $('examples').replaceChildren(...all.map(tile));
  const found = await ask('api/search?q=');
  $('packages').replaceChildren(...found.packages.map((p) => el('li', {},
    el('button', { type: 'button', class: 'tile', 'data-package': p.name, onclick: () => openPackage(p.catalog, p.name) },
      icon(p), el('b', {}, p.displayName || p.name), ' ', el('span', { class: 'soft small' }, [p.displayName && p.name, catalogs.length > 1 && 'of ' + p.catalog].filter((x) => x).join(' ') || p.head), ' ',
      p.summary ? el('span', { class: 'small' }, p.summary) : '', ' ', p.provider ? el('span', { class: 'soft small' }, 'by ' + p.provider) : ''),
    button('Add', `Add ${p.name} of ${p.catalog}`, () => change((s) => subscribe(s, p.catalog, p.name)), { class: 'quiet' }))));
  $('packages-more').textContent = found.more ? `and ${found.more} more; use the search above` : '';
}

// Icons come from catalogs: they are shown as images only, from data URLs of known types, once they
// are near the screen.
const imageURL = /^data:image\/(png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z0-9+\/]+=*$/;
const nearScreen = new IntersectionObserver((entries) => {
  for (const e of entries) if (e.isIntersecting) { nearScreen.unobserve(e.target); e.target.fill(); }
}, { rootMargin: '200px' });

// icon returns the icon of a package, or its initial.
function icon(p) {
  const box = el('span', { class: 'icon', 'aria-hidden': 'true' }, (p.displayName || p.name).slice(0, 1).toUpperCase());
  if (!p.icon) return box;
  box.fill = async () => {
    const said = await ask(p.icon).catch(() => ({}));
    if (!imageURL.test(said.icon || '')) return;
    const image = el('img', { alt: '', width: 40, height: 40, decoding: 'async' });
    image.src = said.icon;
    image.decode().then(() => box.replaceChildren(image), () => {}); // a broken image leaves the initial
  };
  nearScreen.observe(box);
  return box;
}

// The page of a package.

// openPackage goes to the page of a package. The link keeps the problem.
function openPackage(catalog, name) {
  follow('#' + problemText() + '&package=' + encodeURIComponent(catalog + ':' + name));
}

const packageLink = (catalog, name) => button(name, `${name} of ${catalog}`, () => openPackage(catalog, name), { class: 'link' });

// showPackage fills the page of a package: what it is, its versions, what it needs, who needs it.
async function showPackage(catalog, name) {
  const of = entered;
  view('package');
  $('package').replaceChildren(el('p', { class: 'soft' }, `Reading ${name}…`));
  entitle(name);
  let p;
  try {
    p = await ask(`api/about?catalog=${encodeURIComponent(catalog)}&name=${encodeURIComponent(name)}`);
  } catch (err) {
    if (entered !== of) return;
    $('package').replaceChildren(el('p', { class: 'soft' }, 'There is no such package. ', button('To the start page', 'To the start page', () => go({}), { class: 'link' })));
    showProblem(err);
    see($('problem'));
    return;
  }
  if (entered !== of) return;
  showProblem();
  const title = p.displayName || p.name;
  entitle(title);
  const add = (text, label, more, props) => button(text, label, () => change((s) => subscribe(s, p.catalog, p.name, more)), props);
  const card = (id, title, ...content) => el('section', { class: 'card', 'aria-labelledby': id }, el('h2', { id }, title), ...content);
  const met = (list) => list.length ? [' — met by ', ...list.slice(0, 5).flatMap((n, i) => [i ? ', ' : '', packageLink(p.catalog, n)]), list.length > 5 ? ` and ${list.length - 5} more` : ''] : [' — nothing in this catalog meets it'];
  const count = (n) => n === 1 ? '1 version' : n + ' versions';
  const heading = el('h1', { tabindex: -1 }, title);
  $('package').replaceChildren(
    el('div', { class: 'about' }, icon(p), el('div', {}, heading,
      el('p', { class: 'soft' }, [p.displayName && p.name, p.version && 'version ' + p.version, p.provider && 'by ' + p.provider, catalogs.length > 1 && 'of ' + p.catalog].filter((x) => x).join(' · '))),
      el('div', { class: 'bar' }, add('Subscribe', `Subscribe to ${p.name} of ${p.catalog}`, {}, { class: 'go' }),
        button('Update graph', `Update graph of ${p.name} of ${p.catalog}`, () => showGraph(p.catalog, p.name, '', 'package-graph')),
        empty(state) ? '' : button('To the problem', 'To the problem', () => follow('#' + problemText())))),
    p.summary ? el('p', {}, p.summary) : '',
    el('div', { id: 'package-graph' }),
    card('about-channels', 'Channels and versions', el('ul', { class: 'lines' }, ...p.channels.map((c) => el('li', {}, el('details', { open: p.channels.length === 1 && c.count < 20 },
      el('summary', {}, el('b', {}, c.name), c.default ? tag('default') : '', el('span', { class: 'soft small' }, c.entries.length ? `${count(c.count)}, newest ${c.entries[0].version}` : count(c.count))),
      el('ul', { class: 'versions' }, ...c.entries.map((e) => el('li', {}, add(e.version || e.bundle, `${e.version || e.bundle}: subscribe to ${p.name} at ${e.bundle} in channel ${c.name}`, { channel: c.name, startingCSV: e.bundle })))),
      c.count > c.entries.length ? el('p', { class: 'soft small' }, `and ${c.count - c.entries.length} more`) : ''))))),
    card('about-needs', 'Needs', p.needs.length ? el('ul', { class: 'lines' }, ...p.needs.map((n) => el('li', {}, n.text, ...met(n.packages),
      el('span', { class: 'soft small' }, n.head ? ` (the newest version and ${n.bundles - 1} more)` : ` (${count(n.bundles)}, not the newest)`)))) : el('p', { class: 'soft' }, 'Nothing: it can be installed alone.')),
    card('about-dependents', 'Needed by', p.dependents.length ? el('ul', { class: 'lines' }, ...p.dependents.map((d) => el('li', {}, packageLink(p.catalog, d.package), `: ${d.text}`,
      el('span', { class: 'soft small' }, ` (${count(d.bundles)}${d.only ? '; no other package will do' : ''})`)))) : el('p', { class: 'soft' }, 'No package of this catalog.')),
    card('about-apis', 'APIs', p.provides.length ? el('ul', { class: 'lines' }, ...p.provides.map((api) => {
      const [group, version, kind] = [api.split('/').slice(0, -2).join('/'), ...api.split('/').slice(-2)];
      return el('li', {}, el('b', {}, kind), el('span', { class: 'soft small' }, ` ${group}/${version}`));
    })) : el('p', { class: 'soft' }, 'None.')),
    p.keywords ? el('p', { class: 'tags', 'aria-label': 'Keywords' }, ...p.keywords.map((k) => tag(k))) : '',
    p.description ? card('about-description', 'Description', ...prose(p.description)) : '',
    p.more ? el('p', { class: 'soft small' }, `${p.more} further entries are left out.`) : '');
  see(heading);
}

// prose shows the text of a Markdown document: headings, lists and paragraphs, without its links,
// pictures and HTML.
function prose(markdown) {
  const words = (s) => s.replace(/!\[[^\]]*\]\([^)]*\)/g, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/\*\*|`/g, '').trim();
  const out = [];
  let items = null, paragraph = [];
  const end = () => { if (paragraph.length) out.push(el('p', {}, paragraph.join(' '))); paragraph = []; };
  for (const line of markdown.split('\n')) {
    const heading = line.match(/^\s*#+\s*(.*?)#*\s*$/), item = line.match(/^\s*(?:[-*+]|\d+[.)])\s+(.*)/);
    if (heading || item || !line.trim()) end();
    if (!item) items = null;
    if (heading) out.push(el('h3', {}, words(heading[1])));
    else if (item) {
      if (!items) out.push(items = el('ul', {}));
      items.append(el('li', {}, words(item[1])));
    } else if (words(line)) paragraph.push(words(line));
  }
  end();
  return out;
}

// Files of the visitor, on the static site only: they replace its catalogs and stay in the browser.

async function openFiles(files) {
  if (!files.length) return;
  try {
    const said = await window.site.open(files);
    $('opened').replaceChildren(`${files.length === 1 ? files[0].name : files.length + ' files'} ${files.length === 1 ? 'is' : 'are'} open in this browser only: the link contains the problem, not the catalog. `,
      button('Close', 'Close the opened files', closeFiles, { class: 'link' }));
    begun(said);
  } catch (err) { showProblem({ message: 'Nothing was opened. ' + err.message }); see($('problem')); }
}

async function closeFiles() {
  try {
    const said = await window.site.close();
    $('opened').replaceChildren();
    begun(said);
  } catch (err) { showProblem(err); see($('problem')); }
}

// filesOf returns the dropped files, those in folders included.
async function filesOf(items) {
  const out = [];
  const walk = async (entry, prefix) => {
    if (entry.isFile) out.push({ name: prefix + entry.name, file: await new Promise((done, fail) => { entry.file(done, fail); }) });
    if (!entry.isDirectory) return;
    const reader = entry.createReader();
    for (let some; (some = await new Promise((done, fail) => { reader.readEntries(done, fail); })).length;) for (const e of some) await walk(e, prefix + entry.name + '/');
  };
  for (const entry of [...items].map((i) => i.webkitGetAsEntry()).filter((e) => e)) await walk(entry, '');
  return out;
}

function siteFields() {
  $('open-files').hidden = $('open-part').hidden = false;
  const choose = () => $('files').click();
  $('open-files').addEventListener('click', choose);
  $('choose-files').addEventListener('click', choose);
  $('files').addEventListener('change', async () => {
    await openFiles([...$('files').files].map((file) => ({ name: file.name, file })));
    $('files').value = '';
  });
  document.addEventListener('dragover', (e) => { if ([...e.dataTransfer.types].includes('Files')) { e.preventDefault(); document.body.classList.add('dropping'); } });
  document.addEventListener('dragleave', (e) => { if (!e.relatedTarget) document.body.classList.remove('dropping'); });
  document.addEventListener('drop', async (e) => {
    document.body.classList.remove('dropping');
    if (![...e.dataTransfer.types].includes('Files')) return;
    e.preventDefault();
    try { await openFiles(await filesOf(e.dataTransfer.items)); } catch (err) { showProblem({ message: 'The browser cannot read what was dropped: ' + err.message }); }
  });
  window.addEventListener('described', () => { if (!$('start').hidden) showStart(examples).catch(showProblem); });
}

function fields() {
  const onCluster = (id, key) => $(id).addEventListener('change', () => change((s) => {
    s.cluster = s.cluster || {};
    if ($(id).value.trim()) s.cluster[key] = $(id).value.trim(); else delete s.cluster[key];
  }));
  // Links within the page would replace the state in the address.
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
  $('now').addEventListener('change', () => change((s) => { if ($('now').value.trim()) s.now = $('now').value.trim(); else delete s.now; }));
  $('veto-form').addEventListener('submit', (e) => {
    e.preventDefault();
    const rule = $('veto-rule').value.trim(), message = $('veto-message').value.trim();
    fault($('veto-rule'), rule ? null : { message: 'Enter a rule, such as bundle.name == "etcdoperator.v0.9.4".' });
    if (!rule) return;
    $('veto-rule').value = $('veto-message').value = '';
    change((s) => { s.policy = s.policy || {}; list(s.policy, 'veto').push(message ? { rule, message } : { rule }); });
  });
  $('policy').append(...policySelects.map(([, , label]) => label));
  $('answer').addEventListener('click', pressed);
  $('search').addEventListener('input', search);
  $('search').addEventListener('focus', search);
  $('search').addEventListener('keydown', searchKey);
  $('search-form').addEventListener('submit', (e) => e.preventDefault());
  $('found').addEventListener('keydown', (e) => { if (e.key === 'Escape') { $('search').focus(); opened(false); } });
  $('search-form').addEventListener('focusout', (e) => { if (e.relatedTarget && !$('search-form').contains(e.relatedTarget)) opened(false); });
  document.addEventListener('click', (e) => { if (!$('search-form').contains(e.target)) opened(false); });
  $('add').addEventListener('click', () => $('search').focus());
  $('home').addEventListener('click', () => go({}));
  $('install-form').addEventListener('submit', (e) => {
    e.preventDefault();
    const name = $('install').value.trim();
    $('install').value = '';
    fault($('install'), name ? null : { message: 'Name a bundle, such as etcdoperator.v0.9.4.' });
    if (name) change((s) => pretend(s, { name }));
  });
  $('why-form').addEventListener('submit', (e) => { 
    e.preventDefault();
    const bundle = $('why').value.trim();
    if (bundle) explain(bundle, $('why')); else fault($('why'), { message: 'Name a bundle, such as etcdoperator.v0.9.4.' });
  });
  $('follow').addEventListener('click', () => show('path', 'api/path', {}, $('follow')));
  $('undo').addEventListener('click', () => { if (depth) history.back(); });
  $('reset').addEventListener('click', () => go(start));
  $('copy').addEventListener('click', () => copy($('copy'), location.href));
  $('copy-replay').addEventListener('click', () => copy($('copy-replay'), $('replay').textContent));
  $('copy-yaml').addEventListener('click', () => copy($('copy-yaml'), $('yaml').textContent));
  $('export').addEventListener('click', async () => {
    const of = state;
    try {
      const said = await ask('api/export', { state });
      if (state !== of) return;
      $('yaml').textContent = said.yaml;
      $('save').href = 'data:text/yaml;charset=utf-8,' + encodeURIComponent(said.yaml);
      $('exported').hidden = false;
      fault($('export'));
      see($('exported'));
    } catch (err) { if (state === of) fault($('export'), err); }
  });
  window.addEventListener('popstate', moved);
  window.addEventListener('hashchange', moved); // a link was entered in the address bar
  // Print collapsed parts as well.
  window.addEventListener('beforeprint', () => { for (const d of document.querySelectorAll('#answer details:not([open]), #package details:not([open])')) if (d.childElementCount > 1) { d.open = true; d.dataset.printed = ''; } });
  window.addEventListener('afterprint', () => { for (const d of document.querySelectorAll('[data-printed]')) { d.open = false; delete d.dataset.printed; } });
}

// moved goes to another history entry.
function moved() {
  if (location.href === entered) return;
  enter();
}

// enter reads the state from the link.
function enter() {
  const first = entered === null;
  let damaged = false, about = null;
  try {
    state = problemText() ? decode(problemText()) : structuredClone(start);
    about = new URLSearchParams(location.hash.slice(1).split('&').slice(1).join('&')).get('package');
  } catch {
    damaged = true;
    if (first) state = structuredClone(start);
    history.replaceState(history.state, '', location.pathname + (first ? '' : '#' + encode(state))); // remove the damaged link
  }
  entered = location.href;
  // An entry that this page did not create is its first, or a link that was entered: it
  // follows the previous entry.
  if (!history.state) history.replaceState({ depth: first ? 0 : depth + 1 }, '');
  depth = (history.state || {}).depth || 0;
  $('undo').disabled = !depth;
  $('notice').textContent = damaged ? `This link is damaged and cannot be opened. The page ${first ? 'shows its initial problem instead' : 'keeps the problem that it showed'}; request the complete link again.` : '';
  for (const e of document.querySelectorAll('[aria-describedby$="-fault"]')) fault(e);
  for (const id of ['because', 'graph', 'path']) $(id).replaceChildren();
  $('exported').hidden = true;
  showProblem();
  const colon = (about || '').lastIndexOf(':');
  if (about) showPackage(about.slice(0, Math.max(colon, 0)), about.slice(colon + 1)); else playing(!empty(state));
  if (damaged) see($('notice'));
  refresh(!first && !damaged);
}

let examples = [];

// begun shows the initial problem of the server, of the site or of opened files.
async function begun(said) {
  const again = entered !== null;
  start = said.state;
  catalogs = said.catalogs || [];
  examples = said.examples || [];
  packages.clear();
  good = null;
  const n = (count, what) => `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
  $('catalogs').textContent = catalogs.map((c) => `${plain(c.key)}: ${n(c.packages, 'package')}, ${n(c.bundles, 'bundle')}`).join('; ');
  if (!again) { fields(); if (window.site) siteFields(); }
  if (again) history.pushState({ depth: depth + 1 }, '', '#' + encode(start));
  enter();
  await showStart(examples);
}

(async () => {
  try { await begun(await ask('api/start')); } catch (err) { playing(true); showProblem(err); see($('problem')); }
})();

// The web worker of the static site: it loads the WebAssembly program and the catalogs, and answers
// calls. The program with CEL replaces the other one as soon as a rule is met.
'use strict';

const version = new URL(self.location).search;
const post = (message) => self.postMessage(message);
const say = (progress) => post({ progress });
let manifest, raw, contents = {}, memory, program, withCEL = false, opened = null, ready;

importScripts('wasm_exec.js' + version);

// load fetches a file of the site.
async function load(name) {
  const answer = await fetch(name + version);
  if (!answer.ok) throw new Error(`${name}: ${answer.status} ${answer.statusText}`.trim());
  return answer;
}

const bytes = async (name) => new Uint8Array(await (await load(name)).arrayBuffer());

// compile fetches and compiles a program while it arrives, if the server sends its media type.
async function compile(name) {
  const answer = await load(name);
  if ((answer.headers.get('Content-Type') || '').startsWith('application/wasm')) return WebAssembly.compileStreaming(answer);
  return WebAssembly.compile(await answer.arrayBuffer());
}

// run starts a program with the catalogs of the site.
async function run(cel) {
  say(cel ? 'Loading the program with CEL, which a rule needs…' : 'Loading the program…');
  const module = await compile(cel ? 'resolute-cel.wasm' : 'resolute.wasm');
  const go = new Go();
  const started = new Promise((done) => { self.ready = done; });
  const instance = await WebAssembly.instantiate(module, go.importObject);
  memory = instance.exports.mem;
  go.run(instance).then(() => post({ broken: 'The program of the page stopped, perhaps because there is not enough memory. Reload the page: the link contains the whole problem.' }));
  await started;
  program = self.resolute;
  withCEL = cel;
  for (const c of manifest.catalogs) contents[c.content] = await contents[c.content];
  say(`Reading ${manifest.catalogs.map((c) => `${c.bundles.toLocaleString('en')} bundles of ${c.namespace}/${c.name}`).join(' and ')}…`);
  const said = program.start(raw, contents);
  contents = {}; // the program has its own copy
  if (said.status !== 200) throw new Error(JSON.parse(said.body).error);
  if (said.rules && !cel) await restart();
}

// restart replaces the program by the one with CEL.
async function restart() {
  for (const c of manifest.catalogs) contents[c.content] = bytes(c.content);
  await run(true);
  await describe();
  if (opened) read(opened);
  say('');
}

// describe adds the descriptions of packages, which a first answer does not need.
async function describe() {
  for (let i = 0; i < manifest.catalogs.length; i++) program.describe(i, await bytes(manifest.catalogs[i].listing));
}

// read opens files of the visitor. They are read in pieces and never leave the browser.
function read({ open, names }) {
  const reader = new FileReaderSync();
  return program.open(names, open.map((f) => f.size), (i, at, length) => {
    try { return new Uint8Array(reader.readAsArrayBuffer(open[i].slice(at, at + length))); } catch { return null; }
  });
}

// answer answers a message.
function answer(message) {
  if (message.open) {
    say('Reading ' + (message.names.length === 1 ? message.names[0] : message.names.length + ' files') + '…');
    return read(message);
  }
  return message.close ? program.close() : program.ask(message.ask, message.body);
}

let described;
const main = (async () => {
  raw = await bytes('site.json');
  manifest = JSON.parse(new TextDecoder().decode(raw));
  for (const c of manifest.catalogs) { contents[c.content] = bytes(c.content); contents[c.content].catch(() => {}); }
  await run(manifest.catalogs.some((c) => c.rules));
  say('');
})();
main.then(() => { described = describe().then(() => post({ described: true })); return described; })
  .catch((err) => post({ broken: `The page cannot be loaded: ${err.message}. Reload it: the link contains the whole problem.` }));

// Messages are answered one after the other.
let turn = main, rest;
self.onmessage = ({ data }) => {
  turn = turn.then(async () => {
    if (data.close || /^api\/(about|search|icon)/.test(data.ask || '')) await described;
    let said = answer(data);
    if (said.rules && !withCEL) {
      await restart();
      said = answer(data);
    }
    if (data.open && said.status === 200) opened = data;
    if (data.close) opened = null;
    if (data.open) say('');
    post({ id: data.id, status: said.status, body: said.body, memory: memory.buffer.byteLength });
    clearTimeout(rest);
    rest = setTimeout(() => program.idle(), 300);
  }).catch((err) => post({ broken: `The program of the page stopped: ${err.message}. Reload the page: the link contains the whole problem.` }));
};

// The part of the page that only the static site has: calls are answered by a web worker instead of
// a server, and visitors can open files of their own.
'use strict';

window.site = (() => {
  const version = document.currentScript.dataset.version;
  const waiting = new Map(); // promises by the number of their call
  let worker = null, number = 0, broken = null;

  // say shows what the page waits for, or nothing.
  function say(text) {
    const at = document.getElementById('loading');
    if (!at) return;
    at.hidden = !text;
    document.getElementById('loading-said').textContent = text || '';
  }

  function fail(message) {
    broken = new Error(message);
    say('');
    for (const { reject } of waiting.values()) reject(broken);
    waiting.clear();
  }

  // start starts the worker.
  function start() {
    if (typeof WebAssembly !== 'object' || typeof Worker !== 'function') {
      fail('This browser has no WebAssembly, which the page needs to compute answers. Use a newer browser or allow WebAssembly, and open the same link again: it contains the whole problem.');
      return;
    }
    worker = new Worker('worker.js?v=' + version);
    worker.onerror = (e) => { e.preventDefault(); fail(`The program of the page stopped (${e.message || 'it cannot be loaded'}). Reload the page: the link contains the whole problem.`); };
    worker.onmessage = ({ data }) => {
      if (data.progress !== undefined) { say(data.progress); return; }
      if (data.broken) { fail(data.broken); return; }
      if (data.described) { window.dispatchEvent(new Event('described')); return; }
      const call = waiting.get(data.id);
      waiting.delete(data.id);
      api.memory = data.memory;
      if (call) call.resolve(data);
    };
  }

  // send sends a message to the worker and returns its reply.
  function send(message) {
    if (broken) return Promise.reject(broken);
    return new Promise((resolve, reject) => {
      waiting.set(++number, { resolve, reject });
      worker.postMessage({ id: number, ...message });
    });
  }

  // reply turns a reply into the content of an answer, or throws its error.
  function reply({ status, body }) {
    const said = JSON.parse(body);
    if (status !== 200) throw Object.assign(new Error(said.error), { problems: said.problems || [] });
    return said;
  }

  const api = {
    memory: 0, // of the program, in bytes
    // ask answers a call of the page. Icons are files of the site.
    ask: async (path, body) => path.startsWith('icons/') ? (await fetch(path)).json() :
      reply(await send({ ask: path, body: body === undefined ? '' : JSON.stringify(body) })),
    // open opens files as a catalog or scenario.
    open: async (files) => reply(await send({ open: files.map((f) => f.file), names: files.map((f) => f.name) })),
    // close returns to the catalogs of the site.
    close: async () => reply(await send({ close: true })),
  };
  start();
  return api;
})();

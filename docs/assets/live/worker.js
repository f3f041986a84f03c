/* Python in a worker: Pyodide, and the library that built the page. Every file comes from the
   site, is counted while it arrives, held against its digest, and is kept for the next page and
   for hours offline. */

const tell = postMessage.bind(globalThis)
let loading = null

/* The first message says what there is to load; each after it is a job. */
onmessage = async ({ data }) => {
  if (data.build) {
    loading = new Promise((done, failed) => load(data, failed).then(done, failed))
    loading.catch(() => {}) // the job hears of it
    return
  }
  let session
  try {
    session = await loading
  } catch (error) {
    return tell({ kind: "failed", message: error.message.trim().split("\n").pop() })
  }
  tell({ kind: "running" })
  try {
    tell({ kind: "done", ...JSON.parse(session(data)) })
  } catch (error) { // no exception of Python's: it is broken, as when its stack is full
    tell({ kind: "died", message: error.message.trim().split("\n").pop() })
  }
}

/* Pyodide waits for ever for a file that cannot be had: `failed` hears of it first. */
async function load({ base, build }, failed) {
  const live = new URL("assets/live/", base)
  const runtime = new URL("assets/pyodide/", base).href
  const files = counted(base, build, failed)
  try {
    const wheel = fetch(new URL(build.library, base)).then((answer) => answer.arrayBuffer())
    wheel.catch(() => {}) // `failed` has heard
    const [{ loadPyodide }] = await Promise.all([
      script(runtime + "pyodide.mjs"),
      script(runtime + "pyodide.asm.js"), // else Pyodide would load it, past the count
    ])
    const python = await loadPyodide({
      indexURL: runtime,
      lockFileURL: new URL("pyodide-lock.json", live).href,
      packages: ["numpy"],
      stdout: () => {},
      stderr: () => {},
    })
    python.unpackArchive(await wheel, "wheel")
    const { Session } = python.pyimport("pedocs.book.live_session")
    const made = Session((text) => tell({ kind: "output", text }))
    confine()
    return ({ earlier, code, test, answer }) => {
      const before = python.toPy(earlier)
      const result = test ? made.check(before, code, test, answer) : made.run(before, code)
      before.destroy()
      return result
    }
  } catch (error) {
    if (!files.lacking) await files.forget() // one of them is not what it should be
    throw error
  }
}

/* What a reader runs may be a stranger's code, come with a link. Before any of it runs, all that
   leads out of the worker is deleted: the network, the site's storage, other workers, and the
   means to speak to the page in the place of Python. */
const LEADS_OUT = `BroadcastChannel EventSource FontFace Notification SharedWorker WebSocket
  WebSocketStream WebTransport Worker XMLHttpRequest caches close cookieStore fetch fonts
  importScripts indexedDB navigator postMessage webkitRequestFileSystem
  webkitRequestFileSystemSync webkitResolveLocalFileSystemSyncURL
  webkitResolveLocalFileSystemURL`.split(/\s+/)

function confine() {
  for (let each = globalThis; each; each = Object.getPrototypeOf(each))
    for (const name of LEADS_OUT) delete each[name]
}

/* From here on every fetch counts its bytes and asks the cache first: Pyodide's own, too. A file
   of another size is something else in its place, such as a network's own page. What the library
   is packed in changes more often than the rest, and has a cache of its own. */
function counted(base, { version, library, files: sizes, digests = {} }, failed) {
  const ask = globalThis.fetch
  const names = { runtime: `pedocs-runtime-${version}`, library: `pedocs-library-${library}` }
  const open = (name) => globalThis.caches?.open(name).catch(() => null) // none in private mode
  const kept = { runtime: open(names.runtime), library: open(names.library) }
  const remove = async (which) => {
    for (const name of (await globalThis.caches?.keys().catch(() => [])) || [])
      if (/^pedocs-(runtime|library)-/.test(name) && which(name)) await caches.delete(name)
  }
  remove((name) => !Object.values(names).includes(name))
  const files = { lacking: false, forget: () => remove(() => true) }
  const bytes = Object.values(sizes).reduce((sum, size) => sum + size)
  let done = 0
  let told = 0
  const count = () => new TransformStream({
    transform(chunk, stream) {
      done += chunk.byteLength
      if (done - told > 2e5 || done >= bytes) {
        told = done
        tell({ kind: "loading", done, bytes })
      }
      stream.enqueue(chunk)
    },
  })
  const read = (answer) => new Response(answer.body.pipeThrough(count())).arrayBuffer()
  globalThis.fetch = async (url, options) => {
    const name = String(url).replace(base, "")
    const right = async (body) =>
      body && body.byteLength === (sizes[name] ?? body.byteLength) && (await whole(body, digests[name]))
    const cache = await (name === library ? kept.library : kept.runtime)
    const found = await cache?.match(url).catch(() => null)
    let body = found && (await read(found))
    if (!(await right(body))) {
      try {
        const answer = await ask(url, { ...options, cache: "no-cache" })
        if (!answer.ok) throw new Error(`${answer.status} for ${url}.`)
        body = await read(answer)
        if (!(await right(body))) throw new Error(`${name} is not what it should be.`)
      } catch (error) {
        files.lacking = true
        failed(error)
        throw error
      }
      cache?.put(url, new Response(body)).catch(() => {}) // where there is room
    }
    const type = name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream"
    return new Response(body, { headers: { "Content-Type": type } })
  }
  return files
}

/* Whether a file has its digest. A browser computes none for a site that is served in the clear. */
async function whole(body, digest) {
  if (!digest || !globalThis.crypto?.subtle) return true
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", body))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("") === digest
}

/* A module through fetch, so that it is kept like the rest. */
async function script(url) {
  const text = await (await fetch(url)).text()
  const blob = URL.createObjectURL(new Blob([text], { type: "text/javascript" }))
  try {
    return await import(blob)
  } finally {
    URL.revokeObjectURL(blob)
  }
}

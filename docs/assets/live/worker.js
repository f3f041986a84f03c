/* Python in a worker: Pyodide, and the library that built the page. Every file comes from the
   site, is counted while it arrives, and is kept for the next page and for hours offline. */

let session = null

onmessage = async ({ data: { base, earlier, code, test, answer } }) => {
  try {
    session ??= await new Promise((done, failed) => load(base, failed).then(done, failed))
  } catch (error) {
    return postMessage({ kind: "failed", message: error.message, lacking: error.lacking })
  }
  postMessage({ kind: "running" })
  const before = session.toPy(earlier)
  const result = test
    ? session.python.check(before, code, test, answer)
    : session.python.run(before, code)
  before.destroy()
  postMessage({ kind: "done", ...JSON.parse(result) })
}

/* Pyodide waits for ever for a file that cannot be had: `failed` hears of it first. */
async function load(base, failed) {
  const live = new URL("assets/live/", base)
  const runtime = new URL("assets/pyodide/", base).href
  const build = await (await fresh(new URL("build.json", live))).json()
  if (!build.whole) {
    throw Object.assign(new Error("This copy of the book was built without it."), { lacking: true })
  }
  counted(build, failed)
  await script(runtime + "pyodide.asm.js") // else Pyodide would load it, past the count
  const { loadPyodide } = await script(runtime + "pyodide.mjs")
  const pyodide = await loadPyodide({
    indexURL: runtime,
    lockFileURL: new URL("pyodide-lock.json", live).href,
    stdout: () => {},
    stderr: () => {},
  })
  const [library] = await Promise.all([
    fetch(new URL(build.library, live)).then((answer) => answer.arrayBuffer()),
    pyodide.loadPackage("numpy", { messageCallback: () => {} }),
  ])
  pyodide.unpackArchive(library, "zip")
  const { Session } = pyodide.pyimport("pedocs.book.live_session")
  const write = (text) => postMessage({ kind: "output", text })
  return { python: Session(write), toPy: (list) => pyodide.toPy(list) }
}

/* The list of files may have changed since; offline the last one holds. */
async function fresh(url) {
  const kept = await globalThis.caches?.open("pedocs-build")
  try {
    const answer = await fetch(url, { cache: "no-cache" })
    if (!answer.ok) throw new Error(`${answer.status} for ${url}`)
    await kept?.put(url, answer.clone())
    return answer
  } catch (error) {
    const answer = await kept?.match(url)
    if (!answer) throw error
    return answer
  }
}

/* From here on every fetch counts its bytes and asks the cache first: Pyodide's own, too. */
function counted({ version, library, bytes }, failed) {
  const ask = globalThis.fetch
  const name = `pedocs-${version}-${library}`
  let done = 0
  let told = 0
  const kept = globalThis.caches?.open(name)
  kept?.then(async () => {
    for (const other of await caches.keys())
      if (/^pedocs-\d/.test(other) && other !== name) await caches.delete(other)
  })
  const count = new (class {
    transform(chunk, stream) {
      done += chunk.byteLength
      if (done - told > 2e5 || done >= bytes) {
        told = done
        postMessage({ kind: "loading", done, bytes })
      }
      stream.enqueue(chunk)
    }
  })()
  globalThis.fetch = async (url, options) => {
    const cache = await kept
    let answer = await cache?.match(url)
    if (!answer) {
      try {
        answer = await ask(url, options)
        if (!answer.ok) throw new Error(`${answer.status} for ${url}`)
      } catch (error) {
        failed(error)
        throw error
      }
      cache?.put(url, answer.clone()).catch(() => {}) // where there is room
    }
    return new Response(answer.body.pipeThrough(new TransformStream(count)), {
      status: answer.status,
      headers: answer.headers,
    })
  }
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

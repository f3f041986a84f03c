/* One Python for all pages, in a worker, one job at a time. A loop without end is left by ending
   the worker: no host has to send special headers for that. The next job starts another, which
   runs the page's earlier blocks again. */
import { base, place } from "./memory.js"

const waiting = []
let current = null
let worker = null
let source = null // the worker's code, kept so that a second one starts offline too

/* A job: { element, task, heard(kind, data) }. It hears "waiting" or "started", then "loading"
   and "running", and at last one of "done", "failed" (nothing runs), "died" and "stopped". */
export function run(job) {
  waiting.push(job)
  if (current) job.heard("waiting")
  else next()
}

export function stop(job) {
  if (job === current) {
    worker?.terminate()
    worker = null
    finish("stopped")
  } else if (waiting.includes(job)) {
    waiting.splice(waiting.indexOf(job), 1)
    job.heard("stopped")
  }
}

async function next() {
  current = waiting.shift() || null
  if (!current) return
  const job = current
  job.heard("started")
  try {
    const made = worker || (await start())
    if (job !== current) return made.terminate() // stopped meanwhile
    worker = made
    worker.onmessage = ({ data }) => {
      if (/^(done|failed|died)$/.test(data.kind)) finish(data.kind, data)
      else job.heard(data.kind, data)
    }
    worker.onerror = (event) => {
      event.preventDefault()
      finish("failed", { message: event.message || "the worker could not start" })
    }
    worker.postMessage(job.task)
  } catch (error) {
    if (job === current) finish("failed", error)
  }
}

function finish(kind, data) {
  const job = current
  current = null
  if (kind === "failed" || kind === "died") {
    worker?.terminate()
    worker = null
  }
  job.heard(kind, data)
  next()
}

async function start() {
  const list = await build()
  if (!list.files?.[list.library])
    throw Object.assign(new Error("This copy of the book was built without it."), { lacking: true })
  if (!source) {
    const text = await (await got(await fetch(new URL("assets/live/worker.js", base)))).text()
    source = URL.createObjectURL(new Blob([text], { type: "text/javascript" }))
  }
  const made = new Worker(source, { type: "module", name: "Python" })
  made.postMessage({ base: base.href, build: list })
  return made
}

function got(answer) {
  if (!answer.ok) throw new Error(`${answer.status} for ${answer.url}.`)
  return answer
}

/* What the build made. It may have been made anew since; offline the last one holds. */
async function build() {
  const url = new URL("assets/live/build.json", base)
  const kept = await globalThis.caches?.open("pedocs-build").catch(() => null)
  try {
    const answer = got(await fetch(url, { cache: "no-cache" }))
    await kept?.put(url, answer.clone()).catch(() => {})
    return await answer.json()
  } catch (error) {
    const answer = await kept?.match(url)
    if (!answer) throw error
    return answer.json()
  }
}

/* The address of this page as a notebook; null where the site has none. */
export async function notebook() {
  const name = `/${place().replace(/\/$/, "") || "index"}.ipynb`
  const { notebooks = [] } = await build().catch(() => ({}))
  const found = notebooks.find((each) => each.endsWith(name))
  return found ? new URL(found, base).href : null
}

/* What runs for a page that was left goes on for nobody. */
document$.subscribe(() => {
  for (const job of [...waiting, current]) if (job && !job.element.isConnected) stop(job)
})

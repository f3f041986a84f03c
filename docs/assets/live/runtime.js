/* One Python for all pages, in a worker, one job at a time. A loop without end is left by ending
   the worker: no host has to send special headers for that. The next job starts another, which
   runs the page's earlier blocks again. */
import { base } from "./memory.js"

const waiting = []
let current = null
let worker = null
let source = null // the worker's code, kept so that a second one starts offline too

/* A job: { element, task, heard(kind, data) }. It hears "waiting" or "started", then "loading"
   and "running", and at last one of "done", "failed" and "stopped". */
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
      if (data.kind === "done" || data.kind === "failed") finish(data.kind, data)
      else job.heard(data.kind, data)
    }
    worker.onerror = (event) => {
      event.preventDefault()
      finish("failed", { message: event.message || "the worker could not start" })
    }
    worker.postMessage({ base: base.href, ...job.task })
  } catch (error) {
    if (job === current) finish("failed", { message: error.message })
  }
}

function finish(kind, data) {
  const job = current
  current = null
  if (kind === "failed") {
    worker?.terminate()
    worker = null
  }
  job.heard(kind, data)
  next()
}

async function start() {
  if (!source) {
    const answer = await fetch(new URL("assets/live/worker.js", base))
    if (!answer.ok) throw new Error(`${answer.status} for ${answer.url}`)
    source = URL.createObjectURL(new Blob([await answer.text()], { type: "text/javascript" }))
  }
  return new Worker(source, { type: "module", name: "Python" })
}

/* What runs for a page that was left goes on for nobody. */
document$.subscribe(() => {
  for (const job of [...waiting, current]) if (job && !job.element.isConnected) stop(job)
})

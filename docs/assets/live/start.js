/* A Run button on every worked block, and one to answer at every check of an exercise. All else
   that live code needs is loaded when one is pressed, or when there is a reader's own version of
   a block: kept on this device or shared by a link. */
import { keptCode, keptNames, shared } from "./memory.js"

/* In the order asked for: what came with a link stays over what was kept. */
let opened = Promise.resolve()
const open = (block, version) =>
  (opened = opened.catch(() => {}).then(async () => (await import("./panel.js")).open(block, version)))
const blocks = () => [...document.querySelectorAll("[data-live]")]

function page() {
  const ids = new Map()
  for (const block of document.querySelectorAll(".worked-block:has(> .language-pycon)")) {
    const id = block.id || "b-twice"
    ids.set(id, (ids.get(id) || 0) + 1)
    block.dataset.live = ids.get(id) > 1 || !block.id ? `${id}-${ids.get(id)}` : id
    ready(block, "Run", "Run this block")
  }
  for (const check of document.querySelectorAll(".pd-check[data-answer]")) {
    const block = check.querySelector(".worked-block")
    let exercise = check
    while (exercise && !exercise.matches(".pd-exercise")) exercise = exercise.previousElementSibling
    block.dataset.live = `answer-${exercise?.querySelector("[id]")?.id}`
    block.dataset.answer = check.dataset.answer
    ready(block, "Answer", "Write your answer and check it")
  }
  const known = new Set(blocks().map((block) => block.dataset.live))
  const left = keptNames().filter((id) => !known.has(id))
  if (left.length) strays(left.map((id) => ({ id, code: keptCode(id) })))
  address()
}

function ready(block, text, label) {
  const button = document.createElement("button")
  button.type = "button"
  button.className = "pd-run"
  button.textContent = text
  button.setAttribute("aria-label", label)
  block.prepend(button)
  const code = keptCode(block.dataset.live)
  if (code !== null) open(block, { code })
}

function address() {
  const found = shared()
  if (!found) return
  const block = blocks().find((each) => each.dataset.live === found.id)
  if (block && found.code !== null) open(block, { ...found, shared: true })
  else strays([{ ...found, shared: true }])
}

/* What belongs to no block of the page. */
function strays(found) {
  const title = document.querySelector(".md-content h1")
  import("./strays.js").then(({ show }) => title?.isConnected && show(title, found))
}

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element && event.target.closest(".pd-run")
  if (button) open(button.parentElement, { pressed: true })
})

addEventListener("hashchange", address)
document$.subscribe(page)

/* A Run button on every worked block, and one to answer at every check of an exercise. All else that live code needs is loaded when one is
   pressed, or when the page holds a reader's own version of a block: kept on this device
   or shared by a link. */
import { keptCode, sharedCode } from "./memory.js"

const panel = () => import("./panel.js")

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
  if (code !== null) panel().then(({ open }) => open(block, { code }))
}

function address() {
  for (const block of document.querySelectorAll("[data-live]")) {
    const code = sharedCode(block.dataset.live)
    if (code !== null) panel().then(({ open }) => open(block, { code, shared: true }))
  }
}

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element && event.target.closest(".pd-run")
  if (button) panel().then(({ open }) => open(button.parentElement, { pressed: true }))
})

addEventListener("hashchange", address)
document$.subscribe(page)

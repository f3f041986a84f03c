/* What a reader wrote for a block that the book has changed since, kept on this device or come
   with a link. It stands below the title as text, so that nothing of it is lost. */
import { forgetLink, keep } from "./keeping.js"

/* Each found: { id, code, shared }; the code of a link that was cut is null. */
export function show(title, found) {
  for (const each of found) {
    const note = make(each)
    const same = title.parentElement.querySelector(`[data-stray="${CSS.escape(note.dataset.stray)}"]`)
    if (same) same.replaceWith(note)
    else title.after(note)
    if (each.shared) note.scrollIntoView({ block: "center" })
  }
}

function make({ id, code, shared }) {
  const note = element("aside", "pd-live pd-stray")
  note.dataset.stray = shared ? "link" : id
  note.setAttribute("aria-label", "Code without a block")
  const said = element("p", "pd-live__status", { textContent: words(code, shared) })
  said.setAttribute("role", "status")
  const bar = element("div", "pd-live__bar")
  note.append(said)
  if (code !== null) {
    note.append(element("pre", "pd-live__output", { textContent: code, tabIndex: 0 }))
    bar.append(button("Copy", async () => {
      const copied = await navigator.clipboard?.writeText(code).then(() => true, () => false)
      said.textContent = copied ? "The code is on the clipboard." : "The browser lets nothing be copied: mark the code and copy it."
    }))
  }
  bar.append(button(shared ? "Close" : "Delete", () => {
    if (shared) forgetLink()
    else keep(id, null)
    note.remove()
  }))
  note.append(bar)
  return note
}

function words(code, shared) {
  if (code === null) return "This link is not whole, so that its code cannot be read. Ask for it again."
  return shared
    ? "This link was made for a block that has changed since, or that is gone. The link holds this code:"
    : "You wrote this for a block that has changed since, or before you opened a link. It is kept on this device:"
}

function element(tag, className, properties = {}) {
  return Object.assign(document.createElement(tag), { className }, properties)
}

const button = (text, act) =>
  element("button", "pd-live__button", { type: "button", textContent: text, onclick: act })

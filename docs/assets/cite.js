/* Loaded when somebody cites: the copy buttons of a page's box, and the panel beside a permalink.
   What is copied was written by the build; an item's label and id are filled in here. */

const ID = "pd-citing"
const COPIED = "Copied."
const BY_HAND = "This browser lets no page copy: the text is selected, copy it with the keyboard."
const LOST = "The citation could not be loaded. The address of this place is in the address bar."

/* A button of the box, or the mark of an item: a heading's sign, a number, a value's link. */
export function cite(mark) {
  if (mark.matches("button")) {
    const format = mark.closest(".pd-cite__format")
    copy(format.querySelector(".pd-cite__text"), format.querySelector("[role=status]"))
  } else beside(mark)
}

async function beside(mark) {
  const box = document.querySelector(".pd-cite")
  const id = decodeURIComponent(new URL(mark.href).hash.slice(1))
  if (!box || !("popover" in box)) return
  const file = new URL(box.dataset.items, location.href)
  const found = await fetch(file).then((answer) => (answer.ok ? answer.json() : null), () => null)
  if (found && !found.items[id]) return
  const panel = made()
  if (found) fill(panel, found, id, file)
  else panel.replaceChildren(element("p", "pd-cite__note", LOST))
  panel.showPopover()
  // The page may scroll, or be laid out anew, once the address has changed.
  const again = () => place(panel, anchor(id))
  const moved = new ResizeObserver(again)
  moved.observe(document.body)
  addEventListener("scroll", again, { passive: true })
  requestAnimationFrame(again)
  panel.querySelector("button, a")?.focus({ preventScroll: true })
  // Led back by hand, and when the panel is closed: a value that has the focus opens a layer of its own.
  panel.onbeforetoggle = ({ newState }) => {
    if (newState === "closed" && panel.contains(document.activeElement)) document.activeElement.blur()
  }
  panel.ontoggle = ({ newState }) => {
    if (newState !== "closed") return
    moved.disconnect()
    removeEventListener("scroll", again)
    const lost = !document.activeElement || document.activeElement === document.body
    if (lost) anchor(id)?.focus({ preventScroll: true })
  }
}

/* The mark of an item, or the value, in the page as it is now: Material's instant navigation can
   put another copy of the page in its place. */
function anchor(id) {
  const item = document.getElementById(id)
  return item?.querySelector(`:is(.headerlink, .pd-number, .pd-equation-number)[href$="#${CSS.escape(id)}"]`) ?? item
}

/* One panel for the site: pages change below it. */
function made() {
  const known = document.getElementById(ID)
  if (known) {
    if (known.matches(":popover-open")) known.hidePopover()
    return known
  }
  const panel = element("div", "md-typeset pd-citing")
  panel.id = ID
  panel.popover = "auto"
  panel.setAttribute("role", "dialog")
  document.body.append(panel)
  return panel
}

function fill(panel, found, id, file) {
  const [label, others = {}] = found.items[id]
  const { marks } = found
  const filled = (text, words) =>
    text.replaceAll(marks.label, words).replaceAll(marks.id, id).replaceAll(marks.key, others.key ?? id)
  const texts = Object.entries(found.formats).map(([name, text]) => [name, filled(text, others[name] ?? label)])
  if (found.link) texts.unshift(["link", filled(found.link, label)])

  const text = element("div", "pd-cite__text")
  const status = element("p", "pd-cite__note")
  status.setAttribute("role", "status")
  const show = (name, content) => {
    text.className = `pd-cite__text pd-cite__text--${name.toLowerCase()}`
    text.textContent = content
  }
  const buttons = element("p", "pd-citing__buttons")
  for (const [name, content] of texts) {
    const button = element("button", "pd-tool", `Copy ${name}`)
    button.type = "button"
    button.addEventListener("click", () => {
      show(name, content)
      copy(text, status)
    })
    buttons.append(button)
  }
  show(...texts.find(([name]) => name === "APA"))
  panel.setAttribute("aria-label", `Cite ${label}`)
  panel.replaceChildren(element("p", "pd-citing__label", label), buttons, text, status)
  if (!found.report) return
  const report = element("a", "pd-citing__report", "Report an error here")
  report.href = new URL(filled(found.report, encodeURIComponent(label)), file)
  panel.append(report)
}

/* Below the mark, above it where there is no room, and not beyond the column of the text if that
   is wide enough; it scrolls with the page. */
function place(panel, anchor) {
  if (!anchor) return
  const gap = 8
  const { left, top, bottom } = anchor.getBoundingClientRect()
  const { clientWidth, clientHeight } = document.documentElement
  const { width, height } = panel.getBoundingClientRect()
  const column = document.querySelector(".md-content__inner")?.getBoundingClientRect().right ?? clientWidth
  const end = Math.min(column, clientWidth - gap) - width
  const below = bottom + gap + height <= clientHeight || top < height + gap
  panel.style.left = `${scrollX + Math.max(gap, Math.min(left, end))}px`
  panel.style.top = `${scrollY + (below ? bottom + gap : top - gap - height)}px`
}

async function copy(from, status) {
  status.textContent = ""
  try {
    await navigator.clipboard.writeText(from.textContent)
    status.textContent = COPIED
  } catch {
    getSelection().selectAllChildren(from)
    status.textContent = BY_HAND
  }
}

function element(tag, name, text = "") {
  const made = document.createElement(tag)
  made.className = name
  made.textContent = text
  return made
}

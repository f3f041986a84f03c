/* What the pages do beyond Material. Events are taken at the document, which outlives a
   page under instant navigation. */
(() => {
  "use strict"

  /* A worked value's popover, one for the page. */
  const ID = "pd-popover"
  const NOTES = {
    worked: "recomputed when this page was built",
    quoted: "as printed in the source",
    keys: "\u2190 \u2192 next value, Tab next section, Enter cites",
  }
  let value = null // beside which it stands
  let timer = 0
  let arrows = false // known to the reader

  function popover() {
    let made = document.getElementById(ID)
    if (made) return made
    made = document.createElement("div")
    made.id = ID
    made.className = "pd-popover"
    made.setAttribute("role", "tooltip")
    made.popover = "manual"
    made.onmousedown = (event) => event.target.href && event.preventDefault()
    document.body.append(made)
    return made
  }

  function line(tag, name, text) {
    const made = document.createElement(tag)
    if (name) made.className = name
    made.textContent = text
    return made
  }

  const note = (tag, text) => line(tag, "pd-popover__note", text)

  function open(target, byKey) {
    clearTimeout(timer)
    if (target === value) return
    close()
    value = target
    const box = popover()
    const quoted = target.classList.contains("quoted")
    const shown = target.value.replace(/(^|[^\w])-(?=[\d.])/g, "$1\u2212")
    box.replaceChildren(
      line("code", "", target.dataset.expression),
      line("code", "pd-popover__value", " = " + shown),
      note("span", quoted ? NOTES.quoted : NOTES.worked),
    )
    if (target.id) box.append(Object.assign(note("a", "Cite this value"), { href: "#" + target.id }))
    if (byKey && !arrows) box.append(note("span", NOTES.keys))
    target.setAttribute("aria-describedby", ID)
    target.classList.add("pd-open")
    box.showPopover()
    place(box, target)
  }

  /* Below the value: what stands above it is being read. Above it only at the foot
     of the screen. */
  function place(box, target) {
    const lines = target.getClientRects()
    if (!lines.length) return close()
    const [first] = lines
    const last = [...lines].pop()
    const gap = 10
    const { clientWidth, clientHeight } = document.documentElement
    const header = document.querySelector(".md-header")?.getBoundingClientRect().bottom || 0
    const room = { below: clientHeight - last.bottom - gap - 4, above: first.top - header - gap - 4 }
    box.style.maxHeight = ""
    const { width, height } = box.getBoundingClientRect()
    const below = height <= room.below || room.below >= room.above
    const tall = Math.min(height, Math.max(60, below ? room.below : room.above))
    if (tall < height) box.style.maxHeight = tall + "px"
    box.style.left = Math.min(Math.max(8, last.left), Math.max(8, clientWidth - width - 8)) + "px"
    box.style.top = (below ? last.bottom + gap : first.top - gap - tall) + "px"
  }

  function close() {
    clearTimeout(timer)
    if (!value) return
    value.removeAttribute("aria-describedby")
    value.classList.remove("pd-open")
    value = null
    document.getElementById(ID)?.hidePopover()
  }

  const within = (selector) => ({ target }) => target instanceof Element && target.closest(selector)
  const worked = within("data.worked")
  const inside = within("#" + ID)

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return
    clearTimeout(timer)
    const target = worked(event)
    if (target) timer = setTimeout(open, value ? 80 : 200, target)
    else if (value !== document.activeElement && !inside(event)) timer = setTimeout(close, 250)
  })
  document.addEventListener("focusin", (event) => {
    const target = worked(event)
    if (target) stop(target)
    if (target && target.matches(":focus-visible")) open(target, true)
    else if (!target) close()
  })
  document.addEventListener("focusout", (event) => {
    if (worked(event)) close()
  })
  document.addEventListener("click", (event) => {
    const target = worked(event)
    if (target) open(target)
    else if (!inside(event)) close()
    const mark = within(".headerlink, a[class$=number], .pd-cite button, .pd-popover a")(event)
    if (mark) import("./cite.js").then((made) => made.cite(mark))
  })
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && worked(event)) popover().querySelector("a")?.click()
    if (event.key === "Escape" && value) {
      close()
      event.stopPropagation()
    }
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (!step || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    const target = worked(event)
    if (!target) return
    const all = values().filter((each) => each.getClientRects().length)
    const next = all[all.indexOf(target) + step]
    event.preventDefault()
    arrows = true
    next?.focus()
  }, true)
  /* A value that has the focus keeps its popover while the page scrolls to it. */
  function follow(event) {
    if (!value || inside(event)) return
    if (value === document.activeElement) place(popover(), value)
    else close()
  }
  addEventListener("scroll", follow, { passive: true, capture: true })
  addEventListener("resize", follow)

  /* For the Tab key the values of a section are one stop, the last one used or the
     first; so are those of a fold or a tab. Arrow keys go from one to the next. */
  const section = new WeakMap()
  const values = () => [...document.querySelectorAll(".md-content data.worked[tabindex]")]

  function stops() {
    let heading = document.body
    const seen = new Set()
    for (const each of document.querySelectorAll(".md-content :is(h2, h3, data.worked[tabindex])")) {
      if (!each.matches("data")) {
        heading = each
        continue
      }
      const part = each.closest("details, .tabbed-block") || heading
      section.set(each, part)
      each.tabIndex = seen.has(part) ? -1 : 0
      seen.add(part)
    }
  }

  function stop(target) {
    const part = section.get(target)
    if (!part) return
    for (const each of values()) if (section.get(each) === part) each.tabIndex = -1
    target.tabIndex = 0
  }

  /* What is wider than the column: tables, equations, inline formulas. Code is Material's
     care, and folds wait. All is measured first. */
  const FOLDED = "details:not([open]) > :not(summary)"
  function widths() {
    const wide = [...document.querySelectorAll(".md-content math:not([display=block])")].filter((math) => {
      if (math.closest(`${FOLDED}, .pd-wide, table, .tabbed-block:not(:first-child)`)) return false
      let room = math.closest("p, li, dd, figcaption, .md-content__inner")
      while (room && !room.clientWidth) room = room.parentElement // set inline
      return room && math.getBoundingClientRect().width > room.clientWidth + 1
    })
    for (const math of wide) {
      const wrap = document.createElement("span")
      wrap.className = "pd-wide"
      math.replaceWith(wrap)
      wrap.append(math)
    }
    const names = new Map()
    const boxes = [...document.querySelectorAll(
      ".md-content :is(.md-typeset__scrollwrap, .md-typeset__table, .pd-equation, .pd-wide)"
    )].filter((box) => !box.closest(FOLDED)).map((box) => [box, box.scrollWidth > box.clientWidth + 1])
    for (const [box, scrolls] of boxes) {
      if (scrolls) {
        const called = name(box)
        const nth = (names.get(called) || 0) + 1
        names.set(called, nth)
        box.tabIndex = 0
        box.setAttribute("role", "region")
        box.setAttribute("aria-label", nth > 1 ? `${called} (${nth})` : called)
      } else if (box.hasAttribute("tabindex")) {
        for (const each of ["tabindex", "role", "aria-label"]) box.removeAttribute(each)
      }
    }
  }

  /* What a part that scrolls is called: by its number and caption, else by what
     stands over it. */
  function name(box) {
    const words = (part) => part?.textContent.replace(/\u00b6/g, "").replace(/\s+/g, " ").trim() || ""
    if (box.matches(".pd-equation"))
      return box.querySelector(".pd-equation-number")?.getAttribute("aria-label") || "Equation"
    const figure = box.closest("figure")
    if (figure) {
      const [caption] = words(figure.querySelector("figcaption p")).match(/^.{0,90}?[.?](?= |$)|^.{0,80}/) || [""]
      return [words(figure.querySelector(".pd-number")), caption].filter(Boolean).join(": ")
    }
    const over = [...document.querySelectorAll(".md-content :is(h1, h2, h3, h4, summary)")]
      .filter((each) => each.compareDocumentPosition(box) & Node.DOCUMENT_POSITION_FOLLOWING)
      .pop()
    return `${box.matches(".pd-wide") ? "Formula" : "Table"}: ${words(over)}`
  }

  function figures() {
    if (document.querySelector(".pd-offer")) import("./figures/figures.js").then(({ page }) => page())
  }

  function page() {
    close()
    stops()
    widths()
    figures()
    document.fonts?.ready.then(widths)
  }

  /* Once for many folds that open. */
  let asked = 0
  function soon() {
    cancelAnimationFrame(asked)
    asked = requestAnimationFrame(widths)
  }

  addEventListener("resize", soon)
  document.addEventListener("toggle", soon, true)
  document.addEventListener("change", soon)
  if (typeof document$ !== "undefined") document$.subscribe(page)
  else if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", page)
  else page()

  /* What is folded stays off paper: Material opens all folds to print. */
  const shut = (fold) => fold.toggleAttribute("data-shut", !fold.open)
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(shut), true)
})()

/* What the pages do beyond Material: a worked value shows its proof, and what is
   wider than the column can be scrolled by keyboard. Everything can be read
   without it. Events are taken at the document, which outlives a page under
   instant navigation. */
(() => {
  "use strict"

  /* A worked value's popover: one for the page, in the top layer, where nothing
     clips it. */
  const ID = "pd-popover"
  let value = null // the value that it stands beside
  let timer = 0

  function popover() {
    let made = document.getElementById(ID)
    if (made) return made
    made = document.createElement("div")
    made.id = ID
    made.className = "pd-popover"
    made.setAttribute("role", "tooltip")
    if ("popover" in made) made.popover = "manual"
    else made.hidden = true
    document.body.append(made)
    return made
  }

  function line(tag, name, text) {
    const made = document.createElement(tag)
    if (name) made.className = name
    made.textContent = text
    return made
  }

  function open(target, x) {
    clearTimeout(timer)
    if (target === value) return
    close()
    value = target
    const box = popover()
    box.replaceChildren(
      line("code", "", target.dataset.expression),
      line("code", "pd-popover__value", "= " + target.value.replace(/(^|[^\w])-(?=[\d.])/g, "$1\u2212")),
      line("span", "pd-popover__note", "recomputed when this page was built"),
    )
    target.setAttribute("aria-describedby", ID)
    target.classList.add("pd-open")
    if (box.showPopover) box.showPopover()
    else box.hidden = false
    place(box, target, x)
  }

  /* Above the line that the pointer is on, else below; never off the screen. */
  function place(box, target, x) {
    const lines = [...target.getClientRects()]
    const on = lines.find((r) => x >= r.left - 1 && x <= r.right + 1) || lines[0]
    if (!on) return close()
    const header = document.querySelector(".md-header")
    const top = header ? header.getBoundingClientRect().bottom : 0
    const { width, height } = box.getBoundingClientRect()
    const screen = document.documentElement.clientWidth
    const left = Math.min(Math.max(8, on.left), Math.max(8, screen - width - 8))
    const above = on.top - height - 7
    box.style.left = left + "px"
    box.style.top = (above > top ? above : on.bottom + 7) + "px"
  }

  function close() {
    clearTimeout(timer)
    if (!value) return
    value.removeAttribute("aria-describedby")
    value.classList.remove("pd-open")
    value = null
    const box = document.getElementById(ID)
    if (!box) return
    if (box.hidePopover) {
      if (box.matches(":popover-open")) box.hidePopover()
    } else box.hidden = true
  }

  const worked = (event) =>
    event.target instanceof Element && event.target.closest("data.worked")
  const inside = (event) =>
    event.target instanceof Element && event.target.closest("#" + ID)

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return
    const target = worked(event)
    if (target) {
      clearTimeout(timer)
      timer = setTimeout(open, value ? 0 : 120, target, event.clientX)
    } else if (inside(event)) clearTimeout(timer)
    else if (value && value !== document.activeElement) {
      clearTimeout(timer)
      timer = setTimeout(close, 200)
    } else if (!value) clearTimeout(timer)
  })
  document.addEventListener("focusin", (event) => {
    const target = worked(event)
    if (target && target.matches(":focus-visible")) open(target, -1)
    else if (!target) close()
  })
  document.addEventListener("focusout", (event) => {
    if (worked(event)) close()
  })
  document.addEventListener("click", (event) => {
    const target = worked(event)
    if (target) open(target, event.clientX)
    else if (!inside(event)) close()
  })
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && value) {
      close()
      event.stopPropagation()
    }
  }, true)
  /* A value that has the focus keeps its popover while the page scrolls to it. */
  function follow() {
    if (!value) return
    if (value === document.activeElement) place(popover(), value, -1)
    else close()
  }
  addEventListener("scroll", follow, { passive: true })
  addEventListener("resize", follow)

  /* What is wider than the column: tables, equations and inline formulas. Code
     blocks are Material's care. */
  function widths() {
    for (const math of document.querySelectorAll(".md-content math:not([display=block])")) {
      const room = math.closest("p, li, dd, figcaption, .md-content__inner")
      if (!room || math.closest(".pd-wide, table, .tabbed-block:not(:first-child)")) continue
      if (math.getBoundingClientRect().width > room.clientWidth + 1) {
        const wrap = document.createElement("span")
        wrap.className = "pd-wide"
        math.replaceWith(wrap)
        wrap.append(math)
      }
    }
    for (const box of document.querySelectorAll(
      ".md-content :is(.md-typeset__scrollwrap, .md-typeset__table, .pd-equation, .pd-wide)"
    )) {
      const scrolls = box.scrollWidth > box.clientWidth + 1
      if (scrolls) {
        box.tabIndex = 0
        if (!box.hasAttribute("role")) box.setAttribute("role", "region")
        if (!box.hasAttribute("aria-label"))
          box.setAttribute("aria-label", box.matches(".pd-equation, .pd-wide") ? "formula" : "table")
      } else if (box.getAttribute("role") === "region") {
        box.removeAttribute("tabindex")
        box.removeAttribute("role")
        box.removeAttribute("aria-label")
      }
    }
  }

  /* Two parts of Material's page that have no name of their own. */
  function names() {
    document.querySelector(".md-search[role=dialog]")?.setAttribute("aria-label", "Search")
    document.querySelector(".md-progress")?.setAttribute("aria-label", "Loading")
  }

  function page() {
    close()
    names()
    widths()
    document.fonts?.ready.then(widths)
  }

  addEventListener("resize", () => requestAnimationFrame(widths))
  document.addEventListener("toggle", widths, true)
  document.addEventListener("change", () => requestAnimationFrame(widths))
  if (typeof document$ !== "undefined") document$.subscribe(page)
  else if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", page)
  else page()
})()

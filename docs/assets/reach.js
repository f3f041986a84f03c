/* What Material leaves to the mouse, or to the eye. */
(() => {
  "use strict"

  /* The focus goes to where a link of the page leads, and to the title of a page that took the
     place of another: Material only scrolls. */
  function go(hash) {
    const target = document.getElementById(decodeURIComponent(hash.slice(1))) || document.querySelector("h1")
    if (target?.tabIndex < 0) target.tabIndex = -1
    target?.focus({ preventScroll: true })
  }

  const CITED = ".headerlink, a[class$=number], .pd-popover a" // these open a panel, which has the focus
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href*='#']")
    const byKey = !event.detail
    if (byKey && link?.pathname === location.pathname && !link.matches(CITED)) setTimeout(() => go(link.hash))
  })

  /* Some of a page comes late: the box of a copy button when its block is seen. */
  const each = (selector, change) => document.querySelectorAll(selector).forEach(change)
  const LABELS = ".md-header [for=__drawer], .md-nav__item--section > label, .md-nav__title[for^=__nav]"
  const drawer = matchMedia("(max-width: 76.23em)") // where the navigation is one
  function names() {
    each(".md-search[role=dialog]:not([aria-label])", (box) => (box.ariaLabel = "Search"))
    each(".md-code__nav:not([role])", (box) => (box.role = "none"))
    each("svg[viewBox='0 0 24 24']:not([aria-hidden])", (icon) => (icon.ariaHidden = "true"))
    each("figure:not([aria-label]) .pd-number", (number) => (number.closest("figure").ariaLabel = number.textContent))
    each(".md-header [for=__drawer]", (label) => (label.title = "Menu"))
    each(LABELS, (label) => (label.tabIndex = drawer.matches ? 0 : -1))
  }

  /* Material takes Enter for a press of a label; readers press the space bar too. */
  document.addEventListener("keydown", (event) => {
    if (event.key !== " " || !event.target.matches?.("label[tabindex]")) return
    event.preventDefault()
    event.target.click()
  })

  let pages = 0
  function page() {
    names()
    if (pages++ && document.activeElement === document.body) go(location.hash)
  }
  new MutationObserver(names).observe(document.body, { childList: true, subtree: true })
  drawer.addEventListener("change", names)
  if (typeof document$ !== "undefined") document$.subscribe(page)
  else page()
})()

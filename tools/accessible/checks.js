/* What a page can be asked about itself. Each check returns sentences about what is wrong; a
   sentence is about a kind of element, and is said once. */
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)]
  const style = getComputedStyle
  const said = (lines) => [...new Set(lines)].slice(0, 12)

  const shown = (each) => each.checkVisibility({ opacityProperty: true, visibilityProperty: true })
  /* For a screen reader alone. */
  const unseen = (each) => {
    for (let box = each; box; box = box.parentElement) {
      const { clipPath, position, overflow } = style(box)
      if (clipPath === "inset(50%)") return true
      if (position === "absolute" && overflow === "hidden" && box.offsetWidth <= 1) return true
    }
    return false
  }

  const kind = (each) => {
    const names = [...each.classList].filter((name) => !/^\d|^__/.test(name)).join(".")
    const over = each.parentElement?.closest("[class]")
    const own = each.localName + (names && `.${names}`)
    return names || !over ? own : `${over.localName}.${[...over.classList].join(".")} ${own}`
  }

  /* The first of each kind, in each kind of box: what has the same style has the same faults. */
  function ofEachKind(elements) {
    const kinds = new Map()
    for (const each of elements) {
      const name = [each, each.parentElement].map((box) => `${box?.localName} ${box?.className}`).join(" in ")
      if (!kinds.has(name)) kinds.set(name, each)
    }
    return [...kinds.values()]
  }

  /* A colour as red, green, blue from 0 to 255, and alpha. */
  const colours = new Map()
  function colour(text) {
    if (!colours.has(text)) {
      const parts = text.match(/-?[\d.]+(?:e-?\d+)?/g)?.map(Number)
      if (!parts || !/^(rgb|color\(srgb )/.test(text)) throw new Error(`no colour: ${text}`)
      const [r, g, b] = text.startsWith("rgb") ? parts : parts.map((each) => each * 255)
      colours.set(text, [r, g, b, parts[3] ?? 1])
    }
    return colours.get(text)
  }
  const over = ([r, g, b, alpha], [R, G, B]) =>
    [r * alpha + R * (1 - alpha), g * alpha + G * (1 - alpha), b * alpha + B * (1 - alpha), 1]
  const faded = ([r, g, b, alpha], by) => [r, g, b, alpha * by]
  const light = (channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }
  const luminance = ([r, g, b]) => 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b)
  const contrast = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b)
    return (high + 0.05) / (low + 0.05)
  }

  /* The plain colour that stands behind an element, and how much of it its ancestors let through.
     Shades and underlines, which are images, are no ground: the colour below them is. */
  function ground(each) {
    const layers = []
    for (let box = each; box; box = box.parentElement ?? box.getRootNode().host) {
      const layer = colour(style(box).backgroundColor)
      if (layer[3]) layers.push(layer)
      if (layer[3] === 1) break
    }
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255, 1])
  }
  function opacity(each) {
    let share = 1
    for (let box = each; box; box = box.parentElement ?? box.getRootNode().host) share *= style(box).opacity
    return share
  }
  const ratio = (text, each, share = 1) => {
    const below = ground(each)
    return contrast(over(faded(colour(text), share * opacity(each)), below), below)
  }
  const words = (text) => text.trim().replace(/\s+/g, " ").slice(0, 40)
  const rounded = (value) => Math.floor(value * 100) / 100

  /* Text, whatever it stands in, code and formulas too: AAA. */
  function contrasts(root = document.body) {
    const faults = []
    const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    const seen = new Map()
    while (walk.nextNode()) {
      const text = walk.currentNode
      const each = text.parentElement
      if (!text.data.trim() || seen.has(each)) continue
      seen.set(each)
      if (each.closest("script, style, template, noscript, svg, option, :disabled")) continue
      if (!shown(each) || unseen(each)) continue
      const { color, fontSize, fontWeight } = style(each)
      const large = parseFloat(fontSize) >= (fontWeight >= 700 ? 18.66 : 24)
      const found = ratio(color, each)
      if (found < (large ? 4.5 : 7)) faults.push(`${kind(each)}: ${rounded(found)}`)
    }
    // A text that was typed stands in the placeholder's place.
    for (const each of all("input[placeholder]", root).filter((each) => shown(each) && !each.value)) {
      const found = ratio(style(each, "::placeholder").color, each)
      if (found < 7) faults.push(`placeholder: ${rounded(found)}`)
    }
    return said(faults)
  }

  /* Drawings, those in a shadow too. */
  const drawings = (root = document) => [
    ...all("figure [role=img] svg", root),
    ...all(".pd-moving", root).flatMap((host) => all("svg", host.shadowRoot)),
  ].filter(shown)

  const SHAPES = "path, rect, circle, ellipse, polygon, polyline, line"

  /* The words of drawings, on what was painted below them: AA. */
  function drawn(root = document) {
    const faults = []
    for (const svg of drawings(root)) {
      const parts = all(`${SHAPES}, text`, svg)
      const shapes = parts
        .map((each, n) => ({ each, n, style: style(each) }))
        .filter(({ each, style: { fill } }) => each.localName !== "text" && /^(rgb|color)/.test(fill))
        .filter(({ each }) => !each.closest("defs, clipPath, pattern, mask, symbol"))
      for (const [n, text] of parts.entries()) {
        if (text.localName !== "text" || !text.textContent.trim()) continue
        const { fill, fillOpacity, stroke, strokeWidth, fontSize } = style(text)
        const { left, top, width, height } = text.getBoundingClientRect()
        if (!width || fill === "none") continue
        for (const share of [0.15, 0.5, 0.85]) {
          const point = new DOMPoint(left + width * share, top + height / 2)
          let below = ground(svg)
          for (const { each, n: before, style: own } of shapes) {
            if (before > n) break
            const box = each.getBoundingClientRect()
            if (point.x < box.left || point.x > box.right || point.y < box.top || point.y > box.bottom) continue
            const place = point.matrixTransform(each.getScreenCTM().inverse())
            if (each.isPointInFill(place))
              below = over(faded(colour(own.fill), own.fillOpacity * opacity(each)), below)
          }
          if (/^(rgb|color)/.test(stroke) && parseFloat(strokeWidth) >= 2) below = over(colour(stroke), below)
          const found = contrast(over(faded(colour(fill), fillOpacity * opacity(text)), below), below)
          if (found < 4.5) faults.push(`${svg.closest("figure")?.id ?? svg.getRootNode().host?.closest("figure").id}: “${words(text.textContent)}”: ${rounded(found)}`)
        }
      }
    }
    return said(faults)
  }

  /* How the lines and areas of drawings stand out from the page, in document order. */
  const shapes = () => drawings().flatMap((svg) =>
    all(SHAPES, svg).map((each) => {
      const { stroke, strokeOpacity, fill, fillOpacity } = style(each)
      const share = (paint, part) => (/^(rgb|color)/.test(paint) ? ratio(paint, svg, part * each.checkVisibility() * opacity(each)) : 1)
      return Math.max(share(stroke, strokeOpacity), share(fill, fillOpacity))
    }))

  /* Icons that are a mask over a colour: 3 to 1. */
  function icons() {
    const faults = []
    for (const each of ofEachKind(all("body, body *").filter(shown)))
      for (const pseudo of ["", "::before", "::after"]) {
        const own = style(each, pseudo)
        if ((own.maskImage || "none") === "none" || own.content === "none" || own.display === "none") continue
        if (pseudo && own.content === "normal") continue
        if (own.visibility === "hidden" || own.opacity === "0") continue
        const found = ratio(own.backgroundColor, each.matches(".md-icon, .md-annotation") || !pseudo ? each.parentElement : each, own.opacity)
        if (found < 3) faults.push(`${kind(each)}${pseudo}: ${rounded(found)}`)
      }
    return said(faults)
  }

  /* One title, and no level left out. */
  function headings() {
    const levels = all("h1, h2, h3, h4, h5, h6").filter(shown)
    const faults = levels.filter((each) => !each.textContent.trim()).map((each) => `${kind(each)}: empty`)
    const titles = levels.filter((each) => each.localName === "h1").length
    if (titles !== 1) faults.push(`${titles} titles`)
    levels.reduce((before, each) => {
      const level = Number(each.localName[1])
      if (level > before + 1) faults.push(`after h${before}: h${level} ${words(each.textContent)}`)
      return level
    }, 0)
    return said(faults)
  }

  /* What scrolls. */
  const scrolling = () => all("body *").filter((each) => {
    const { overflowX, overflowY } = style(each)
    const scrolls = (how, content, room) => /auto|scroll/.test(how) && room > 0 && content > room + 1
    return (scrolls(overflowX, each.scrollWidth, each.clientWidth) || scrolls(overflowY, each.scrollHeight, each.clientHeight))
      && shown(each) && !unseen(each)
  })

  const STOPS = "a[href], button:enabled, input:enabled, select:enabled, textarea, summary, [tabindex], [contenteditable=true], iframe"
  const reached = (each) => each.matches(STOPS) && each.tabIndex >= 0
  /* Whether one is reached by the Tab key, or has something in it that is. */
  const unreached = () => said(scrolling()
    .filter((each) => !reached(each) && !all(STOPS, each).some((inner) => reached(inner) && shown(inner)))
    .map(kind))

  /* Where the focus is, and whether that can be seen. */
  function focus() {
    let each = document.activeElement
    while (each?.shadowRoot?.activeElement) each = each.shadowRoot.activeElement
    if (!each || each === document.body) return null
    let marked = each
    if (unseen(each) || style(each).opacity === "0" || !each.getClientRects().length || (each.labels?.length && each.offsetWidth <= 1))
      marked = each.labels?.[0] && shown(each.labels[0]) ? each.labels[0] : each.nextElementSibling ?? each
    if (each.matches(".cm-content")) marked = each.closest(".cm-editor")
    const { outlineStyle, outlineWidth, outlineColor } = style(marked)
    const rects = [...marked.getClientRects()].filter(({ width, height }) => width && height)
    const header = document.querySelector(".md-header")
    const under = header && !header.contains(marked) && shown(header) ? header.getBoundingClientRect().bottom : 0
    const fixed = marked.closest(".md-sidebar, .md-header, .md-skip, [popover]")
    const faults = []
    if (outlineStyle === "none" || parseFloat(outlineWidth) < 2) faults.push("the focus is not seen")
    else if (ratio(outlineColor, marked.parentElement) < 3) faults.push(`the focus is pale: ${rounded(ratio(outlineColor, marked.parentElement))}`)
    if (!rects.length) faults.push("has no place on the screen")
    else if (!fixed && rects.every(({ bottom }) => bottom <= under)) faults.push("the focus is under the header")
    else if (rects.every(({ top, bottom, left, right }) => top >= innerHeight || bottom <= 0 || left >= innerWidth || right <= 0))
      faults.push("the focus is off the screen")
    return { kind: kind(each), inside: Boolean(each.closest(".md-content")), faults }
  }

  /* Nothing is wider than the screen but what scrolls, and no text is cut off. */
  const kept = (box) => /auto|scroll|hidden|clip/.test(style(box).overflowX)
  function wide() {
    const root = document.documentElement
    const faults = root.scrollWidth > innerWidth ? [`the page: ${root.scrollWidth}`] : []
    for (const each of all(".md-main *, main *")) {
      const { right, width } = each.getBoundingClientRect()
      if (!width || right <= innerWidth + 1) continue
      let box = each.parentElement
      while (box !== document.body && !kept(box)) box = box.parentElement
      if (box === document.body) faults.push(`${kind(each)}: ${words(each.textContent)}`)
    }
    return faults.slice(0, 5)
  }
  function cut() {
    const faults = []
    // The title of the page stands in the header too, as far as there is room.
    for (const each of all(".md-main *, .md-header *:not(.md-header__title *), .md-footer *, main *")) {
      const { overflowX, overflowY, display, fontSize } = style(each)
      if (display.startsWith("inline") || !each.textContent.trim() || each.closest("svg, math, select")) continue
      const hidden = /hidden|clip/
      const less = parseFloat(fontSize) / 3
      const x = hidden.test(overflowX) && each.scrollWidth > each.clientWidth + less
      const y = hidden.test(overflowY) && each.scrollHeight > each.clientHeight + less
      const { left, right } = each.getBoundingClientRect()
      const away = right <= 0 || left >= innerWidth // a drawer that is shut
      if ((x || y) && !away && shown(each) && !unseen(each)) faults.push(`${kind(each)}: ${words(each.textContent)}`)
    }
    return said(faults)
  }
  /* How much of the screen stays covered while the page scrolls. */
  function covered() {
    const header = document.querySelector(".md-header")?.getBoundingClientRect().height ?? 0
    return header > innerHeight / 4 ? [`the header takes ${Math.round(header)} of ${innerHeight} pixels`] : []
  }

  /* What would move, where less motion is asked for. */
  function motion() {
    const faults = []
    for (const each of ofEachKind([document.documentElement, ...all("body, body *")]))
      for (const pseudo of ["", "::before", "::after"]) {
        const own = style(each, pseudo)
        if (pseudo && /^(none|normal)$/.test(own.content)) continue
        const long = own.transitionDuration.split(", ").some((time) => parseFloat(time) > 0.01)
        if (long || own.animationName !== "none" || own.scrollBehavior === "smooth") faults.push(kind(each) + pseudo)
      }
    for (const each of document.getAnimations()) faults.push(`runs: ${kind(each.effect.target)}`)
    return said(faults)
  }

  /* Parts of a page that scroll and share a name. */
  const shared = () => all(".md-content [role=region]")
    .map((each) => each.getAttribute("aria-label"))
    .filter((name, n, names) => !name || names.indexOf(name) !== n)

  /* Controls, one of each kind. */
  function controls() {
    const seen = (each) => shown(each) && !unseen(each) && each.getBoundingClientRect().width > 4
    return ofEachKind(all(`${STOPS}, label.md-header__button`).filter(seen))
  }

  return { contrasts, drawn, shapes, icons, headings, scrolling, unreached, focus, wide, cut, covered, motion, shared, controls, kind }
})()

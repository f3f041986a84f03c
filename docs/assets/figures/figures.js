/* Interactive figures. A page offers, behind a drawing, controls and values; a
   script for each kind says what they look like in one state, as src/pedocs/book/interact.py has
   it. The state stands in the address, as
   ?<figure>=<name>:<value>,…, so that a link leads to this view. */
const WIDEST = 640

/* Words keep the colours of the drawing, which are the system's where it forces its own. */
const sheet = new CSSStyleSheet()
sheet.replaceSync("text { forced-color-adjust: none }")

/* What the hands have chosen since the address was written: figure → words about it, "" if it
   is as the page has it. */
const chosen = new Map()

export async function page() {
  chosen.clear()
  const offers = document.querySelectorAll(".md-content figure template.pd-offer")
  await Promise.all([...offers].map(setUp))
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (offers.length && target?.matches("figure")) target.scrollIntoView()
}

async function setUp(template) {
  const { controls, data } = JSON.parse(template.content.textContent)
  const kind = await import(`./${template.dataset.kind}.js`)
  if (template.isConnected) new Figure(template, controls, data, kind)
}

function make(tag, className, properties = {}) {
  const made = Object.assign(document.createElement(tag), properties)
  if (className) made.className = className
  return made
}

class Figure {
  constructor(template, controls, data, kind) {
    this.figure = template.closest("figure")
    this.id = this.figure.id
    this.data = { ...data, loaded: {} }
    this.arriving = new Set()
    this.kind = kind
    this.controls = controls.map((control) => ({ ...control, ...KINDS[control.type](control) }))
    this.drawn = 0 // the frame that is asked for
    this.room = 0 // how wide the drawing may be
    this.box = template.closest("[role=img]")
    this.build()
    this.set(this.fromAddress())
    this.watch()
  }

  build() {
    const { box } = this
    const alt = box.ariaLabel
    box.removeAttribute("role")
    box.removeAttribute("aria-label")
    box.replaceChildren()
    this.figure.classList.add("pd-interactive")
    const panel = make("div", "pd-controls")
    for (const control of this.controls) {
      control.element = control.build(this)
      panel.append(control.element)
    }
    // In a shadow a new drawing costs a tenth: none of the page's style rules is asked about it.
    this.host = make("div", "pd-moving")
    this.svg = document.createElementNS("http://www.w3.org/2000/svg", "svg")
    this.svg.setAttribute("role", "img")
    this.svg.ariaLabel = alt // until it is drawn
    this.svg.style.cssText = "display: block; margin: 0 auto; overflow: visible"
    const shadow = this.host.attachShadow({ mode: "open" })
    shadow.adoptedStyleSheets = [sheet]
    shadow.append(this.svg)
    this.said = make("p", "pd-said")
    this.heard = make("p", "pd-heard")
    this.heard.setAttribute("role", "status")
    const tools = make("div", "pd-tools")
    const tool = (text, act) =>
      make("button", "pd-tool", { type: "button", textContent: text, onclick: () => act(this) })
    this.note = make("span", "pd-tools__note")
    this.note.setAttribute("role", "status")
    tools.append(
      tool("Reset", () => this.reset()),
      tool("Copy link", () => this.share()),
      tool("SVG", () => this.download("svg")),
      tool("PNG", () => this.download("png")),
      this.note,
    )
    box.append(panel, this.host, this.said, this.heard, tools)
  }

  watch() {
    const { svg, kind } = this
    // To ask for the width while drawing would lay out the whole page each time.
    new ResizeObserver(([{ contentRect }]) => {
      this.room = Math.floor(contentRect.width)
      this.draw()
    }).observe(this.box)
    // An image in a drawing has no variables: it is made again in the colours of the other scheme.
    const scheme = new MutationObserver(() => (svg.isConnected ? this.draw() : scheme.disconnect()))
    scheme.observe(document.body, { attributeFilter: ["data-md-color-scheme"] })
    if (!kind.point) return
    svg.style.touchAction = "pan-y"
    let began = null
    const point = (event, dragging) => {
      const { left, top, width } = svg.getBoundingClientRect()
      const ratio = this.width / width
      const [x, y] = [(event.clientX - left) * ratio, (event.clientY - top) * ratio]
      const { data, state } = this
      if (event.type === "pointerdown") began = { x, y, state }
      const change = kind.point({ x, y, dragging, began, data, state, width: this.width })
      if (change) this.change(change)
    }
    svg.addEventListener("pointerdown", (event) => {
      if (event.button) return
      svg.setPointerCapture(event.pointerId)
      point(event, true)
    })
    svg.addEventListener("pointermove", (event) => {
      if (event.pointerType === "touch" && !svg.hasPointerCapture(event.pointerId)) return
      point(event, svg.hasPointerCapture(event.pointerId))
    })
  }

  /* What the address asks for, in what it may ask; the rest as the page has it. */
  fromAddress() {
    const asked = new URLSearchParams(location.search).get(this.id) || ""
    const given = new Map(asked.split(",").map((each) => each.split(":")))
    return Object.fromEntries(
      this.controls.map((control) => {
        const value = given.has(control.name) ? control.read(given.get(control.name)) : undefined
        return [control.name, value === undefined ? control.first : value]
      }),
    )
  }

  words() {
    return `${this.id}=${this.controls.map(({ name }) => `${name}:${this.state[name]}`).join(",")}`
  }

  address() {
    return addressOf(new Map([...chosen, [this.id, this.words()]]), `#${this.id}`)
  }

  /* A reader's change: shown at once, said and kept in the address when the hand rests. */
  change(part) {
    if (Object.entries(part).every(([name, value]) => this.state[name] === value)) return
    this.set({ ...this.state, ...part })
    this.later(this.words(), `#${this.id}`)
  }

  later(words, hash) {
    chosen.set(this.id, words)
    clearTimeout(this.timer)
    this.timer = setTimeout(() => {
      if (!this.svg.isConnected) return
      if (this.host.ariaBusy === "true") return this.later(words, hash) // for what is loading
      this.heard.textContent = this.said.textContent
      keep(addressOf(chosen, hash))
      const embed = this.figure.querySelector('a[href*="embed/"]')
      if (embed) embed.search = words
    }, 300)
  }

  first() {
    return Object.fromEntries(this.controls.map(({ name, first }) => [name, first]))
  }

  reset() {
    this.set(this.first())
    this.later("", location.hash)
  }

  async share() {
    try {
      await navigator.clipboard.writeText(this.address())
      this.tell("The link to this view is on the clipboard.")
    } catch {
      keep(this.address())
      this.tell("The link to this view stands in the address bar.")
    }
  }

  async download(type) {
    const { download } = await import("./export.js")
    download(this, type)
  }

  tell(text) {
    this.note.textContent = text
  }

  set(asked) {
    const limits = this.kind.limits?.({ data: this.data, state: asked }) ?? {}
    const within = ([name, value]) => [name, name in limits ? Math.min(value, limits[name]) : value]
    this.state = Object.fromEntries(Object.entries(asked).map(within))
    for (const control of this.controls) control.show(this.state[control.name], limits[control.name])
    this.tell("")
    this.draw()
  }

  draw() {
    cancelAnimationFrame(this.drawn)
    this.drawn = requestAnimationFrame(() => this.show())
  }

  show() {
    const width = Math.min(this.kind.widest ?? WIDEST, this.room)
    if (!width || !this.svg.isConnected) return // folded away
    const file = this.needed()
    this.host.ariaBusy = String(Boolean(file))
    if (file) return this.load(file)
    this.shown = this.state
    const { svg, height, said } = this.rendered(width)
    this.width = width
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`)
    this.svg.setAttribute("width", width)
    this.svg.setAttribute("height", height)
    this.svg.ariaLabel = said
    this.layer(svg)
    this.said.textContent = said
  }

  rendered(width) {
    const { data, shown, id } = this
    const drawing = this.kind.render({ data, state: shown, width, id })
    return { ...drawing, svg: [drawing.svg].flat() }
  }

  /* What did not change stands: a browser needs a frame for a few hundred numbers. */
  layer(layers) {
    const { svg } = this
    if (svg.children.length !== layers.length)
      svg.replaceChildren(...layers.map(() => document.createElementNS(svg.namespaceURI, "g")))
    layers.forEach((layer, n) => {
      if (layer !== this.layers?.[n] || !svg.children[n].firstChild) svg.children[n].innerHTML = layer
    })
    this.layers = layers
  }

  /* The file that a state waits for. */
  needed(state = this.state) {
    const file = this.kind.needs?.({ data: this.data, state })
    return file in this.data.loaded ? undefined : file
  }

  /* Until a file is here, the drawing stays as it was; if it does not come, so does the state. */
  async load(file) {
    if (this.arriving.has(file)) return
    this.arriving.add(file)
    try {
      const answer = await fetch(new URL(file, import.meta.url))
      if (!answer.ok) throw new Error(answer.status)
      this.data.loaded[file] = await answer.arrayBuffer()
      this.draw()
    } catch {
      if (this.needed() !== file) return // the reader has gone on
      const before = this.shown ?? this.first()
      if (this.needed(before) !== file) this.set(before)
      this.tell("That view could not be loaded. Choose it again to try once more.")
    } finally {
      this.arriving.delete(file)
    }
  }
}

/* This page's address with what is chosen in the place of what it said of those figures. */
function addressOf(chosen, hash) {
  const others = location.search.slice(1).split("&").filter((each) => each && !chosen.has(each.split("=")[0]))
  const search = [...others, ...chosen.values()].filter(Boolean).join("&")
  return location.origin + location.pathname + (search ? `?${search}` : "") + hash
}

function keep(address) {
  history.replaceState(history.state, "", address)
}

/* A link to a place of this page leads there with what figures show. Without that its address is
   another one, for which the page would be loaded anew. */
const led = new WeakSet()
document.addEventListener("click", ({ target }) => {
  const link = target.closest?.("a[href*='#']")
  if (link?.host + link?.pathname !== location.host + location.pathname) return
  if (link.search && !led.has(link)) return // it asks for a view of its own
  led.add(link)
  link.search = location.search
}, true)

/* The controls are the browser's own: they have a keyboard and a name for every reader. Each
   knows its first value, reads one from an address (undefined if it is none), and shows one. */
const KINDS = {
  range: ({ name, label, low, high, step, start, play, unit }) => ({
    first: start,
    read(text) {
      const value = Number(text)
      if (!text || !Number.isFinite(value)) return undefined
      const near = low + Math.round((Math.min(high, Math.max(low, value)) - low) / step) * step
      return Number(near.toFixed(6))
    },
    build(figure) {
      const box = make("div", "pd-control pd-control--range")
      this.input = make("input", "", { type: "range", min: low, max: high, step })
      this.shown = make("output", "pd-control__value")
      this.input.addEventListener("input", () => figure.change({ [name]: Number(this.input.value) }))
      box.append(...named(figure, name, label, this.input), this.shown)
      if (play) box.append(player(figure, this, { name, low, step }))
      return box
    },
    show(value, limit = high) {
      this.input.max = limit
      this.input.value = value
      this.shown.textContent = String(value).replace("-", "\u2212") + unit
    },
  }),

  choice: ({ name, label, options, start }) => ({
    first: start || Object.keys(options)[0],
    read: (text) => (text in options ? text : undefined),
    build(figure) {
      const box = make("div", "pd-control")
      this.input = make("select", "")
      for (const [value, textContent] of Object.entries(options))
        this.input.append(make("option", "", { value, textContent }))
      this.input.addEventListener("change", () => figure.change({ [name]: this.input.value }))
      box.append(...named(figure, name, label, this.input))
      return box
    },
    show(value) {
      this.input.value = value
    },
  }),

  switch: ({ name, label, on }) => ({
    first: on,
    read: (text) => ({ true: true, false: false })[text],
    build(figure) {
      const caption = make("label", "pd-control pd-control--switch")
      this.input = make("input", "", { type: "checkbox" })
      this.input.addEventListener("change", () => figure.change({ [name]: this.input.checked }))
      caption.append(this.input, make("span", "", { textContent: label }))
      return caption
    },
    show(value) {
      this.input.checked = value
    },
  }),
}

/* A label beside what it names. */
function named(figure, name, label, input) {
  input.id = `${figure.id}-${name}`
  return [make("label", "", { htmlFor: input.id, textContent: label }), input]
}

/* A button that moves a slider along, eight steps a second; where less motion is asked for, one. */
function player(figure, control, { name, low, step }) {
  const still = matchMedia("(prefers-reduced-motion: reduce)")
  const button = make("button", "pd-tool", { type: "button" })
  let timer = 0
  const show = () => (button.textContent = timer ? "Pause" : "Play")
  const stop = () => {
    clearInterval(timer)
    timer = 0
    show()
  }
  const move = () => {
    if (!button.isConnected) return stop()
    const next = figure.state[name] + step
    figure.change({ [name]: next > Number(control.input.max) ? low : Number(next.toFixed(6)) })
  }
  button.onclick = () => {
    if (timer) return stop()
    timer = setInterval(move, still.matches ? 1000 : 125)
    show()
  }
  control.input.addEventListener("input", stop)
  show()
  return button
}

/* A block that is open: an editor in the place of its code, a bar with what can be done, and
   below it what Python printed. */
import { makeEditor } from "./editor.js"
import { forgetLink, keep, link } from "./keeping.js"
import { base, keptCode } from "./memory.js"
import { notebook, run, stop } from "./runtime.js"

const panels = new WeakMap()
const DRAWS = /\bmatplotlib\b|\bpedocs\.book import draw\b|\bdraw\.(axes|show)\b/

/* Open a block, with some code or the book's. One whose button was pressed runs at once; a
   version that came by a link is scrolled to. */
export function open(block, { code = null, pressed = false, shared = false }) {
  let panel = panels.get(block)
  if (!panel) {
    panel = new Panel(block)
    panels.set(block, panel)
  }
  panel.show(code, shared)
  if (pressed && panel.answer) {
    panel.editor.focus()
    panel.box.scrollIntoView({ block: "nearest" })
  } else if (pressed) panel.run()
}

function make(tag, className, properties = {}) {
  const made = Object.assign(document.createElement(tag), properties)
  if (className) made.className = className
  return made
}

const button = (text, act) =>
  make("button", "pd-live__button", { type: "button", textContent: text, onclick: act })

class Panel {
  constructor(block) {
    this.block = block
    this.id = block.dataset.live
    this.answer = block.dataset.answer // what an exercise wants bound
    this.book = this.answer ? `# Your answer\n${this.answer} = ` : block.dataset.copy
    this.job = null // what this block has asked of Python
    this.ran = false // whether that has begun to run
    this.shared = false // whether the code is still what came with a link
    this.box = make("div", "pd-live")
    this.box.setAttribute("role", "group")
    this.box.setAttribute("aria-label", "Live code")
    const bar = make("div", "pd-live__bar")
    this.buttons = {
      run: button("", (event) => this.press(event)),
      reset: button("Reset", () => this.reset()),
      link: button("Copy link", () => this.share()),
      close: button("Close", () => this.close()),
    }
    this.buttons.run.classList.add("pd-live__button--first")
    this.progress = make("progress", "", { hidden: true })
    this.progress.setAttribute("aria-label", "Loading Python")
    this.bytes = make("span", "pd-live__bytes", { hidden: true })
    this.status = make("p", "pd-live__status")
    this.status.setAttribute("role", "status")
    this.output = make("pre", "pd-live__output", { hidden: true, tabIndex: 0 })
    this.output.setAttribute("role", "log")
    this.output.setAttribute("aria-label", "Output")
    bar.append(...Object.values(this.buttons), this.progress, this.bytes)
    this.editor = makeEditor(this.book, {
      label: this.answer ? "Your answer" : "Code of this block",
      change: () => this.changed(),
      run: () => this.run(),
    })
    this.editor.element.querySelector(".cm-content").tabIndex = 0 // said outright: it is what scrolls
    this.box.append(this.editor.element, bar, this.status, this.output)
    this.update()
  }

  show(code, shared) {
    if (!this.box.isConnected) {
      this.block.append(this.box)
      this.block.classList.add(this.answer ? "pd-live-below" : "pd-live-open")
      if (code === null) this.buttons.run.focus({ preventScroll: true })
    }
    if (code !== null) {
      this.editor.set(code)
      this.shared = shared
      this.say("")
      if (shared || this.answer) this.unfold()
      if (shared) this.arrived(code)
    }
    this.update()
  }

  /* What a reader wrote or was sent is not left behind a fold. */
  unfold() {
    let folded = this.block
    while ((folded = folded.parentElement?.closest("details"))) folded.open = true
  }

  /* Code came with a link; what the reader has written before is not lost to it. */
  arrived(code) {
    this.say("This code came with the link: read it before you run it.")
    const own = keptCode(this.id)
    if (own === null) keep(this.id, code)
    else if (own !== code) {
      this.own = own
      this.status.append(" ", button("Show my own version", () => {
        this.forgetLink()
        this.show(own, false)
        this.editor.focus()
      }))
    }
    this.block.scrollIntoView({ block: "center" })
  }

  close() {
    if (this.job) stop(this.job)
    this.box.remove()
    this.block.classList.remove("pd-live-open", "pd-live-below")
    this.block.querySelector(".pd-run").focus()
  }

  reset() {
    if (this.job) stop(this.job)
    this.editor.set(this.book)
    keep(this.id, null)
    this.forgetLink()
    this.clear()
    this.say(this.answer ? "" : "The book's code again.")
    this.update()
    if (this.buttons.reset.disabled) this.buttons.run.focus()
  }

  changed() {
    const { code } = this.editor
    if (this.shared && this.own) keep(`${this.id}~own`, this.own)
    if (!keep(this.id, code === this.book ? null : code))
      this.say("This browser keeps nothing, or no more: copy the link to keep your version.")
    this.forgetLink()
    this.update()
  }

  forgetLink() {
    if (this.shared) forgetLink()
    this.shared = false
    this.own = null
  }

  async share() {
    const address = link(this.id, this.editor.code)
    try {
      await navigator.clipboard.writeText(address)
      this.say("The link is on the clipboard.")
    } catch {
      history.replaceState(history.state, "", address)
      this.shared = true
      this.say("The link stands in the address bar.")
    }
  }

  say(text) {
    this.status.textContent = text
  }

  clear() {
    this.output.textContent = ""
    this.output.hidden = true
  }

  /* One button, so that the focus stays where it is. A double click is one press. */
  press(event) {
    if (event.detail > 1) return
    if (this.job) stop(this.job)
    else this.run()
  }

  update() {
    const { run, reset } = this.buttons
    const idle = this.answer ? "Check" : "Run"
    run.textContent = !this.job ? idle : this.ran ? "Interrupt" : "Cancel"
    reset.disabled = this.editor.code === this.book
    this.box.setAttribute("aria-busy", String(Boolean(this.job)))
  }

  run() {
    if (this.job) return
    this.clear()
    const code = this.editor.code
    if (this.answer && code === this.book) return this.say(`Write your answer behind “${this.answer} =” first.`)
    if (DRAWS.test(code)) {
      this.status.textContent = "This block draws, for which Python in the browser is not equipped. "
      this.elsewhere()
      return
    }
    const before = earlier(this.block)
    const job = {
      element: this.box,
      task: {
        earlier: before.map((each) => each.code),
        code,
        answer: this.answer,
        test: this.answer && this.block.dataset.copy,
      },
      heard: (kind, data) => this.heard(kind, data, before),
    }
    this.job = job
    this.update()
    run(job)
  }

  heard(kind, data, before) {
    this.progress.hidden = this.bytes.hidden = kind !== "loading"
    if (kind === "waiting") this.say("Waits for another block to end.")
    else if (kind === "started") this.say("Starting Python…")
    else if (kind === "loading") {
      this.progress.max = data.bytes
      this.progress.value = data.done
      this.bytes.textContent = `${megabytes(data.done)} of ${megabytes(data.bytes)} MB`
    } else if (kind === "running") {
      this.ran = true
      this.say("Running…")
      this.update()
    } else if (kind === "output") {
      this.output.hidden = false
      this.output.append(data.text)
    } else {
      const ran = this.ran
      this.job = null
      this.ran = false
      if (kind === "done" && this.answer) this.judged(data)
      else if (kind === "done") this.say(this.summary(data, before))
      else if (kind === "failed") this.failed(data)
      else if (kind === "died") this.say(`Python broke down: ${data.message}. The next Run starts it anew.`)
      else this.say(ran ? "Interrupted. The next Run starts Python again and repeats the earlier blocks first." : "Cancelled.")
      this.update()
    }
  }

  /* What the exercise's own test says, and the next hint that is still folded. */
  judged({ right, said }) {
    this.status.replaceChildren(
      make("strong", right ? "pd-live__right" : "", { textContent: right ? "Right." : "Not yet." }),
      ` ${said.charAt(0).toUpperCase()}${said.slice(1)}`,
    )
    let hint = this.block.closest(".pd-check")
    const hints = []
    while ((hint = hint?.previousElementSibling) && !hint.matches(".pd-exercise"))
      if (hint.matches(".pd-hint:not([open])")) hints.unshift(hint)
    if (right || !hints.length) return
    const show = button("Show a hint", () => {
      hints[0].open = true
      hints[0].querySelector("summary").focus()
      show.remove()
    })
    this.status.append(" ", show)
  }

  failed({ message, lacking }) {
    this.status.replaceChildren(
      make("strong", "", { textContent: `Python could not be loaded. ${message} ` }),
      lacking ? "Whoever builds it can add it: make runtime. " : "",
      "The page can be read as it is. ",
    )
    this.elsewhere()
  }

  /* Where else the code runs: the page's notebook, if there is one, and the reader's computer. */
  async elsewhere() {
    const told = make("span")
    this.status.append(told)
    const own = make("a", "", { href: new URL("library/", base).href, textContent: "the library" })
    const page = await notebook()
    if (page) {
      const whole = make("a", "", { href: page, download: "", textContent: "the page's notebook" })
      told.append("To run the code, take ", whole, " or ", own, " to your computer.")
    } else told.append("To run the code, take ", own, " to your computer.")
  }

  /* What was run, in a sentence or two. */
  summary({ replayed, line, faults }, before) {
    const said = []
    if (line !== null) said.push(`An exception in line ${line}.`)
    else said.push(this.output.hidden ? "Done: it prints nothing." : "Done.")
    if (replayed) said.push(`Ran ${replayed} earlier block${replayed > 1 ? "s" : ""} first.`)
    if (before.some((each) => each.edited)) said.push("Your own version of an earlier block was used.")
    for (const [k, fault] of faults.entries())
      if (fault && before[k].edited) said.push(`It failed: ${fault}.`)
    const odd = /\b(nan|inf)\b/.test(this.output.textContent)
    if (odd && this.editor.code !== this.book)
      said.push("In the browser numpy does not warn of a division by zero or an overflow.")
    return said.join(" ")
  }
}

const megabytes = (bytes) => (bytes / 1e6).toFixed(1)

/* The blocks that have to run before a block, in the reader's version where there is one. An
   exercise knows what stands above the first one of the page, and nothing of the others. */
function earlier(block) {
  let setup = null
  let blocks = []
  for (const part of document.querySelectorAll(".md-content :is(.pd-exercise, [data-live])")) {
    if (part === block) break
    if (part.matches(".pd-exercise")) blocks = [...(setup ??= blocks)]
    else if (!part.dataset.answer) {
      const book = part.dataset.copy
      const open = panels.get(part)
      const code = (open?.box.isConnected ? open.editor.code : keptCode(part.dataset.live)) ?? book
      blocks.push({ code, edited: code !== book })
    }
  }
  return blocks
}

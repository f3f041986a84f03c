/* A figure as a file: its drawing as it stands, with the caption and where it comes from. */
import { element, rect, text } from "./drawing.js"

const WIDTH = 640
const PAD = 20
const FONT = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', 'Liberation Sans', sans-serif"

export async function download(figure, type) {
  const { svg, width, height } = standing(figure)
  const file = new Blob([svg], { type: "image/svg+xml" })
  const blob = type === "svg" ? file : await picture(file, width, height)
  const link = document.createElement("a")
  link.href = URL.createObjectURL(blob)
  link.download = `pedocs-${figure.id}.${type}`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

/* The drawing with all that it needs to stand alone: colours, typeface, caption and source. */
function standing(figure) {
  const drawing = figure.rendered(Math.min(figure.kind.widest ?? WIDTH, WIDTH))
  const inner = figure.kind.widest ?? WIDTH
  const width = Math.max(inner, 480) + 2 * PAD
  let y = PAD + drawing.height + 26
  const lines = []
  for (const [words, size, colour] of [
    [caption(figure), 14, "var(--pd-ink)"],
    [drawing.said, 12, "var(--pd-ink)"],
    [source(figure), 11, "var(--pd-muted)"],
  ]) {
    for (const each of wrapped(words, width - 2 * PAD, size)) {
      lines.push(text(PAD, y, each, { anchor: "start", size, fill: colour }))
      y += size * 1.45
    }
    y += 6
  }
  const height = Math.ceil(y + PAD / 2)
  const left = (width - Math.min(inner, WIDTH)) / 2
  const content =
    rect(0, 0, width, height, { fill: "var(--pd-paper)" }) +
    element("g", { transform: `translate(${left} ${PAD})` }, drawing.svg.join("")) +
    lines.join("")
  const style = getComputedStyle(document.body)
  const coloured = content.replace(/var\((--[\w-]+)\)/g, (_, name) =>
    style.getPropertyValue(name).trim().replaceAll('"', "'"),
  )
  const title = element("title", {}, `${figure.id}`) + element("desc", {}, plain(drawing.said))
  const svg = element(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      "font-family": FONT,
      fill: style.getPropertyValue("--pd-ink").trim(),
    },
    title + coloured,
  )
  return { svg, width, height }
}

const plain = (words) => words.replace(/[&<>]/g, (letter) => `&#${letter.charCodeAt(0)};`)

const clean = (part) => part?.textContent.replace(/\s+/g, " ").trim() ?? ""

function caption({ figure }) {
  const number = clean(figure.querySelector("figcaption .pd-number"))
  const words = [...figure.querySelectorAll("figcaption p")].map(clean).join(" ")
  return `${number}. ${words}`
}

function source(figure) {
  const edition = clean(document.querySelector(".pd-edition"))
  const chapter = clean(document.querySelector("h1")).replace(/\u00b6$/, "").trim()
  const published = document.querySelector("link[rel=canonical]")
  const { search, hash } = new URL(figure.address())
  const where = published ? published.href + search + hash : "A copy without a public address."
  const author = document.querySelector("meta[name=author]").content
  return `From “${chapter}”, ${author}, CC BY 4.0. ${edition}. ${where}`
}

/* Words in lines that are no wider than so many pixels; an address is broken where it must be. */
function wrapped(words, width, size) {
  const pen = document.createElement("canvas").getContext("2d")
  pen.font = `${size}px ${FONT}`
  const fits = (text) => pen.measureText(text).width <= width
  const lines = [""]
  for (let word of words.split(" ")) {
    const longer = lines.at(-1) ? `${lines.at(-1)} ${word}` : word
    if (fits(longer)) {
      lines[lines.length - 1] = longer
      continue
    }
    while (!fits(word)) {
      let cut = word.length
      while (!fits(word.slice(0, cut))) cut -= 1
      lines.push(word.slice(0, cut))
      word = word.slice(cut)
    }
    lines.push(word)
  }
  return lines.filter(Boolean)
}

/* Twice as fine as the screen: it ends up on slides. */
async function picture(file, width, height) {
  const address = URL.createObjectURL(file)
  const image = new Image()
  image.src = address
  await image.decode()
  const canvas = Object.assign(document.createElement("canvas"), { width: 2 * width, height: 2 * height })
  canvas.getContext("2d").drawImage(image, 0, 0, 2 * width, 2 * height)
  URL.revokeObjectURL(address)
  return new Promise((done) => canvas.toBlob(done, "image/png"))
}

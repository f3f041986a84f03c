/* A row of clocks: each pair of an encoding as a hand, at any position. */
import { arrow, circle, element, line, number, text } from "./drawing.js"

const muted = "var(--pd-muted)"

export const colour = (pair) => `var(--pd-series-${pair + 1})`

/* The encodings of positions come in millionths, as pedocs.book.encodings packs them: the page
   holds the first rows, a file has more. */
export function missing({ held }, width, position) {
  const file = `matrix-paper-${width}.bin`
  return file === held.file && position < held.rows ? undefined : file
}

export function encodings(data, width, last) {
  const file = missing(data, width, last)
  const d = Number(width.slice(1)) // d8
  const bytes = file
    ? data.loaded[file]
    : Uint8Array.from(atob(data.held.table), (letter) => letter.charCodeAt()).buffer
  return (position) => [...new Int32Array(bytes, 4 * d * (2 + position), d)]
}

export const decimal = (millionths) => number(millionths / 1e6)

/* Where the tip of a hand stands: its sine to the right, its cosine upwards. */
export const tip = ([sine, cosine], x, y, radius) => [x + (radius * sine) / 1e6, y - (radius * cosine) / 1e6]

/* A clock without hands: its axes say which number goes which way. */
export const face = (x, y, radius, gap = 5) =>
  [
    line(x - radius, y, x + radius, y, { stroke: "var(--pd-rule)" }),
    line(x, y - radius, x, y + radius, { stroke: "var(--pd-rule)" }),
    circle(x, y, radius, { fill: "none", stroke: muted }),
    line(x, y - radius, x, y - radius * 0.9, { stroke: muted, "stroke-width": 1.6 }),
    text(x, y - radius - gap - 5, "cos", { size: 11, fill: muted }),
    text(x + radius + gap, y, "sin", { size: 11, fill: muted, anchor: "start" }),
  ].join("")

const chosen = (data, state) => state.width ?? Object.keys(data.clocks)[0]

export const needs = ({ data, state }) => missing(data, chosen(data, state), state.position)

const listed = (items) => [items.slice(0, -1).join(", "), items.at(-1)].join(" and ")

export function render({ data, state, width }) {
  const p = state.position
  const vector = encodings(data, chosen(data, state), p)
  const seen = Array.from({ length: p + 1 }, (_, n) => vector(n))
  const { periods, steps } = data.clocks[chosen(data, state)]
  const columns = width < 480 ? 2 : periods.length
  const cell = width / columns
  const radius = Math.min(86, cell / 2 - 28)
  const size = cell < 150 ? 11 : 12
  const row = 2 * radius + 126
  const drawn = periods.map((period, pair) => {
    const x = cell * ((pair % columns) + 0.5)
    const top = row * Math.floor(pair / columns)
    const y = top + 76 + radius
    // Where the hand has stood so far: lines of no length with round ends.
    const tips = seen.map((each) => tip(each.slice(2 * pair), x, y, radius))
    const dots = tips.map(([a, b]) => `M${a.toFixed(1)} ${b.toFixed(1)}h0`).join("")
    const [across, up] = tips[p]
    const legs = { stroke: muted, "stroke-dasharray": "2 3" }
    // The sign comes and goes; nothing else may move.
    const value = (name, n, at) =>
      text(x - 40, at, name, { size, fill: muted, anchor: "start" }) +
      text(x + 40, at, decimal(seen[p][n]), { size, anchor: "end", style: "font-variant-numeric: tabular-nums" })
    return [
      text(x, top + 10, `pair ${pair}`, { fill: colour(pair), "font-weight": 600 }),
      text(x, top + 28, `turn: ${number(period)} tokens`, { size, fill: muted }),
      text(x, top + 44, `step: ${number(steps[pair], 4)}°`, { size, fill: muted }),
      face(x, y, radius),
      element("path", { d: dots, stroke: colour(pair), "stroke-width": 4.5, "stroke-linecap": "round", opacity: 0.5 }),
      line(across, up, x, up, legs) + line(across, up, across, y, legs),
      arrow(x, y, across, up, { stroke: colour(pair), "stroke-width": 2.4, head: 10 }),
      circle(x, y, 2.5, { fill: colour(pair) }),
      value("sin", 2 * pair, y + radius + 16),
      value("cos", 2 * pair + 1, y + radius + 33),
    ].join("")
  })
  const said =
    `Position ${p}: PE(${p}) = (${seen[p].map(decimal).join(", ")}), a sine and a cosine for each clock: how far right and how far up its tip stands. ` +
    `Dots mark where it stood before. The hands run clockwise, by ${listed(steps.map((step) => `${number(step, 4)}°`))} a step; ` +
    `one turn takes ${listed(periods.map((period) => number(period)))} tokens.`
  return { svg: drawn.join(""), height: row * Math.ceil(periods.length / columns), said }
}

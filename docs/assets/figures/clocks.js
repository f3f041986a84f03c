/* A row of clocks: each pair of an encoding as a hand, at any position. */
import { arrow, circle, element, line, number, text } from "./drawing.js"

const muted = "var(--pd-muted)"

export const colour = (pair) => `var(--pd-series-${pair + 1})`

/* The numbers of a page come in millionths, so that they are short. */
export const decimal = (millionths) => number(millionths / 1e6)

/* Where the tip of a hand stands: its sine to the right, its cosine upwards. */
export const tip = ([sine, cosine], x, y, radius) => [
  x + (radius * sine) / 1e6,
  y - (radius * cosine) / 1e6,
]

/* A clock without hands: its axes say which number goes which way. */
export const face = (x, y, radius) =>
  [
    line(x - radius, y, x + radius, y, { stroke: "var(--pd-rule)" }),
    line(x, y - radius, x, y + radius, { stroke: "var(--pd-rule)" }),
    circle(x, y, radius, { fill: "none", stroke: muted }),
    line(x, y - radius, x, y - radius * 0.9, { stroke: muted, "stroke-width": 1.6 }),
    text(x, y - radius - 10, "cos", { size: 11, fill: muted }),
    text(x + radius + 5, y, "sin", { size: 11, fill: muted, anchor: "start" }),
  ].join("")

const hand = (data, clock, p) => data.hands[clock].slice(2 * p, 2 * p + 2)

const listed = (items) => [items.slice(0, -1).join(", "), items.at(-1)].join(" and ")

export function render({ data, state: { width: d, position: p }, width }) {
  const clocks = data.clocks[d ?? Object.keys(data.clocks)[0]]
  const columns = width < 480 ? 2 : clocks.length
  const cell = width / columns
  const radius = Math.min(86, cell / 2 - 28)
  const size = cell < 150 ? 11 : 12
  const row = 2 * radius + 126
  const drawn = clocks.map((clock, pair) => {
    const x = cell * ((pair % columns) + 0.5)
    const top = row * Math.floor(pair / columns)
    const y = top + 76 + radius
    const [sine, cosine] = hand(data, clock, p)
    const [across, up] = tip([sine, cosine], x, y, radius)
    // Where the hand has stood so far: lines of no length with round ends.
    const seen = Array.from({ length: p + 1 }, (_, n) => tip(hand(data, clock, n), x, y, radius))
    const dots = seen.map(([a, b]) => `M${a.toFixed(1)} ${b.toFixed(1)}h0`).join("")
    const legs = { stroke: muted, "stroke-dasharray": "2 3" }
    // The sign comes and goes; nothing else may move.
    const value = (name, millionths, at) =>
      text(x - 40, at, name, { size, fill: muted, anchor: "start" }) +
      text(x + 40, at, decimal(millionths), { size, anchor: "end", style: "font-variant-numeric: tabular-nums" })
    return [
      text(x, top + 10, `pair ${pair}`, { fill: colour(pair), "font-weight": 600 }),
      text(x, top + 28, `turn: ${number(data.periods[clock])} tokens`, { size, fill: muted }),
      text(x, top + 44, `step: ${number(data.steps[clock], 4)}°`, { size, fill: muted }),
      face(x, y, radius),
      element("path", { d: dots, stroke: colour(pair), "stroke-width": 4.5, "stroke-linecap": "round", opacity: 0.5 }),
      line(across, up, x, up, legs) + line(across, up, across, y, legs),
      arrow(x, y, across, up, { stroke: colour(pair), "stroke-width": 2.4, head: 10 }),
      circle(x, y, 2.5, { fill: colour(pair) }),
      value("sin", sine, y + radius + 16),
      value("cos", cosine, y + radius + 33),
    ].join("")
  })
  const values = clocks.flatMap((clock) => hand(data, clock, p).map(decimal))
  const said =
    `Position ${p}: PE(${p}) = (${values.join(", ")}), a sine and a cosine for each clock: how far right and how far up its tip stands. Dots mark where it stood before. ` +
    `The hands run clockwise, by ${listed(clocks.map((clock) => `${number(data.steps[clock], 4)}°`))} a step; ` +
    `one turn takes ${listed(clocks.map((clock) => number(data.periods[clock])))} tokens.`
  return { svg: drawn.join(""), height: row * Math.ceil(clocks.length / columns), said }
}

/* The grid of offsets: who stands how far from whom, and what one query may read of it. */
import { path, rect, signed, text, tint } from "./drawing.js"

export const widest = 440

const LEFT = 46
const TOP = 44
const STRIP = 24
const FRAME = { fill: "none", stroke: "var(--pd-brand)", "stroke-width": 2.5 }
const GREY = { fill: "var(--pd-muted)", "fill-opacity": 0.13 }

const places = ({ tokens }, width) => ({ side: width - LEFT - 2, cell: (width - LEFT - 2) / tokens })

/* A slider may ask for a query that the text does not have: then it is the last. */
const chosen = ({ tokens, query }) => Math.min(query, tokens - 1)

export function render({ data, state, width }) {
  const { tokens, causal, query } = state
  const { side, cell } = places(state, width)
  const last = tokens - 1
  const row = chosen(state)
  const grid = data.grid.slice(0, tokens).map((offsets) => offsets.slice(0, tokens))
  const offsets = [...grid[last], ...grid[0].slice(1)]
  const { different, pairs, allowed } = data.counts[tokens]
  const reads = grid[row].filter((_, key) => !causal || data.mask[row][key])
  const masked = grid[row].slice(reads.length)
  const shade = (offset) => tint(offset, grid[0][last])

  const cells = grid.map((line, i) =>
    line.map((offset, j) => {
      const [x, y] = [LEFT + j * cell, TOP + i * cell]
      const hidden = causal && !data.mask[i][j]
      return (
        rect(x, y, cell, cell, hidden ? GREY : shade(offset)) +
        text(x + cell / 2, y + cell / 2, signed(offset), {
          size: Math.min(22, Math.max(11, cell * 0.3)),
          fill: hidden ? "var(--pd-muted)" : undefined,
          "font-weight": i === row && !hidden ? 700 : undefined,
        })
      )
    }).join(""),
  )
  const names = grid.map((_, n) => {
    const middle = (n + 0.5) * cell
    return (
      text(LEFT + middle, TOP - 11, n, { size: 12 }) +
      text(LEFT - 11, TOP + middle, n, { size: 12, "font-weight": n === row ? 650 : undefined })
    )
  })
  const step = data.mask.slice(0, tokens).flatMap((line, i) => {
    const x = LEFT + line.filter(Boolean).length * cell
    return [[x, TOP + i * cell], [x, TOP + (i + 1) * cell]]
  })

  const below = TOP + side + 46
  const part = side / different
  const strip = offsets.map((offset, n) => {
    const x = LEFT + n * part
    const [read, hidden] = [reads.includes(offset), masked.includes(offset)]
    const look = read ? shade(offset) : hidden ? GREY : { fill: "none" }
    // Where not all numbers have room, every third has, and 0 is one of them.
    const shown = part > 19 || (n - last) % 3 === 0
    return (
      rect(x, below, part, STRIP, { ...look, stroke: "var(--pd-rule)" }) +
      (shown
        ? text(x + part / 2, below + (part > 19 ? STRIP / 2 : STRIP + 9), signed(offset), {
            size: 11,
            fill: read ? undefined : "var(--pd-muted)",
            "font-weight": read ? 650 : undefined,
          })
        : "")
    )
  })
  const missing = row !== query
  const svg = [
    text(LEFT + side / 2, 10, "key position j"),
    text(0, 0, "query position i", { transform: `translate(10 ${TOP + side / 2}) rotate(-90)` }),
    ...names,
    ...cells,
    rect(LEFT, TOP, side, side, { fill: "none", stroke: "var(--pd-muted)" }),
    path(step.slice(0, -1), causal ? { "stroke-width": 1.8 } : { stroke: "var(--pd-muted)", "stroke-dasharray": "4 4" }),
    rect(LEFT, TOP + row * cell, reads.length * cell, cell, FRAME),
    text(LEFT, below - 16, `offsets of query ${row}${missing ? ` (no query ${query})` : ""}`, { anchor: "start" }),
    ...strip,
    rect(LEFT + offsets.indexOf(reads[0]) * part, below, reads.length * part, STRIP, FRAME),
  ].join("")
  const rest = masked.length ? `; ${span(masked)} ${masked.length > 1 ? "are" : "is"} masked` : ""
  const reader = missing ? `There is no query ${query}; the last, query ${row},` : `Query ${row}`
  const said =
    `${tokens} tokens have ${different} different offsets, ${span(offsets)}. ` +
    (causal ? `The causal mask leaves ${allowed} of ${pairs} pairs. ` : "") +
    `${reader} reads the offsets ${span(reads)}${rest}.`
  return { svg, height: below + STRIP + 18, said }
}

const span = (offsets) => (offsets.length > 1 ? `${signed(offsets[0])} to ${signed(offsets.at(-1))}` : signed(offsets[0]))

/* Pointing at a row picks its query. */
export function point({ y, state, width }) {
  const { side, cell } = places(state, width)
  return y < TOP || y >= TOP + side ? null : { query: Math.floor((y - TOP) / cell) }
}

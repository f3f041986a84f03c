/* The worked sum: the embeddings of a sentence, the encodings of its positions, and their sum. */
import { group, line, number, rect, text, tint } from "./drawing.js"

const LEFT = 46
const TOP = 26
const ROW = 30
const GAP = 38

const places = (data, width) => {
  const count = Object.keys(data.words).length
  const cell = (width - LEFT - 2) / data.dimensions.length
  return { cell, height: count * ROW, block: (n) => TOP + n * (count * ROW + GAP) }
}

export function render({ data, state: { first, scaled, token }, width }) {
  const { cell, height, block } = places(data, width)
  const size = scaled ? "scaled" : "plain"
  const positions = data.positions[first]
  const words = Object.values(data.words)
  const chosen = Object.keys(data.words).indexOf(token)
  const factor = number(data.factor)
  // Six digits where they fit, as the text has them.
  const digits = cell > 76 ? 6 : 2

  /* One of the three blocks, with the chosen row in a frame. */
  const table = (n, title, rows, names) => {
    const top = block(n)
    const at = top + chosen * ROW
    return group(
      {},
      text(LEFT, top - 14, title, { anchor: "start", size: 14 }),
      ...rows.map((row, r) => {
        const y = top + (r + 0.5) * ROW
        const look = { size: 12, "font-weight": r === chosen ? 650 : undefined }
        return (
          text(LEFT - 8, y, names[r], { ...look, anchor: "end" }) +
          row.map((value, c) => {
            const x = LEFT + c * cell
            return rect(x, top + r * ROW, cell, ROW, tint(value, data.limit)) + text(x + cell / 2, y, number(value, digits), look)
          }).join("")
        )
      }),
      rect(LEFT, top, width - LEFT - 2, height, { fill: "none", stroke: "var(--pd-muted)" }),
      rect(LEFT, at, width - LEFT - 2, ROW, { fill: "none", stroke: "var(--pd-brand)", "stroke-width": 2.5 }),
    )
  }

  const bottom = block(2) + height
  const footer = data.dimensions.map((name, c) => text(LEFT + (c + 0.5) * cell, bottom + 13, name, { size: 12 }))
  const pairs = data.pairs.map((name, m) => {
    const x = LEFT + 2 * m * cell
    return (
      line(x + 8, bottom + 25, x + 2 * cell - 8, bottom + 25, { stroke: "var(--pd-muted)" }) +
      text(x + cell, bottom + 36, name, { size: 12 })
    )
  })
  const svg = [
    table(0, scaled ? `embeddings × √d (${factor})` : "embeddings", data.embeddings[size], words),
    table(1, "+ encodings of their positions", data.encodings[first], positions.map((p) => `PE(${p})`)),
    table(2, "= what enters the first block", data.sums[size][first], words),
    ...footer,
    ...pairs,
  ].join("")
  const [word, at] = [words[chosen], positions[chosen]]
  const sum = data.sums[size][first][chosen].map((each) => number(each)).join(", ")
  const said = `“${word}” stands at position ${at}: embedding${scaled ? ` × ${factor}` : ""} + PE(${at}) = (${sum}).`
  return { svg, height: bottom + 46, said }
}

/* Pointing at a row picks its token. */
export function point({ y, data, width }) {
  const { height, block } = places(data, width)
  const tops = [0, 1, 2].map(block)
  const top = tops.find((each) => y >= each && y < each + height)
  return top === undefined ? null : { token: Object.keys(data.words)[Math.floor((y - top) / ROW)] }
}

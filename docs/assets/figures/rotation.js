/* A shift as a rotation: the hand of one pair, the matrix, and the hand r positions later. */
import { colour, decimal, encodings, face, missing, tip } from "./clocks.js"
import { arrow, circle, element, line, number, path, text } from "./drawing.js"

const muted = "var(--pd-muted)"
const COLUMN = 72
const ROW = 40
const STEP = 126

/* A matrix in brackets: over each number what it is, and over all of them a title. */
function bracketed(left, top, title, names, values) {
  const columns = names.length / 2
  const right = left + columns * COLUMN + 14
  const bottom = top + 2 * ROW
  const edge = (x, inward) =>
    path([[x + inward, top], [x, top], [x, bottom], [x + inward, bottom]], { "stroke-width": 1.4 })
  const cells = names.map((name, n) => {
    const x = left + 7 + COLUMN * ((n % columns) + 1)
    const y = top + ROW * Math.floor(n / columns)
    return (
      text(x, y + 10, name, { size: 11, anchor: "end", fill: muted }) +
      text(x, y + 26, decimal(values[n]), { anchor: "end", style: "font-variant-numeric: tabular-nums" })
    )
  })
  return title(left, top - 13) + edge(left, 5) + edge(right, -5) + cells.join("")
}

const titled = (words, mark) => (x, y) =>
  (mark ? circle(x + 6, y, 5, mark) : "") + text(x + (mark ? 16 : 2), y, words, { size: 12, anchor: "start" })

export const needs = ({ data, state }) => missing(data, "d8", state.position + state.offset)

export function render({ data, state: { position: p, offset: r, pair }, width }) {
  const m = Number(pair.slice(1))
  const matrix = data.matrices[m][r]
  const turn = data.turns[m][r]
  const vector = encodings(data, "d8", p + r)
  const [now, later] = [p, p + r].map((at) => vector(at).slice(2 * m, 2 * m + 2))

  const beside = width >= 520
  const radius = Math.min(112, width / 2 - 40)
  const [x, y] = [beside ? 150 : width / 2, radius + 32]
  const bottom = y + radius + 38
  const [left, top] = beside ? [width / 2 + 26, 44] : [(width - 256) / 2, bottom + 32]
  const ink = colour(m)
  const turned = `a turn by ${number(turn, 4)}°, clockwise`
  const marks = {
    now: { fill: ink, "fill-opacity": 0.5 },
    turned: { fill: "none", stroke: "var(--pd-ink)", "stroke-width": 2 },
    later: { fill: ink },
  }
  const at = (hand, reach = radius) => tip(hand, x, y, reach)
  const arc = (from, to, reach, large) => `M${at(from, reach)}A${reach} ${reach} 0 ${large} 1 ${at(to, reach)}`
  const sector = `${arc(now, later, radius / 2, turn > 180 ? 1 : 0)}L${x} ${y}Z`
  // Outside the ring, which way the hand goes: from about one to two o'clock.
  const [one, two] = [[34e4, 94e4], [87e4, 50e4]]
  const [ahead, down] = at(two, radius + 15)
  const svg = [
    face(x, y, radius, 14),
    element("path", { d: sector, fill: ink, "fill-opacity": 0.18, stroke: ink, "stroke-opacity": 0.5 }),
    element("path", { d: arc(one, two, radius + 15, 0), fill: "none", stroke: muted, "stroke-width": 1.6 }),
    arrow(ahead - 0.5, down - 0.87, ahead, down, { stroke: muted }),
    line(x, y, ...at(now), { stroke: ink, opacity: 0.5, "stroke-width": 2.4 }),
    circle(...at(now), 5, marks.now),
    line(x, y, ...at(later), { stroke: ink, "stroke-width": 2.4 }),
    circle(...at(later), 5, marks.later),
    circle(...at(later), 9, marks.turned),
    text(x, bottom - 20, turned, { size: 12 }),
    bracketed(left, top, titled("holds r and ω, no p"), ["cos ωr", "sin ωr", "\u2212sin ωr", "cos ωr"], matrix),
    bracketed(left + 172, top, titled(`at p = ${p}`, marks.now), ["sin ωp", "cos ωp"], now),
    text(left + 6, top + 40 + STEP, "=", { size: 15 }),
    bracketed(left + 18, top + STEP, titled("product", marks.turned), ["row 1 · pair", "row 2 · pair"], later),
    text(left + 120, top + 40 + STEP, "=", { size: 15 }),
    bracketed(left + 136, top + STEP, titled(`at p + r = ${p + r}`, marks.later), ["sin ω(p+r)", "cos ω(p+r)"], later),
    text(left, top + STEP + 100, `difference, any p, r, ω here: ${data.apart}`, { size: 12, anchor: "start", fill: muted }),
  ].join("")
  const listed = (values) => values.map(decimal).join(", ")
  const [a, b, c, d] = matrix.map(decimal)
  const said =
    `Pair ${m}, ω = ${data.rates[m]}. For r = ${r} the matrix is (${a}, ${b}; ${c}, ${d}): ${turned}. It holds no p and stays as it is when p moves. ` +
    `It takes (${listed(now)}), the pair at ${p}, to (${listed(later)}), the pair at ${p + r}; ` +
    `the largest difference at any p, r and ω here is ${data.apart}.`
  return { svg, height: beside ? bottom : top + STEP + 112, said }
}

/* ALiBi's and T5's biases. The offset alone decides: one strip of colours, shifted from row to
   row, is the whole map; below it, the strip itself as a curve. Of many small cells the map shows
   the diagonals without their stairs, which a browser paints in one go. */
import { axes, circle, element, group, line, path, rect, scale, text, tint } from "./drawing.js"

const REACH = 128
const SMALL_CELL = 5 // pixels
const DEEP = 8 // points: ALiBi's full tint, and how far down its curve is drawn
const SIDES = ["var(--pd-series-2)", "var(--pd-series-4)"]
const MASKED = { fill: "var(--pd-rule)", "fill-opacity": 0.45 }
const SMALL = { fill: "var(--pd-muted)", size: 11 }

const plain = (value) => String(value).replace("-", "\u2212")

const places = (width) => {
  const column = Math.min(312, (width - 14) / 2)
  const side = column - 42
  const top = side + 96
  return [30, column + 44].map((from) => {
    const left = width / 2 - column - 7 + from
    return { left, right: left + side, side, map: 46, top, bottom: top + 120, x: scale([-REACH, REACH], [left, left + side]) }
  })
}

/* What each scheme has at a distance on the left and, if the reader sees it, on the right. */
function schemes({ penalty, left, right, causal }, state) {
  const alibi = penalty[state.head - 1]
  const steps = state.causal ? causal : left
  return [
    {
      title: "ALiBi adds",
      values: [alibi, alibi],
      shade: (d) => tint(alibi[d], DEEP, 0.85),
      colours: ["var(--pd-negative)", "var(--pd-negative)"],
      y: [-DEEP - 0.4, 0],
      yticks: [-8, -4, 0],
    },
    {
      title: "T5 reads bucket",
      values: [steps, right],
      shade: (d, side) => ({ fill: SIDES[side], "fill-opacity": d && 0.1 + (0.6 * steps[d]) / steps.at(-1) }),
      colours: SIDES,
      y: [0, 32],
      yticks: [0, 16, 31],
    },
  ].map((scheme) => ({ ...scheme, values: state.causal ? scheme.values.slice(0, 1) : scheme.values }))
}

export function render({ data, state, width, id }) {
  const both = schemes(data, state)
  const at = places(width)
  const svg = both.flatMap((scheme, n) => [
    map(scheme, at[n], state, `${id}-${n}`),
    picked(scheme, at[n], state) + curve(scheme, at[n], state),
  ])
  return { svg, height: at[0].bottom + 40, said: said(both, data.slopes[state.head - 1], state) }
}

function map({ title, values, shade }, { left, right, side, map: top }, { n }, id) {
  const cell = side / n
  const place = (k) => (k + 0.5) * cell
  const small = cell < SMALL_CELL
  const ends = small ? { x1: left, y1: top + side, x2: left + side, y2: top } : { x1: 0, y1: 0, x2: 2 * side, y2: 0 }
  const tints = Array.from({ length: 2 * n - 1 }, (_, k) => {
    const after = k >= n ? 1 : 0
    return values[after] ? shade(Math.abs(k - n + 1), after) : MASKED
  })
  const fill = `url(#${id})`
  const row = (_, i) => {
    const start = (n - 1 - i) * cell // of this row on the strip
    const transform = `translate(${(left - start).toFixed(3)} ${(top + i * cell).toFixed(3)})`
    return rect(start, 0, side, cell, { transform, fill })
  }
  return [
    text((left + right) / 2, 12, title, { "font-weight": 600 }),
    text((left + right) / 2, top - 10, "key j", SMALL),
    text(0, 0, "query i", { ...SMALL, transform: `translate(${left - 11} ${top + side / 2}) rotate(-90)` }),
    ...[0, n - 1].flatMap((k) => [
      text(left + place(k), top - 10, k, SMALL),
      text(left - 5, top + place(k), k, { ...SMALL, anchor: "end" }),
    ]),
    element("linearGradient", { id, gradientUnits: "userSpaceOnUse", ...ends }, stops(tints, n, small ? 0.5 : 0)),
    small
      ? rect(left, top, side, side, { fill })
      : group({ "shape-rendering": "crispEdges" }, ...Array.from({ length: n }, row)),
    written(values, n, cell, left, top),
    rect(left, top, side, side, { fill: "none", stroke: "var(--pd-muted)" }),
  ].join("")
}

/* The cells at the picked distance. */
function picked({ values }, { left, side, map: top }, { n, distance }) {
  const cell = side / n
  const cells = (_, after) => {
    const [i, j] = after ? [0, distance] : [distance, 0]
    const corners = Array.from({ length: n - distance }, (_, k) => `M${(left + (j + k) * cell).toFixed(2)} ${(top + (i + k) * cell).toFixed(2)}`)
    const box = `h${cell.toFixed(2)}v${cell.toFixed(2)}h${(-cell).toFixed(2)}z`
    return element("path", { d: corners.map((corner) => corner + box).join(""), fill: "none", stroke: "var(--pd-ink)", "stroke-width": 1.5 })
  }
  return distance < n ? values.map(cells).join("") : ""
}

/* Tints as a gradient without transitions; neighbours that are alike share their stops. */
function stops(tints, n, from) {
  const stop = (k, { fill, "fill-opacity": opacity }) =>
    element("stop", { offset: String((k + from) / (2 * n)), "stop-color": fill, "stop-opacity": opacity })
  const alike = (a, b) => a && b && a.fill === b.fill && a["fill-opacity"] === b["fill-opacity"]
  return tints
    .map((each, k) => (alike(tints[k - 1], each) ? "" : stop(k, each)) + (alike(each, tints[k + 1]) ? "" : stop(k + 1, each)))
    .join("")
}

/* The numbers in the cells, where they have room. */
function written(values, n, cell, left, top) {
  const words = values.map((side) => side.slice(0, n).map(plain))
  if (Math.max(...words.flat().map((each) => each.length)) * 6.4 + 3 > cell) return ""
  const place = (from, k) => (from + (k + 0.5) * cell).toFixed(1)
  const write = (i, j, each) => `<text x="${place(left, j)}" y="${place(top, i)}">${each}</text>`
  const numbers = words.flatMap((side, after) =>
    side.flatMap((each, d) =>
      Array.from({ length: d || !after ? n - d : 0 }, (_, k) => (after ? write(k, k + d, each) : write(k + d, k, each))),
    ),
  )
  return group({ "font-size": 11, "text-anchor": "middle", "dominant-baseline": "central" }, ...numbers)
}

function curve({ values, colours, y: [low, high], yticks }, at, { distance }) {
  const { top, bottom, right, x } = at
  const y = scale([low, high], [bottom, top])
  const alike = values[0] === values[1] // one number for both sides
  const half = (side, after) => {
    const place = (d) => x(after ? d : -d)
    const value = side[distance]
    const points = side.flatMap((each, d) => ((d || !after || alike) && each >= low ? [[place(d), y(each)]] : []))
    return [
      path(points, { stroke: colours[after], "stroke-width": 2 }),
      line(place(distance), top, place(distance), bottom, { stroke: "var(--pd-muted)" }),
      circle(place(distance), y(Math.max(value, low)), 5, { fill: colours[after], stroke: "var(--pd-paper)", "stroke-width": 1.5 }),
      after && alike ? "" : text(alike ? x(0) : place(REACH / 2), top - 12, plain(value), { fill: colours[after], "font-weight": 600 }),
    ].join("")
  }
  const hidden = rect(x(0), top, right - x(0), bottom - top, MASKED) + text(x(REACH / 2), (top + bottom) / 2, "masked", SMALL)
  return (
    axes({ ...at, y, xticks: [-REACH, 0, REACH], yticks, xlabel: "offset r" }) + (values[1] ? half(values[1], 1) : hidden) + half(values[0], 0)
  )
}

function said([alibi, t5], slope, { head, n, distance }) {
  const [steps, right] = t5.values
  const [first, last] = [steps.indexOf(steps[distance]), steps.lastIndexOf(steps[distance])]
  const adds = (d) => plain(alibi.values[0][d])
  const bucket = (d) => (right && d ? `${steps[d]} on the left and ${right[d]} on the right` : steps[d])
  const shared =
    last === REACH ? `the same from distance ${first} on` : first === last ? "for this distance alone" : `the same for distances ${first} to ${last}`
  return (
    `Head ${head}, slope ${slope}. Distance ${distance}: ALiBi adds ${adds(distance)}${right ? " on either side" : " on the left (the right is masked)"}; ` +
    `T5 reads bucket ${bucket(distance)}, ${shared}. ` +
    `In ${n} tokens the farthest are ${n - 1} apart: ${adds(n - 1)}, bucket ${bucket(n - 1)}.`
  )
}

/* Dragging over a map or a curve picks the distance there. */
export function point({ x, y, dragging, state: { causal, n }, width }) {
  const at = places(width).find(({ left, right }) => x >= left && x <= right)
  if (!dragging || !at) return null
  const cell = (along) => Math.min(n - 1, Math.max(0, Math.floor((along * n) / at.side)))
  const offset = y < at.top - 30 ? cell(x - at.left) - cell(y - at.map) : Math.round(at.x.invert(x))
  return causal && offset > 0 ? null : { distance: Math.abs(offset) }
}

/* The permutation check: three words in another order, permuted after attention and before it. */
import { group, line, number, rect, text, tint } from "./drawing.js"

// What each map is called in the first two columns and in the third.
const ROWS = [
  ["S", "P S Pᵀ", "scores"],
  ["softmax(S)", "P softmax(S) Pᵀ", "weights"],
  ["output", "P output", "output"],
]
const TOP = 64 // of the first map
const CELL = 27 // its height
const PITCH = 3 * CELL + 49 // from one map to the next below it
const MUTED = { size: 11, fill: "var(--pd-muted)" }

/* Three columns, each with room for its words on the left; the third has the words of the second,
   and between them stands whether the two are the same. */
function places(width) {
  const full = width >= 560 // then there is room for whole words
  const [words, sign] = full ? [60, 30] : [18, 22]
  const wide = (width - 2 * words - sign - 2) / 3
  return { full, wide, left: [words, 2 * words + wide, 2 * words + 2 * wide + sign] }
}

export function render({ data, state, width }) {
  const chosen = Object.keys(data.names).indexOf(state.order)
  const [order, stood] = [data.orders[chosen], data.orders.at(-1)]
  const { maps, gaps, limits } = data.settings[+state.positions][+state.mask]
  const { full, wide, left } = places(width)
  const middle = left.map((x) => x + wide / 2)
  const input = state.positions ? " + PE" : ""
  const heading = (n, name, from) =>
    text(middle[n], 9, name, { "font-weight": 600, size: full ? 13 : 12 }) + text(middle[n], 26, from, MUTED)
  const row = (titles, n) => {
    const top = TOP + n * PITCH
    const tokens = titles[2] !== "output" // in the columns too
    const [old, first] = [maps[n].at(-1), maps[n][chosen]]
    const after = order.map((i) => (tokens ? order.map((j) => old[i][j]) : old[i]))
    const digits = fitting(maps[n], wide / old[0].length)
    const words = (order) => order.map((i) => (full ? data.words[i] : data.words[i][0]))
    const columns = (order) => (tokens ? words(order) : old[0].map((_, j) => j))
    const look = { top, wide, digits, limit: limits[n] }
    return group(
      {},
      ...titles.map((title, m) => text(middle[m], top - 11, title, { size: 12 })),
      heat({ ...look, left: left[0], values: old, rows: words(stood), columns: columns(stood) }),
      heat({ ...look, left: left[1], values: after, rows: words(order), columns: columns(order) }),
      heat({ ...look, left: left[2], values: first, rows: [], columns: columns(order), other: after }),
      sign((left[1] + wide + left[2]) / 2, top + 1.5 * CELL, String(after) === String(first)),
    )
  }
  const svg = [
    heading(0, "as it stands", `X${input}`),
    heading(1, full ? "permuted after" : "P after", `X${input}, then P`),
    heading(2, full ? "permuted first" : "P first", `PX${input}`),
    ...ROWS.map(row),
  ].join("")
  return { svg, height: TOP + 3 * PITCH - 24, said: words(data, state, gaps[chosen], order === stood) }
}

/* Equal or not; drawn, for in some typefaces the signs are not of one size. */
function sign(x, y, same) {
  const stroke = { "stroke-width": 1.6 }
  return [-3, 3].map((dy) => line(x - 6, y + dy, x + 6, y + dy, stroke)).join("") + (same ? "" : line(x - 4, y + 8, x + 4, y - 8, stroke))
}

/* With how many decimals the numbers fit into cells so wide; none if they do not. */
function fitting(maps, cell) {
  const longest = (digits) => Math.max(...maps.flat(2).map((value) => number(value, digits).length))
  return [2, 1].find((digits) => longest(digits) * 6.3 - 3 < cell - 2)
}

/* A map, with a frame around each number that is not the one in the `other` map. */
function heat({ values, rows, columns, left, top, wide, limit, digits, other = values }) {
  const cell = wide / columns.length
  const x = (j) => left + j * cell
  const y = (i) => top + i * CELL
  const each = (draw) => values.flatMap((row, i) => row.map((value, j) => draw(value, i, j)))
  return [
    ...each((value, i, j) => {
      if (value === null) return rect(x(j), y(i), cell, CELL, { fill: "var(--pd-rule)" }) // masked
      const written = digits && text(x(j) + cell / 2, y(i) + CELL / 2, number(value, digits), { size: cell > 36 ? 12 : 11 })
      return rect(x(j), y(i), cell, CELL, tint(value, limit)) + (written ?? "")
    }),
    rect(left, top, wide, 3 * CELL, { fill: "none", stroke: "var(--pd-muted)" }),
    ...each((value, i, j) =>
      value === other[i][j] ? "" : rect(x(j), y(i), cell, CELL, { fill: "none", stroke: "var(--pd-ink)", "stroke-width": 1.6 }),
    ),
    ...rows.map((word, i) => text(left - 5, y(i + 0.5), word, { anchor: "end", size: 12 })),
    ...columns.map((name, j) => text(x(j + 0.5), y(3) + 11, name, MUTED)),
  ].join("")
}

function words({ names, tolerance }, { order, mask, positions }, gap, still) {
  const added = [mask && "the causal mask", positions && "positions"].filter(Boolean).join(" and ")
  const start = `“${names[order]}”, ${added ? `with ${added}` : "no mask, no positions"}: `
  if (still) return `${start}nothing is permuted. The outputs differ by < ${tolerance}.`
  if (gap === null)
    return `${start}permuted first or after, scores, weights and output are the same. The outputs differ by < ${tolerance}.`
  const stay = [mask && "the mask", positions && "the positions"].filter(Boolean).join(" and ")
  return (
    `${start}permuted first, scores, weights and output are not those permuted after. ` +
    `The outputs differ by up to ${number(gap)}: the words move, and ${stay} ${positions ? "stay" : "stays"}.`
  )
}

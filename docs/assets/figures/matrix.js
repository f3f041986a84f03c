/* The matrix of encodings: a row for each position, a column for each dimension. */
import { element, line, number, rect, scale, text, tint } from "./drawing.js"

const [TOP, BOTTOM] = [30, 330]
const MUTED = { fill: "var(--pd-muted)", size: 12 }
const SAID = {
  paper: "the layout of the paper",
  halves: "all sines before all cosines",
  tensor2tensor: "the spacing of tensor2tensor, all sines before all cosines",
}

const range = (count) => [...Array(count).keys()]
const dimensions = (state) => Number(state.width.slice(1)) // d16

/* The file with the table of a state, if the page itself does not hold it. */
export function needs({ data: { layouts, held }, state }) {
  const file = `matrix-${layouts[state.layout].spacing}-${state.width}.bin`
  return file === held.file && state.rows <= held.rows ? undefined : file
}

export const limits = ({ state }) => ({ row: state.rows - 1, column: dimensions(state) - 1 })

function table({ data, state }) {
  const file = needs({ data, state })
  const { order } = data.layouts[state.layout]
  const d = dimensions(state)
  data.unpacked ??= Uint8Array.from(atob(data.held.table), (letter) => letter.charCodeAt()).buffer
  const words = new Int32Array(file ? data.loaded[file] : data.unpacked)
  const entries = words.subarray(order * d, (order + 1) * d)
  const value = (row, column) => words[(2 + row) * d + entries[column]] / 1e6
  const height = words.length / d - 2
  return { d, entries, value, height, key: [file ?? data.held.file, height, order] }
}

function places(width, state) {
  const [left, right] = [40, width - 12]
  return { left, right, x: scale([0, dimensions(state)], [left, right]), y: scale([0, state.rows], [TOP, BOTTOM]) }
}

export function render({ data, state, width }) {
  const { layout, row, column, rows } = state
  const shown = table({ data, state })
  const { d, entries } = shown
  const value = (...cell) => number(shown.value(...cell))
  const { left, right, x, y } = places(width, state)
  const [across, down] = [x(1) - x(0), y(1) - y(0)]
  const [wide, high] = [right - left, BOTTOM - TOP]
  const written = across >= 56 && down >= 14
  const strongest = written ? 0.55 : 1
  const cell = (r, c) => text(x(c + 0.5), y(r + 0.5), value(r, c), { size: Math.min(12, across / 5) })
  const ring = (stroke, strength) =>
    rect(x(column) - 1, y(row) - 1, across + 2, down + 2, { fill: "none", stroke, "stroke-width": strength })
  const heads = data.layouts[layout].order ? ["sines", "cosines"] : ["sine, cosine, sine, cosine, …"]
  const ground = [
    text(0, TOP - 14, "position", { ...MUTED, anchor: "start" }),
    ...heads.map((words, n) => text(left + ((n + 0.5) * wide) / heads.length, TOP - 14, words, MUTED)),
    // The image is the whole table, and so many rows of it are in the window.
    element(
      "svg",
      { x: left, y: TOP, width: wide, height: high, viewBox: `0 0 ${d} ${rows}`, preserveAspectRatio: "none" },
      element("image", {
        width: d,
        height: shown.height,
        preserveAspectRatio: "none",
        "image-rendering": across < 1 ? undefined : "pixelated",
        href: picture(shown, strongest),
      }),
    ),
    ...(written ? range(rows).flatMap((r) => range(d).map((c) => cell(r, c))) : []),
    rect(left, TOP, wide, high, { fill: "none", stroke: "var(--pd-muted)" }),
    text(right, BOTTOM + 32, "dimension", { ...MUTED, anchor: "end" }),
    key(left, BOTTOM + 26, strongest),
  ].join("")
  const picked = [
    ...[y(row), y(row + 1)].map((at) => line(left - 5, at, right, at)),
    ring("var(--pd-paper)", 4),
    ring("var(--pd-ink)", 2),
    ...ticks(rows, row, (p, style) => text(left - 9, y(p + 0.5), p, { ...style, anchor: "end" })),
    ...ticks(d, column, (c, style) => text(x(c + 0.5), BOTTOM + 13, c, style)),
  ].join("")
  const first = range(Math.min(4, d)).map((c) => value(row, c))
  const said =
    `Width ${d}, positions 0 to ${rows - 1}, ${SAID[layout]}. ` +
    `Row ${row} ${first.length < d ? "begins" : "is"} ${first.join(", ")}. Column ${column} of it, ` +
    `the ${entries[column] % 2 ? "cosine" : "sine"} of pair ${entries[column] >> 1}, is ${value(row, column)}.`
  return { svg: [ground, picked], height: BOTTOM + 46, said }
}

/* The picked number, and round ones that leave it room. */
function ticks(count, picked, draw) {
  const step = [1, 2, 5, 10, 20, 50, 100].find((each) => count / each <= 9)
  const others = range(count).filter((n) => n % step === 0 && Math.abs(n - picked) > count / 14)
  return [draw(picked, { size: 13, "font-weight": 700 }), ...others.map((n) => draw(n, MUTED))]
}

/* The scale of the colours. */
const key = (left, top, strongest) =>
  range(21).map((n) => rect(left + 22 + 5 * n, top, 5, 12, tint((n - 10) / 10, 1, strongest))).join("") +
  rect(left + 22, top, 105, 12, { fill: "none", stroke: "var(--pd-muted)" }) +
  text(left + 16, top + 6, number(-1, 0), { ...MUTED, anchor: "end" }) +
  text(left + 133, top + 6, number(1, 0), { ...MUTED, anchor: "start" })

/* A table as an image, one pixel a cell, in the colours of the scheme. */
const pictures = new Map()

function picture({ key, d, height, value }, strongest) {
  const style = getComputedStyle(document.body)
  const colours = ["negative", "positive"].map((name) => style.getPropertyValue(`--pd-${name}`))
  const name = [key, strongest, ...colours].join()
  if (!pictures.has(name)) {
    const canvas = Object.assign(document.createElement("canvas"), { width: d, height })
    const pen = canvas.getContext("2d")
    for (let row = 0; row < height; row += 1)
      for (let column = 0; column < d; column += 1) {
        pen.fillStyle = colours[Number(value(row, column) > 0)]
        pen.globalAlpha = Math.abs(value(row, column)) * strongest
        pen.fillRect(column, row, 1, 1)
      }
    pictures.set(name, canvas.toDataURL())
  }
  return pictures.get(name)
}

/* Pointing picks a cell. */
export function point({ x, y, state, width }) {
  const at = places(width, state)
  const [row, column] = [Math.floor(at.y.invert(y)), Math.floor(at.x.invert(x))]
  const last = limits({ state })
  return row < 0 || row > last.row || column < 0 || column > last.column ? null : { row, column }
}

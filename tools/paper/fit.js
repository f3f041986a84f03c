// Make what is wider than the page as wide as the page: it cannot be scrolled there.
// How many were is the result.
() => {
  let narrowed = 0
  const narrow = (inner, room, need) => {
    if (need <= room + 0.5) return
    inner.style.zoom = Math.floor(room / need * 990) / 1000
    narrowed++
  }
  for (const box of document.querySelectorAll(".md-typeset__scrollwrap")) {
    const table = box.querySelector("table")
    if (table) narrow(table, box.clientWidth, table.offsetWidth)
  }
  for (const box of document.querySelectorAll(".pd-equation")) {
    const math = box.querySelector("math")
    const number = box.querySelector(".pd-equation-number")
    const room = box.clientWidth - (number ? number.offsetWidth + 4 : 0)
    if (math) narrow(math, room, math.getBoundingClientRect().width)
  }
  for (const math of document.querySelectorAll("math:not([display])")) {
    const block = math.closest("p, li, dd, figcaption, td, th, h1, h2, h3, h4, h5")
    if (block) narrow(math, block.clientWidth, math.getBoundingClientRect().width)
  }
  return narrowed
}

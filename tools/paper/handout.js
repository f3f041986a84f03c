// Take off the sheet what does not fit, least needed first: equations that few refer to, then
// exercises, then the figure, then what a list says last.
() => {
  const body = document.querySelector(".pd-sheet__body")
  const narrow = () => {
    for (const math of body.querySelectorAll("math")) {
      const box = math.closest(".pd-equation, p, li, figcaption, td")
      const number = box.querySelector(".pd-equation-number")
      const room = box.clientWidth - (number ? 2 * number.offsetWidth + 4 : 0)
      const need = math.getBoundingClientRect().width
      if (need > room) math.style.zoom = Math.floor(room / need * 980) / 1000
    }
    for (const table of body.querySelectorAll("table")) {
      const room = table.parentElement.clientWidth
      if (table.offsetWidth > room) table.style.zoom = room / table.offsetWidth * 0.98
    }
  }
  const over = () => body.scrollWidth > body.clientWidth + 1 || body.scrollHeight > body.clientHeight + 1
  const left = (rank) => [...body.querySelectorAll(`[data-rank="${rank}"]`)]
    .sort((one, two) => (one.dataset.order || 0) - (two.dataset.order || 0))
  const off = (element) => {
    const head = element.previousElementSibling
    const next = element.nextElementSibling
    if (head?.tagName === "H2" && (!next || next.tagName === "H2")) head.remove()
    element.remove()
  }
  narrow()
  // How many of a kind are kept while others have to go.
  for (const [rank, keep] of [[3, 3], [2, 2], [3, 1], [2, 1], [4, 0], [3, 0], [1, 0], [2, 0]])
    while (over() && left(rank).length > keep) off(left(rank).pop())
  if (!over()) body.style.columnFill = "balance"
  return over()
}

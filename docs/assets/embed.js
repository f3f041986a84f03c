/* A page that shows one figure, for a frame of another site: the scheme is that of the reader's
   system, and the links back lead to the view that the figure has. Opened by itself, it says how
   to embed that view. */
{
  const dark = matchMedia("(prefers-color-scheme: dark)")
  const scheme = () => (document.body.dataset.mdColorScheme = dark.matches ? "slate" : "default")
  scheme()
  dark.addEventListener("change", scheme)
  document.addEventListener("click", ({ target }) => {
    const back = target.closest?.("a.pd-back, a.pd-number")
    if (back) back.search = location.search
  }, true)

  if (top === self) {
    addEventListener("load", () => {
      const code = document.createElement("code")
      const show = () => {
        const height = Math.ceil(document.querySelector(".pd-proof").getBoundingClientRect().bottom + scrollY + 12)
        const title = document.title.replaceAll('"', "&quot;")
        code.textContent = `<iframe src="${location.href}" title="${title}" width="100%" height="${height}"></iframe>`
      }
      const block = document.createElement("p")
      block.className = "pd-embed-code"
      block.append("To embed this view: ", code)
      document.querySelector("article").append(block)
      new ResizeObserver(show).observe(document.querySelector("figure"))
      // The address follows the figure a moment later.
      block.addEventListener("pointerenter", show)
      for (const event of ["input", "click"]) document.addEventListener(event, () => setTimeout(show, 600))
    })
  }
}

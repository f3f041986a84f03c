/* A page that shows one figure, for a frame of another site: the scheme is that of the reader's
   system, and the link back leads to the view that the figure has. */
{
  const dark = matchMedia("(prefers-color-scheme: dark)")
  const scheme = () => (document.body.dataset.mdColorScheme = dark.matches ? "slate" : "default")
  scheme()
  dark.addEventListener("change", scheme)
  document.addEventListener("click", ({ target }) => {
    const back = target.closest?.("a.pd-back, a.pd-number")
    if (back) back.search = location.search
  }, true)
}

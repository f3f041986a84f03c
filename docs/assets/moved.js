/* Follows a permalink that has moved, at once; without it the reader finds a link. Loaded where
   something moved: on pages with a list of what did, and on those that stand for an old page. */
(() => {
  "use strict"

  const follow = () => {
    const id = decodeURIComponent(location.hash.slice(1))
    const old = id && document.getElementById(id)
    const link = old && old.closest(".pd-moved > li")?.querySelector("a")
    const page = document.querySelector(".pd-moved-to")
    if (link) location.replace(link.href)
    else if (page) location.replace(page.hash ? page.href : page.href + location.hash)
  }
  follow()
  addEventListener("hashchange", follow)
})()

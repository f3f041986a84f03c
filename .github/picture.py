"""Take the README's picture again: make build, then .venv/bin/python .github/picture.py."""

import io
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from shutil import which
from threading import Thread

from PIL import Image
from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
VALUE = 'p data.worked[data-expression^="score("]'


def main() -> None:
    """Photograph the number on the home page with its proof, in the light and the dark scheme."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(HERE.parent / "site"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    Thread(target=server.serve_forever, daemon=True).start()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for scheme in ("light", "dark"):
            page = browser.new_page(
                viewport={"width": 1200, "height": 740},
                device_scale_factor=1.5,
                color_scheme=scheme,
                reduced_motion="reduce",
            )
            page.goto(f"http://127.0.0.1:{server.server_port}/")
            page.evaluate("document.fonts.ready.then(() => true)")
            value = page.locator(VALUE).first
            value.evaluate("v => scrollTo(0, scrollY + v.getBoundingClientRect().top - 445)")
            page.wait_for_timeout(500)
            value.hover()
            page.get_by_role("tooltip").wait_for()
            picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
            picture.quantize(128).save(HERE / f"page-{scheme}.png", optimize=True)
        browser.close()
    server.shutdown()


if __name__ == "__main__":
    main()

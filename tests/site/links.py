"""What a built site links to and loads: what is not there, and what is loaded from elsewhere."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADING = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href", "object": "data"}
NOT_LOADED = {"canonical", "alternate", "next", "prev", "license", "author"}


class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found, self.ids = [], set()

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.ids.update(x for x in (given.get("id"), given.get("name")) if x)
        relation = set((given.get("rel") or "").split())
        for name in ("src", "href", "data"):
            if given.get(name):
                loads = LOADING.get(tag) == name and not (tag == "link" and relation & NOT_LOADED)
                self.found.append((given[name], loads))


def problems(site):
    """In words, one by one."""
    site = Path(site).resolve()
    pages = {}
    for path in site.rglob("*.html"):
        if path.name != "404.html":  # its links are absolute
            pages[path] = Links()
            pages[path].feed(path.read_text(encoding="utf-8"))
    for path, links in pages.items():
        for url, loads in links.found:
            yield from wrong_link(site, pages, path, url, loads)
    for path in site.rglob("*.css"):
        text = path.read_text(encoding="utf-8")
        for url in re.findall(r"url\(\s*['\"]?([^'\")]+)", text) + re.findall(r"@import\s+['\"]([^'\"]+)", text):
            if urlsplit(url).netloc:
                yield f"{path.relative_to(site)} loads {url}"
            elif not url.startswith(("data:", "#")) and not (path.parent / urlsplit(url).path).exists():
                yield f"{path.relative_to(site)} needs {url}, which is not there"


def wrong_link(site, pages, path, url, loads):
    parts, here = urlsplit(url), path.relative_to(site)
    if parts.scheme in ("data", "mailto", "javascript"):
        return
    if parts.scheme or parts.netloc:
        if loads:
            yield f"{here} loads {url}"
        return
    target = path if not parts.path else (path.parent / unquote(parts.path)).resolve()
    target = target / "index.html" if target.is_dir() else target
    if not target.exists():
        yield f"{here} links to {url}, which is not there"
    elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
        if not parts.fragment.startswith("__"):
            yield f"{here} links to {url}: no such place on that page"

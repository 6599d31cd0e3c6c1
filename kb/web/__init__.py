"""The website: server-rendered pages in Korean and English. `pages.routes` is what the app mounts."""

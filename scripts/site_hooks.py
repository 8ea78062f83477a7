"""What MkDocs calls while scripts/site builds the manual."""


def on_page_context(context, page, config, nav):
    """Each page is in its own language, with the words of the theme around it."""
    config.theme["language"] = "zh" if page.file.src_uri.endswith(".zh-CN.md") else "en"
    return context

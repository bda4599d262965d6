"""Reports of a chaos run: one HTML page with the drawn time line, Markdown, and a summary on the terminal."""

from chaos.report.markdown import markdown
from chaos.report.page import page
from chaos.report.summary import Summary, bound, by_clause, summarize
from chaos.report.terminal import print_run

__all__ = ["MARKDOWN", "PAGE", "Summary", "bound", "by_clause", "markdown", "page", "print_run", "summarize"]

PAGE = "chaos.html"
MARKDOWN = "chaos.md"

"""Pictures of a trace: `panels` says what is drawn, `static` (SVG, PNG) and `interactive` (HTML) draw it."""

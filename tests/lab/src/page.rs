//! Reports as HTML pages.

use pulldown_cmark::{html, CowStr, Event, Options, Parser, Tag, TagEnd};

const STYLE: &str = ":root { color-scheme: light dark; }\n\
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; }\n\
table { border-collapse: collapse; margin: 1em 0; font-size: 14px; }\n\
th, td { text-align: left; vertical-align: top; padding: .25em .8em .25em 0; border-bottom: 1px solid #8884; }\n\
svg { display: block; max-width: 100%; height: auto; margin: 1em 0; }\n\
h2 { margin-top: 2.5em; } h3 { margin-top: 2em; }\n";

/// A page of this Markdown. Images of `figures/ID.svg` are replaced by what `figure` gives for the ID, so that the page needs no
/// other file; those that it does not know are left out.
pub fn html(title: &str, markdown: &str, figure: impl Fn(&str) -> Option<String>) -> String {
    let mut inside = false;
    let parser = Parser::new_ext(markdown, Options::ENABLE_TABLES);
    let events = parser.filter_map(|event| match event {
        Event::Start(Tag::Image { ref dest_url, .. }) => {
            inside = true;
            let id = dest_url.strip_prefix("figures/")?.strip_suffix(".svg")?;
            Some(Event::Html(CowStr::from(figure(id)?.trim_end().to_owned())))
        }
        Event::End(TagEnd::Image) => {
            inside = false;
            None
        }
        // The title stands in the figure.
        _ if inside => None,
        event => Some(event),
    });
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n"
    );
    html::push_html(&mut page, events);
    page.push_str("</html>\n");
    page
}

//! Reports as HTML pages.

use pulldown_cmark::{html, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

const STYLE: &str = ":root { color-scheme: light dark; }\n\
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; }\n\
table { border-collapse: collapse; margin: 1em 0; font-size: 14px; }\n\
th, td { text-align: left; vertical-align: top; padding: .25em .8em .25em 0; border-bottom: 1px solid #8884; }\n\
svg { display: block; max-width: 100%; height: auto; margin: 1em 0; }\n\
h2 { margin-top: 2.5em; } h3 { margin-top: 2em; }\n\
nav ul { list-style: none; padding-left: 0; } nav ul ul { padding-left: 1.5em; }\n";

/// A page of this Markdown. Images of `figures/ID.svg` are replaced by what `figure` gives for the ID, so that the page needs no
/// other file; those that it does not know are left out.
pub fn html(title: &str, markdown: &str, figure: impl Fn(&str) -> Option<String>) -> String {
    let find = |path: &str| figure(path.strip_prefix("figures/")?.strip_suffix(".svg")?);
    let parser = Parser::new_ext(markdown, Options::ENABLE_TABLES);
    page(title, with_figures(parser, find))
}

/// The same with a table of contents in front of the first heading of the second level. Images of all paths that end in `.svg` are
/// asked for by their path.
///
/// # Errors
/// What a figure's path is wrong by, as `figure` says.
pub fn with_contents(
    title: &str,
    markdown: &str,
    figure: impl Fn(&str) -> Result<String, String>,
) -> Result<String, String> {
    let mut events: Vec<Event<'_>> = Parser::new_ext(markdown, Options::ENABLE_TABLES).collect();
    let headings = number(&mut events);
    let first = events.iter().position(|event| level(event) == Some(2));
    let contents = Event::Html(CowStr::from(contents(&headings)));
    events.insert(first.unwrap_or(0), contents);
    let mut wrong = None;
    let find = |path: &str| {
        path.strip_suffix(".svg")?;
        match figure(path) {
            Ok(svg) => Some(svg),
            Err(error) => {
                wrong.get_or_insert(error);
                None
            }
        }
    };
    let page = page(title, with_figures(events.into_iter(), find));
    wrong.map_or(Ok(page), Err)
}

/// The events with what `find` gives for the path of each image in its place; the title stands in the figure.
fn with_figures<'a>(
    events: impl Iterator<Item = Event<'a>>,
    mut find: impl FnMut(&str) -> Option<String>,
) -> impl Iterator<Item = Event<'a>> {
    let mut inside = false;
    events.filter_map(move |event| match event {
        Event::Start(Tag::Image { ref dest_url, .. }) => {
            inside = true;
            Some(Event::Html(CowStr::from(element(&find(dest_url)?))))
        }
        Event::End(TagEnd::Image) => {
            inside = false;
            None
        }
        _ if inside => None,
        event => Some(event),
    })
}

/// The SVG element of a document, without what XML has in front of it.
fn element(svg: &str) -> String {
    let begin = svg.find("<svg").unwrap_or(0);
    svg[begin..].trim_end().to_owned()
}

fn level(event: &Event<'_>) -> Option<usize> {
    match event {
        Event::Start(Tag::Heading { level, .. }) => Some(match level {
            HeadingLevel::H1 => 1,
            HeadingLevel::H2 => 2,
            HeadingLevel::H3 => 3,
            HeadingLevel::H4 => 4,
            HeadingLevel::H5 => 5,
            HeadingLevel::H6 => 6,
        }),
        _ => None,
    }
}

/// Gives every heading of the second and third level an id, and gives back their levels, ids and texts.
fn number(events: &mut [Event<'_>]) -> Vec<(usize, String, String)> {
    let mut headings: Vec<(usize, String, String)> = Vec::new();
    let mut inside = false;
    for event in events {
        let level = level(event).filter(|level| (2..=3).contains(level));
        match (event, level) {
            (Event::Start(Tag::Heading { id, .. }), Some(level)) => {
                let name = format!("section-{}", headings.len() + 1);
                *id = Some(CowStr::from(name.clone()));
                headings.push((level, name, String::new()));
                inside = true;
            }
            (Event::End(TagEnd::Heading(_)), _) => inside = false,
            (Event::Text(text) | Event::Code(text), _) if inside => {
                let last = headings.last_mut();
                last.into_iter().for_each(|last| last.2.push_str(text));
            }
            _ => {}
        }
    }
    headings
}

fn contents(headings: &[(usize, String, String)]) -> String {
    let mut out = String::from("<nav>\n<ul>\n");
    let mut depth = 2;
    for (level, id, text) in headings {
        for _ in depth..*level {
            out.push_str("<li><ul>\n");
        }
        for _ in *level..depth {
            out.push_str("</ul></li>\n");
        }
        depth = *level;
        let text = escaped(text);
        out.push_str(&format!("<li><a href=\"#{id}\">{text}</a></li>\n"));
    }
    for _ in 2..depth {
        out.push_str("</ul></li>\n");
    }
    out.push_str("</ul>\n</nav>\n");
    out
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;");
    text.replace('<', "&lt;").replace('>', "&gt;")
}

fn page<'a>(title: &str, events: impl Iterator<Item = Event<'a>>) -> String {
    let title = escaped(title);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n"
    );
    html::push_html(&mut page, events);
    page.push_str("</html>\n");
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKDOWN: &str =
        "# All\n\nWords.\n\n## One & more\n\n![x](a/b.svg)\n\n### `in` it\n\n## Two\n";

    fn draw(path: &str) -> Result<String, String> {
        match path {
            "a/b.svg" => Ok("<?xml version=\"1.0\"?>\n<svg id=\"drawn\"></svg>\n".into()),
            other => Err(format!("{other} is not there")),
        }
    }

    #[test]
    fn a_page_has_its_figures_inside_and_its_contents_before_the_first_section() {
        let page = with_contents("T", MARKDOWN, draw).unwrap();
        assert!(page.contains("<svg id=\"drawn\"></svg>") && !page.contains("<?xml"));
        assert!(!page.contains("<img"));
        for link in [
            "<a href=\"#section-1\">One &amp; more</a>",
            "<a href=\"#section-2\">in it</a>",
            "<a href=\"#section-3\">Two</a>",
        ] {
            assert!(page.contains(link), "{link} in {page}");
        }
        assert!(page.contains("<h2 id=\"section-1\">"), "{page}");
        let place = |text: &str| page.find(text).unwrap();
        assert!(place("Words.") < place("<nav>") && place("</nav>") < place("<h2"));
        assert_eq!(page.matches("<ul>").count(), page.matches("</ul>").count());
    }

    #[test]
    fn a_figure_that_is_not_there_is_an_error_with_its_path() {
        let error = with_contents("T", "![x](a/c.svg)", draw).unwrap_err();
        assert_eq!(error, "a/c.svg is not there");
    }
}

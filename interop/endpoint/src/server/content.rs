//! What the server has to offer: files of a directory and generated objects.

use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Instant;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata, OpenOptions, OpenOptionsExt};
use percent_encoding::percent_decode_str;

use super::budget::Budget;
use super::metrics::Families;
use super::range::{self, Requested};
use super::shortage::{Scarce, Shortage};
use crate::files::WITHOUT_WAITING;
use crate::object;

/// A request, as far as it decides the answer.
#[derive(Debug, Default)]
pub struct Request {
    pub method: Option<Vec<u8>>,
    pub path: Option<Vec<u8>>,
    pub range: Option<Vec<u8>>,
}

impl Request {
    /// Whether its method is safe (RFC 9110, section 9.2.1).
    fn is_safe(&self) -> bool {
        let method = self.method.as_deref().unwrap_or_default();
        [&b"GET"[..], b"HEAD", b"OPTIONS", b"TRACE"].contains(&method)
    }
}

/// An answer.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Option<Body>,
}

/// Where bodies come from.
pub struct Content {
    /// A handle that no path can leave, neither by `..` nor by symbolic links.
    root: Option<Dir>,
    budget: Budget,
    descriptors: Shortage,
    memory: Shortage,
}

impl Content {
    /// Serves the files below `root`, if given, and generated objects, as long as the budget has room
    /// for them.
    pub fn new(root: Option<&Path>, budget: Budget, families: &Families) -> io::Result<Self> {
        let open = |path: &Path| {
            Dir::open_ambient_dir(path, ambient_authority())
                .map_err(|e| io::Error::new(e.kind(), format!("--root {}: {e}", path.display())))
        };
        Ok(Self {
            root: root.map(open).transpose()?,
            budget,
            descriptors: Shortage::new(Scarce::Descriptors, families),
            memory: Shortage::new(Scarce::Memory, families),
        })
    }

    /// Answers a request, one in early data only if it may be answered as often as others replay it
    /// (RFC 8470, section 4).
    pub fn respond_when(&self, early: bool, request: &Request) -> Response {
        if early && !request.is_safe() {
            // Section 5.2: Too Early.
            return Response::status(425);
        }
        self.respond(request)
    }

    /// Answers a request.
    pub fn respond(&self, request: &Request) -> Response {
        let head = match request.method.as_deref() {
            Some(b"GET") => false,
            Some(b"HEAD") => true,
            Some(_) => {
                return Response {
                    headers: vec![("allow", "GET, HEAD".to_owned())],
                    ..Response::status(405)
                }
            }
            None => return Response::status(400),
        };
        if !head && !self.budget.has_room() {
            return refuse_for_now(&self.memory);
        }
        let mut response = match self.find(request.path.as_deref()) {
            // RFC 9110, section 14.2: only GET has ranges.
            Ok(found) => found.response(request.range.as_deref().filter(|_| !head)),
            Err(503) => refuse_for_now(&self.descriptors),
            Err(status) => Response::status(status),
        };
        if head {
            response.body = None;
        }
        response
    }

    /// Finds the object of a path, or the status that says why there is none.
    fn find(&self, path: Option<&[u8]>) -> Result<Found, u16> {
        let path = path
            .and_then(|path| std::str::from_utf8(path).ok())
            .ok_or(400u16)?;
        let path = path.split(['?', '#']).next().unwrap_or_default();
        if !path.starts_with('/') || path.contains('\\') {
            return Err(400);
        }
        let decoded = percent_decode_str(path).decode_utf8().map_err(|_| 400u16)?;
        if decoded.contains('\0') {
            return Err(400);
        }
        let file = match &self.root {
            Some(root) => find_file(root, &decoded),
            None => Err(404),
        };
        match (file, object::size_of_path(path)) {
            (Err(404), Some(size)) => Ok(Found {
                body: Body {
                    source: Source::Generated,
                    offset: 0,
                    end: size,
                },
                content_type: "application/octet-stream".to_owned(),
            }),
            (file, _) => file,
        }
    }
}

impl Response {
    /// An answer without content.
    pub fn status(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: None,
        }
        .with_length(0)
    }

    fn with_length(mut self, length: u64) -> Self {
        self.headers.push(("content-length", length.to_string()));
        self
    }
}

/// Refuses what may be served later.
fn refuse_for_now(shortage: &Shortage) -> Response {
    shortage.on_refused(Instant::now());
    let mut refused = Response::status(503);
    refused.headers.push(("retry-after", "1".to_owned()));
    refused
}

/// An object that exists.
struct Found {
    body: Body,
    content_type: String,
}

impl Found {
    fn response(self, range: Option<&[u8]>) -> Response {
        let size = self.body.end;
        let (status, start, end) = match range::parse(range, size) {
            Requested::Whole => (200, 0, size),
            Requested::Part { start, end } => (206, start, end),
            Requested::Unsatisfiable => {
                let mut refused = Response::status(416);
                refused
                    .headers
                    .push(("content-range", format!("bytes */{size}")));
                return refused;
            }
        };
        let mut headers = vec![
            ("content-type", self.content_type),
            ("accept-ranges", "bytes".to_owned()),
        ];
        if status == 206 {
            headers.push(("content-range", format!("bytes {start}-{}/{size}", end - 1)));
        }
        let body = Some(Body {
            offset: start,
            end,
            ..self.body
        });
        Response {
            status,
            headers,
            body,
        }
        .with_length(end - start)
    }
}

fn find_file(root: &Dir, path: &str) -> Result<Found, u16> {
    let relative = path.trim_start_matches('/');
    let path = match relative {
        "" => "index.html".to_owned(),
        directory if directory.ends_with('/') => format!("{directory}index.html"),
        file => file.to_owned(),
    };
    // Asked before opening, because that may do something to a device, and once more afterwards,
    // because another file may have taken the name.
    let is_file = |metadata: &Metadata| metadata.is_file().then_some(()).ok_or(404u16);
    is_file(&root.metadata(&path).map_err(|e| status_of(&e))?)?;
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(WITHOUT_WAITING);
    let file = root.open_with(&path, &options);
    let file = file.map_err(|e| status_of(&e))?;
    let metadata = file.metadata().map_err(|e| status_of(&e))?;
    is_file(&metadata)?;
    let file = file.into_std();
    let content_type = mime_guess::from_path(&path)
        .first_or_octet_stream()
        .to_string();
    let source = Source::File(file);
    Ok(Found {
        body: Body {
            source,
            offset: 0,
            end: metadata.len(),
        },
        content_type,
    })
}

fn status_of(error: &io::Error) -> u16 {
    if Shortage::is_meant_by(error) {
        return 503;
    }
    match error.kind() {
        // A directory handle reports a way out of it as "permission denied", too.
        io::ErrorKind::PermissionDenied => 403,
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory => 404,
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidFilename => 404,
        _ => 500,
    }
}

/// The part of an object that is still to be sent.
#[derive(Debug)]
pub struct Body {
    source: Source,
    offset: u64,
    end: u64,
}

#[derive(Debug)]
enum Source {
    File(std::fs::File),
    Generated,
}

impl Body {
    /// Bytes still to come.
    pub fn remaining(&self) -> u64 {
        self.end - self.offset
    }

    /// What comes next, at most so many bytes of it. Fails if a file cannot be read or has become
    /// shorter.
    pub fn read(&self, most: usize) -> io::Result<Vec<u8>> {
        let mut block = vec![0; self.remaining().min(most as u64) as usize];
        match &self.source {
            Source::File(file) => file.read_exact_at(&mut block, self.offset)?,
            Source::Generated => object::fill(self.offset, &mut block),
        }
        Ok(block)
    }

    /// So many bytes of it are sent.
    pub fn advance(&mut self, count: u64) {
        self.offset += count;
    }
}

#[cfg(test)]
mod tests;

//! The elements of an XML part, one after the other, with their lines.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::PathBuf;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use crate::error::{Error, Message, Result, option_name};
use crate::io::read::lines::{real, shown};

/// The elements of a part.
pub(super) struct Events<R> {
    part: PathBuf,
    reader: Reader<R>,
    scratch: Vec<u8>,
}

impl<R: BufRead + Numbered> Events<R> {
    /// The elements of a part, whose name messages say.
    pub fn new(part: PathBuf, bytes: R) -> Self {
        let mut reader = Reader::from_reader(bytes);
        reader.config_mut().expand_empty_elements = true;
        Self { part, reader, scratch: Vec::new() }
    }

    /// The outermost element, which must have this name.
    pub fn root(&mut self, name: &str) -> Result<BytesStart<'static>> {
        let mut tag = String::new();
        match self.child(&mut tag)? {
            Some(tag) if tag.local_name().as_ref() == name => Ok(tag.into_owned()),
            Some(tag) => {
                let found = shown(tag.local_name().as_ref().as_bytes());
                Err(self.fault(format!("`{name}` expected, found `{found}`")))
            }
            None => Err(self.fault(format!("no element `{name}`"))),
        }
    }

    /// The next element within the one that has begun last, kept in `text`; `None` at its end.
    pub fn child<'t>(&mut self, text: &'t mut String) -> Result<Option<BytesStart<'t>>> {
        let name = loop {
            self.scratch.clear();
            match self.reader.read_event_into(&mut self.scratch) {
                Ok(Event::Start(tag)) => {
                    text.clear();
                    text.push_str(&tag);
                    break tag.name().as_ref().len();
                }
                Ok(Event::End(_)) => return Ok(None),
                Ok(Event::Eof) => {
                    return Err(self.fault("the part is cut short: it ends within an element"));
                }
                Ok(Event::DocType(_)) => {
                    return Err(self.fault("a document type, which .3mf files may not have"));
                }
                Ok(_) => {}
                Err(e) => return Err(self.malformed(&e)),
            }
        };
        Ok(Some(BytesStart::from_content(&text[..], name)))
    }

    /// Passes over what is within the element that has begun last.
    pub fn skip(&mut self) -> Result<()> {
        let (mut depth, mut buffer) = (1_usize, String::new());
        while depth > 0 {
            match self.child(&mut buffer)? {
                Some(_) => depth += 1,
                None => depth -= 1,
            }
        }
        Ok(())
    }

    /// An attribute of a tag, by its name without a prefix.
    pub fn attribute(&self, tag: &BytesStart, name: &str) -> Result<Option<String>> {
        let mut found = None;
        for attribute in tag.attributes().with_checks(false) {
            let attribute = attribute.map_err(|e| self.malformed(&e.into()))?;
            if attribute.key.local_name().as_ref() != name
                || attribute.key.as_namespace_binding().is_some()
            {
                continue;
            }
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            let value = value.map(Cow::into_owned).map_err(|e| self.malformed(&e))?;
            if found.replace(value).is_some() {
                return Err(self.fault(format!("two attributes `{name}`")));
            }
        }
        Ok(found)
    }

    /// Attributes of a tag that each must have, as numbers.
    pub fn numbers<const N: usize, T: Copy + Default>(
        &self,
        tag: &BytesStart,
        names: [&str; N],
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<[T; N]> {
        let (mut found, mut seen) = ([T::default(); N], [false; N]);
        for attribute in tag.attributes().with_checks(false) {
            let attribute = attribute.map_err(|e| self.malformed(&e.into()))?;
            let Some(at) = names.iter().position(|n| *n == attribute.key.as_ref()) else {
                continue;
            };
            let word = attribute.value.trim_ascii();
            let number = parse(word).ok_or_else(|| {
                self.fault(format!(
                    "{}=\"{}\" is no number of its kind",
                    names[at],
                    shown(word.as_bytes())
                ))
            })?;
            if std::mem::replace(&mut seen[at], true) {
                return Err(self.fault(format!("two attributes `{}`", names[at])));
            }
            found[at] = number;
        }
        match seen.iter().position(|seen| !seen) {
            None => Ok(found),
            Some(missing) => Err(self.fault(format!(
                "`{}` has no {}",
                shown(tag.local_name().as_ref().as_bytes()),
                names[missing]
            ))),
        }
    }

    /// 1-based line of the end of the event at hand.
    pub fn line(&self) -> usize {
        self.reader.get_ref().line()
    }

    /// An error at the event at hand.
    pub fn error(&self, message: impl Into<String>) -> Error {
        self.error_at(self.line(), message)
    }

    /// An error at a line.
    pub fn error_at(&self, line: usize, message: impl Into<String>) -> Error {
        Error::file(&self.part, Some(line), message.into())
    }

    /// The error of a part that is not as the specification says.
    pub fn fault(&self, message: impl Into<String>) -> Error {
        self.error(message).with_help("the file is malformed or damaged; export it again")
    }

    fn malformed(&self, cause: &quick_xml::Error) -> Error {
        match cause {
            quick_xml::Error::Io(e) if e.kind() == ErrorKind::OutOfMemory => {
                self.error(e.to_string()).with_help(memory_help())
            }
            cause => self.fault(format!("malformed XML: {cause}")),
        }
    }
}

/// Counts lines as they are read.
pub(super) struct Lines<R> {
    inner: BufReader<R>,
    line: usize,
}

impl<R: Read> Lines<R> {
    /// The bytes of a reader from its first line on.
    pub fn new(bytes: R) -> Self {
        Self { inner: BufReader::with_capacity(1 << 16, bytes), line: 1 }
    }
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(to)?;
        self.line += to[..read].iter().filter(|&&byte| byte == b'\n').count();
        Ok(read)
    }
}

impl<R: Read> BufRead for Lines<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        let passed = &self.inner.buffer()[..count];
        self.line += passed.iter().filter(|&&byte| byte == b'\n').count();
        self.inner.consume(count);
    }
}

/// Lines of what is read.
pub(super) trait Numbered {
    /// 1-based line of the next byte.
    fn line(&self) -> usize;
}

impl<R> Numbered for Lines<R> {
    fn line(&self) -> usize {
        self.line
    }
}

/// What to do about a file that unpacks to more than may be.
pub(super) fn memory_help() -> Message {
    message!("allow more memory (", option_name("memory"), ") if the file can be trusted")
}

/// A finite number.
pub(super) fn finite(word: &str) -> Option<f64> {
    real(word.as_bytes()).filter(|x| x.is_finite())
}

/// A number of a thing, from 0.
pub(super) fn index(word: &str) -> Option<u32> {
    word.parse().ok()
}

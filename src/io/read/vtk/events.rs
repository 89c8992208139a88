//! The events of an XML file, with their lines.

use std::borrow::Cow;
use std::path::Path;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use crate::error::{Error, Result};

/// The events of an XML text, one after another.
pub(in crate::io::read) struct XmlEvents<'p, 'a> {
    path: &'p Path,
    text: &'a str,
    reader: Reader<&'a [u8]>,
    // where the event at hand starts and ends
    start: usize,
    end: usize,
    // elements that have begun and not ended
    open: usize,
    /// 1-based line of the event at hand.
    pub line: usize,
}

impl<'p, 'a> XmlEvents<'p, 'a> {
    /// The events of the file `path`.
    pub fn new(path: &'p Path, text: &'a str) -> Self {
        Self { path, text, reader: Reader::from_str(text), start: 0, end: 0, open: 0, line: 1 }
    }

    /// The next event; the text may end within `open` elements.
    ///
    /// # Errors
    /// If the XML is malformed, or ends within more elements.
    pub fn next(&mut self, open: usize) -> Result<Event<'a>> {
        let passed = &self.text.as_bytes()[self.start..self.end];
        self.line += passed.iter().filter(|&&byte| byte == b'\n').count();
        self.start = self.end;
        let event = self.reader.read_event();
        let end = usize::try_from(self.reader.buffer_position()).unwrap_or(self.end);
        self.end = end.min(self.text.len());
        let event = event.map_err(|e| self.malformed(e))?;
        match event {
            Event::Start(_) => self.open += 1,
            Event::End(_) => self.open -= 1,
            Event::Eof if self.open > open => {
                return Err(self.fault("the file is cut short: it ends within an element"));
            }
            _ => {}
        }
        Ok(event)
    }

    /// An attribute of a tag of the event at hand.
    pub fn attribute(&self, tag: &BytesStart, name: &str) -> Result<Option<String>> {
        let attribute = tag.try_get_attribute(name).map_err(|e| self.malformed(e))?;
        let value =
            attribute.map(|a| a.normalized_value(XmlVersion::Implicit1_0).map(Cow::into_owned));
        value.transpose().map_err(|e| self.malformed(e))
    }

    /// An error at the event at hand.
    pub fn error(&self, message: impl Into<String>) -> Error {
        Error::file(self.path, Some(self.line), message.into())
    }

    /// The error of a file that is not as programs write it.
    pub fn fault(&self, message: impl Into<String>) -> Error {
        self.error(message).with_help("the file is cut short or malformed; write it again")
    }

    fn malformed(&self, cause: impl std::fmt::Display) -> Error {
        self.fault(format!("malformed XML: {cause}"))
    }
}

//! The characters of VTK XML files: UTF-8, and ISO-8859-1 where the file says so.

use std::path::Path;

use crate::error::{Error, Result};
use crate::io::read::lines::shown;

/// Where the XML of a file ends, and binary data may begin.
pub(super) const APPENDED: &[u8] = b"<AppendedData";

/// Whether a file is VTK XML.
pub(in crate::io::read) fn is_xml(bytes: &[u8]) -> bool {
    const ROOT: &[u8] = b"<VTKFile";
    let head = bytes[..bytes.len().min(4096)].trim_ascii_start();
    head.starts_with(b"<") && head.windows(ROOT.len()).any(|window| window == ROOT)
}

/// The encoding that an XML file declares.
fn declared(bytes: &[u8]) -> Option<&[u8]> {
    const NAME: &[u8] = b"encoding";
    let head = bytes[..bytes.len().min(256)].trim_ascii_start().strip_prefix(b"<?xml")?;
    let head = &head[..head.windows(2).position(|end| end == b"?>")?];
    let at = head.windows(NAME.len()).position(|word| word == NAME)?;
    let value = head[at + NAME.len()..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let (quote, value) = value.split_first()?;
    Some(&value[..value.iter().position(|byte| byte == quote)?])
}

/// An XML file as UTF-8 if it says that it is ISO-8859-1; any other file as it is. Binary data
/// stay.
pub(in crate::io::read) fn decoded(bytes: Vec<u8>) -> Vec<u8> {
    let is_latin = |name: &&[u8]| {
        ["iso-8859-1", "iso_8859-1", "latin1"]
            .iter()
            .any(|n| name.eq_ignore_ascii_case(n.as_bytes()))
    };
    if declared(&bytes).filter(is_latin).is_none() {
        return bytes;
    }
    let end = bytes.windows(APPENDED.len()).position(|window| window == APPENDED);
    let (xml, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
    if xml.is_ascii() {
        return bytes;
    }
    let xml: String = xml.iter().map(|&byte| char::from(byte)).collect();
    [xml.as_bytes(), rest].concat()
}

/// Bytes as text.
///
/// # Errors
/// If they are not UTF-8.
pub(in crate::io::read) fn text<'a>(path: &Path, bytes: &'a [u8]) -> Result<&'a str> {
    std::str::from_utf8(bytes).map_err(|e| {
        let line = 1 + bytes[..e.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count();
        let other = declared(bytes).filter(|name| !name.eq_ignore_ascii_case(b"UTF-8"));
        let message = match other {
            Some(name) => format!("the encoding `{}` is not read", shown(name)),
            None => "the XML is not UTF-8 text".into(),
        };
        let help = match other {
            Some(_) => "save the XML as UTF-8",
            None => {
                "the file is damaged, or in an encoding that it does not declare; write it again"
            }
        };
        Error::file(path, Some(line), message).with_help(help)
    })
}

//! Checks JSON against a JSON Schema, as far as the schemas of reports go: a keyword that is not
//! known here fails the test.

use serde_json::{Map, Value};

/// What is wrong with `value`, at which place of it; nothing if it is as `schema` says.
pub fn errors(schema: &Value, value: &Value) -> Vec<String> {
    let mut errors = Vec::new();
    check(schema, schema, value, "", &mut errors);
    errors
}

fn check(root: &Value, schema: &Value, value: &Value, at: &str, errors: &mut Vec<String>) {
    let schema = match schema {
        Value::Bool(true) => return,
        Value::Bool(false) => return errors.push(format!("{at}: not allowed")),
        Value::Object(schema) => schema,
        _ => panic!("no schema: {schema}"),
    };
    for (keyword, wanted) in schema {
        let mut fail = |what: String| errors.push(format!("{at}: {what}"));
        let number = value.as_f64();
        let len = value.as_array().map(Vec::len);
        match keyword.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" | "format" | "default"
            | "minProperties" => {}
            "$ref" => {
                let pointer = wanted.as_str().unwrap().strip_prefix('#').unwrap();
                let target = root.pointer(pointer).unwrap_or_else(|| panic!("no {wanted}"));
                check(root, target, value, at, errors);
            }
            "type" => {
                let types = wanted.as_array().map_or(std::slice::from_ref(wanted), Vec::as_slice);
                if !types.iter().any(|t| is_of(t.as_str().unwrap(), value)) {
                    fail(format!("{value} is no {wanted}"));
                }
            }
            "const" if value != wanted => fail(format!("{value} is not {wanted}")),
            "enum" if !wanted.as_array().unwrap().contains(value) => {
                fail(format!("{value} is none of {wanted}"));
            }
            "const" | "enum" => {}
            "minimum" if number.is_some_and(|x| x < wanted.as_f64().unwrap()) => {
                fail(format!("{value} is below {wanted}"));
            }
            "maximum" if number.is_some_and(|x| x > wanted.as_f64().unwrap()) => {
                fail(format!("{value} is above {wanted}"));
            }
            "minItems" if len.is_some_and(|len| (len as u64) < wanted.as_u64().unwrap()) => {
                fail(format!("fewer than {wanted} items"));
            }
            "maxItems" if len.is_some_and(|len| len as u64 > wanted.as_u64().unwrap()) => {
                fail(format!("more than {wanted} items"));
            }
            "minimum" | "maximum" | "minItems" | "maxItems" => {}
            "required" if value.is_object() => {
                for name in wanted.as_array().unwrap() {
                    if value.get(name.as_str().unwrap()).is_none() {
                        fail(format!("no {name}"));
                    }
                }
            }
            "required" => {}
            "anyOf" | "oneOf" => {
                let fits = |option: &&Value| {
                    let mut own = Vec::new();
                    check(root, option, value, at, &mut own);
                    own.is_empty()
                };
                let count = wanted.as_array().unwrap().iter().filter(fits).count();
                if count == 0 || keyword == "oneOf" && count > 1 {
                    fail(format!("{value} fits {count} of {wanted}"));
                }
            }
            "allOf" => {
                for part in wanted.as_array().unwrap() {
                    check(root, part, value, at, errors);
                }
            }
            "items" | "prefixItems" => check_items(root, schema, value, at, errors, keyword),
            "properties" | "patternProperties" | "additionalProperties" => {}
            other => panic!("the keyword {other} of a schema is not known here"),
        }
    }
    if let Some(object) = value.as_object() {
        check_properties(root, schema, object, at, errors);
    }
}

fn is_of(name: &str, value: &Value) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        other => panic!("the type {other} of a schema is not known here"),
    }
}

fn check_items(
    root: &Value,
    schema: &Map<String, Value>,
    value: &Value,
    at: &str,
    errors: &mut Vec<String>,
    keyword: &str,
) {
    let Some(items) = value.as_array() else { return };
    let first = schema.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
    for (i, item) in items.iter().enumerate() {
        let own = match keyword {
            "items" if i >= first => &schema["items"],
            "prefixItems" if i < first => &schema["prefixItems"][i],
            _ => continue,
        };
        check(root, own, item, &format!("{at}/{i}"), errors);
    }
}

/// Properties that no schema names are allowed where others are allowed.
fn check_properties(
    root: &Value,
    schema: &Map<String, Value>,
    object: &Map<String, Value>,
    at: &str,
    errors: &mut Vec<String>,
) {
    for (name, value) in object {
        let at = format!("{at}/{name}");
        let own = schema.get("properties").and_then(|own| own.get(name));
        // of patterns, reports have keys that are numbers alone, some of them with a sign
        let of_number = schema.get("patternProperties").and_then(Value::as_object).map(|own| {
            let patterns: Vec<&str> = own.keys().map(String::as_str).collect();
            assert!(matches!(patterns[..], ["^\\d+$"] | ["^-?\\d+$"]), "{own:?}");
            (patterns[0].contains('-'), &own[patterns[0]])
        });
        let of_number = of_number.filter(|&(signed, _)| {
            let digits = name.strip_prefix('-').filter(|_| signed).unwrap_or(name);
            !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
        });
        match own.or(of_number.map(|(_, own)| own)).or(schema.get("additionalProperties")) {
            Some(own) => check(root, own, value, &at, errors),
            None if schema.contains_key("properties") => {
                errors.push(format!("{at}: not in the schema"));
            }
            None => {}
        }
    }
}

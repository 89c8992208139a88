//! Values of options by the names that enums of the library derive.

use std::iter;

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use subsolid::scheme::Scheme;

/// Values by their names alone, where the help of the option tells what they are.
pub fn bare<T: ValueEnum + Send + Sync + 'static>() -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(names(T::value_variants())).try_map(|name| T::from_str(&name, false))
}

/// `all` of some values, or one of them.
pub fn all_or<T>(all: &'static [T]) -> impl TypedValueParser<Value = OptionValues<T>>
where
    T: ValueEnum + Send + Sync + 'static,
{
    let values = iter::once(PossibleValue::new("all")).chain(names(all));
    PossibleValuesParser::new(values).map(move |name| match T::from_str(&name, false) {
        Ok(one) => OptionValues(vec![one]),
        Err(_) => OptionValues(all.to_vec()),
    })
}

/// The values that an option has selected.
#[derive(Clone)]
pub struct OptionValues<T>(pub Vec<T>);

/// Names of schemes as values of options.
pub fn scheme_names() -> impl TypedValueParser<Value = Scheme> {
    let values = Scheme::ALL.map(|scheme| {
        let rules = scheme.rules();
        let names = rules.option_names();
        PossibleValue::new(names[0]).aliases(&names[1..]).help(rules.summary())
    });
    PossibleValuesParser::new(values).try_map(|name| Scheme::named(&name))
}

fn names<T: ValueEnum>(values: &[T]) -> impl Iterator<Item = PossibleValue> {
    let values = values.iter().filter_map(ValueEnum::to_possible_value);
    values.map(|value| value.help(None::<&'static str>))
}

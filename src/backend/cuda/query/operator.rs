//! Operators: computations over every element and its row.

use std::marker::PhantomData;

use cudarc::driver::DeviceRepr;
use cudarc::driver::sys::CUdevice_attribute;

use super::incidence::Lists;
use super::patches;
use super::rows::StoredRows;
use super::steps::{THREADS, number};
use super::{Attribute, DeviceQuery};
use crate::backend::Precision;
use crate::backend::cuda::driver::buffer::timed_event;
use crate::backend::cuda::driver::device::failed;
use crate::backend::cuda::driver::launch::{Argument, Launch};
use crate::backend::cuda::driver::program::Kernels;
use crate::backend::cuda::driver::sources::{OPERATOR, SMOOTH, SUM, Variant};
use crate::error::{Error, Result};
use crate::numbers::Real;
use crate::query::Op;
use crate::topology::order::EntityKind;

/// A compiled operator over the rows of one query.
#[derive(Clone, Debug)]
pub struct Operator {
    pub(super) op: Op,
    pub(super) variant: Variant,
    words: usize,
}

/// An argument of an operator: an attribute, a `f64` or a `u64`, as the members of its structure
/// have them.
#[derive(Clone, Debug)]
pub struct OperatorArgument<'a> {
    words: Vec<u64>,
    attribute: Option<(EntityKind, usize)>,
    // of the memory that it stands for; none if that is not known
    bytes: Option<usize>,
    lives: PhantomData<&'a ()>,
}

impl<'a, T> From<&'a Attribute<T>> for OperatorArgument<'a>
where
    T: DeviceRepr + Default + Copy,
{
    fn from(attribute: &'a Attribute<T>) -> Self {
        let [id, component] = attribute.strides().map(|step| step as u64);
        Self {
            words: vec![attribute.values.address(0), id | component << 32],
            attribute: Some((attribute.kind, attribute.count)),
            bytes: Some(size_of::<T>() * attribute.width * attribute.count),
            lives: PhantomData,
        }
    }
}

impl From<f64> for OperatorArgument<'_> {
    fn from(number: f64) -> Self {
        Self { words: vec![number.to_bits()], attribute: None, bytes: Some(0), lives: PhantomData }
    }
}

impl From<u64> for OperatorArgument<'_> {
    fn from(number: u64) -> Self {
        // it may be an address
        Self { words: vec![number], attribute: None, bytes: None, lives: PhantomData }
    }
}

/// The variant of an operator over the rows of `op` whose arguments have `words` words.
pub(in crate::backend::cuda) fn variant(
    op: Op,
    text: &str,
    words: usize,
    precision: Precision,
) -> Variant {
    Variant::new(&OPERATOR, precision)
        .with("WORDS", words)
        .with("GROUPS", groups(op, text))
        .with("WIDE", usize::from(is_wide(op)))
        .with_text(text)
}

/// Rows that a thread visits: two of those that are not staged, and of an operator that takes few
/// registers, as its text says (`kernels/query/query.cuh`).
fn groups(op: Op, text: &str) -> usize {
    if is_wide(op) || text.contains("#define BLOCKS 8") { 2 } else { 1 }
}

/// Whether rows have eight ids as a rule: cells and vertices of hexahedra.
fn is_wide(op: Op) -> bool {
    matches!(op, Op::VC | Op::CV)
}

/// Words of an attribute's argument.
pub(in crate::backend::cuda) const ATTRIBUTE: usize = 2;

/// The operators of this program.
pub(in crate::backend::cuda) fn variants(precision: Precision) -> Vec<Variant> {
    let mut all = vec![
        variant(Op::VV, SUM.text, 2 * ATTRIBUTE, precision),
        variant(Op::VC, SUM.text, 2 * ATTRIBUTE, precision),
        variant(Op::EV, SUM.text, 2 * ATTRIBUTE, precision),
        variant(Op::VV, SMOOTH.text, 3 * ATTRIBUTE + 2, precision),
    ];
    // operators of one precision have the same relations
    if precision == Precision::F32 {
        let ops = [EntityKind::Face, EntityKind::Cell].into_iter().flat_map(Op::of_top);
        let patches = |&op: &Op| patches::variant(op, SUM.text, 2 * ATTRIBUTE, precision);
        all.extend(ops.map(patches));
    }
    all
}

impl DeviceQuery {
    /// Compiles an operator over the rows of `op`: CUDA C++ as `kernels/query/query.cuh` says.
    /// `words`: the size of its structure `Arguments` in 8 bytes, 2 for an attribute and 1 for a
    /// number.
    ///
    /// # Errors
    /// [`Error::Request`] with the compiler's words if it does not compile, if the structure has
    /// another size, or if the mesh has no such query.
    pub fn operator(&self, op: Op, text: &str, words: usize) -> Result<Operator> {
        self.compiled(op, text, words, Precision::F32)
    }

    pub(in crate::backend::cuda) fn compiled(
        &self,
        op: Op,
        text: &str,
        words: usize,
        precision: Precision,
    ) -> Result<Operator> {
        op.check_of(self.mesh.top())?;
        let (variant, kernel) = match self.patches {
            Some(_) => (patches::variant(op, text, words, precision), "visit_patches"),
            None => (variant(op, text, words, precision), "visit_rows"),
        };
        self.steps.functions.get(&variant, kernel)?;
        Ok(Operator { op, variant, words })
    }

    /// An operator that sums an attribute of width 1 over the rows of `op`: arguments are the
    /// attribute of the elements in the rows, and the attribute of the elements that have them.
    ///
    /// # Errors
    /// [`Error::Request`] if the mesh has no such query.
    pub fn sum<T: Real>(&self, op: Op) -> Result<Operator> {
        self.compiled(op, SUM.text, 2 * ATTRIBUTE, T::PRECISION)
    }

    /// Visits every element with its row; returns the seconds that it took on the device, where
    /// the results stay. Stores the rows if they are not there, but for
    /// [`QueryStrategy::Patches`](crate::query::QueryStrategy), which finds them in every visit.
    ///
    /// # Errors
    /// [`Error::Request`] if arguments have another size than the operator's, an attribute is
    /// another mesh's, a row is longer than a patch has room for, or a kernel fails.
    pub fn run(&mut self, operator: &Operator, arguments: &[OperatorArgument<'_>]) -> Result<f64> {
        if self.patches.is_none() {
            self.store(operator.op)?;
        }
        // all that the host prepares comes before the event
        let launch = self.visit(operator, arguments)?;
        let start = timed_event(&self.steps.stream)?;
        self.steps.enqueue(launch.as_slice())?;
        let seconds = self.steps.seconds_since(&start)?;
        if let Some(patches) = &self.patches {
            patches.check(&self.steps, operator.op)?;
        }
        Ok(seconds)
    }

    /// A visit of all elements, whose rows are stored; none if there are no patches.
    pub(in crate::backend::cuda) fn visit(
        &self,
        operator: &Operator,
        arguments: &[OperatorArgument<'_>],
    ) -> Result<Option<Launch>> {
        let Some(patches) = &self.patches else {
            return self.visit_rows(operator, self.stored(operator.op)?, arguments).map(Some);
        };
        let words = self.words(operator, arguments)?;
        patches.visit(&self.steps, operator.op, &operator.variant, words)
    }

    /// A visit of all elements, each with its row of these.
    pub(in crate::backend::cuda) fn visit_rows(
        &self,
        operator: &Operator,
        rows: &StoredRows,
        arguments: &[OperatorArgument<'_>],
    ) -> Result<Launch> {
        let words = self.words(operator, arguments)?;
        let text = operator.variant.text.as_deref().unwrap_or_default();
        let kernels = Kernels::new(&self.steps.functions, operator.variant.clone());
        let arguments = vec![
            rows.words(),
            number(usize::from(self.keeps_starts(&rows.lists, arguments)?)),
            Argument::Words(words.into()),
        ];
        let threads = rows.lists.count.div_ceil(groups(operator.op, text));
        kernels.items("visit_rows", threads, THREADS, arguments)
    }

    /// Whether the device's second cache has room for where rows start and for all arguments, with
    /// a quarter to spare.
    fn keeps_starts(&self, rows: &Lists, arguments: &[OperatorArgument<'_>]) -> Result<bool> {
        let context = &self.steps.functions.device().context;
        let cache = context
            .attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)
            .map_err(failed("the device does not describe itself"))?;
        let bytes: Option<usize> = arguments.iter().map(|argument| argument.bytes).sum();
        let starts = size_of::<u32>() * rows.starts.len();
        Ok(bytes.is_some_and(|bytes| 4 * (starts + bytes) <= 3 * cache as usize))
    }

    /// The arguments of an operator, checked.
    fn words(&self, operator: &Operator, arguments: &[OperatorArgument<'_>]) -> Result<Vec<u64>> {
        for argument in arguments {
            argument.attribute.map_or(Ok(()), |(kind, count)| self.check_attribute(kind, count))?;
        }
        let words: Vec<u64> = arguments.iter().flat_map(|a| a.words.iter().copied()).collect();
        if words.len() != operator.words {
            return Err(Error::request(format!(
                "arguments of {} words for an operator of {}",
                words.len(),
                operator.words
            ))
            .with_help("an attribute has 2 words, a number has 1"));
        }
        Ok(words)
    }
}

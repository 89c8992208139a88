//! Attributes on the device, in the order of a mesh.

use cudarc::driver::DeviceRepr;

use super::DeviceQuery;
use super::steps::{array, number};
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::launch::Argument;
use crate::backend::cuda::driver::sources::ORDER;
use crate::error::{Error, Result};
use crate::topology::order::EntityKind;

/// How the components of an attribute lie in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AttributeLayout {
    /// All components of an element side by side: an array of structures.
    #[default]
    Interleaved,
    /// All elements of a component side by side: a structure of arrays.
    Planar,
}

/// Numbers at the elements of a kind, in the order of a [`DeviceQuery`].
///
/// `T`: `f32`, `f64`, `u32`, `i32` or another type of a multiple of 4 bytes.
#[derive(Debug)]
pub struct Attribute<T> {
    pub(in crate::backend::cuda) kind: EntityKind,
    pub(in crate::backend::cuda) count: usize,
    pub(super) width: usize,
    pub(super) layout: AttributeLayout,
    pub(in crate::backend::cuda) values: Buffer<T>,
}

/// Values in the memory of a device.
struct StridedValues {
    /// Of the first.
    address: u64,
    /// Steps from one element, and from one component, to the next.
    strides: [usize; 2],
}

impl<T> Attribute<T> {
    /// Steps from one element, and from one component, to the next.
    pub(super) fn strides(&self) -> [usize; 2] {
        match self.layout {
            AttributeLayout::Interleaved => [self.width, 1],
            AttributeLayout::Planar => [1, self.count],
        }
    }

    /// Kind of the elements.
    pub fn kind(&self) -> EntityKind {
        self.kind
    }

    /// Number of components.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How components lie in memory.
    pub fn layout(&self) -> AttributeLayout {
        self.layout
    }
}

impl<T: DeviceRepr + Default + Copy> Attribute<T> {
    fn strided(&self) -> StridedValues {
        StridedValues { address: self.values.address(0), strides: self.strides() }
    }
}

impl DeviceQuery {
    /// Brings `values[element * width + component]`, in the ids of the mesh, to the device.
    ///
    /// # Errors
    /// [`Error::Request`] if there is not one row of values for each element, or too little
    /// memory.
    pub fn attribute<T: DeviceRepr + Default + Copy>(
        &self,
        kind: EntityKind,
        width: usize,
        layout: AttributeLayout,
        values: &[T],
    ) -> Result<Attribute<T>> {
        let attribute = self.empty_attribute::<T>(kind, width, layout)?;
        if values.len() != attribute.count * width {
            return Err(Error::request(format!(
                "{} values of width {width} for {} elements",
                values.len(),
                attribute.count
            ))
            .with_help(format!("give one row of values for each {}", kind.name())));
        }
        let given = self.steps.of(values)?;
        let ids = self.order.as_ref().map(|order| &order.originals[kind as usize]);
        let of_mesh = StridedValues { address: given.address(0), strides: [width, 1] };
        self.move_values::<T>(of_mesh, ids, attribute.count, width, attribute.strided())?;
        Ok(attribute)
    }

    /// An attribute of unspecified values.
    ///
    /// # Errors
    /// [`Error::Request`] for a width of 0, values of another size than a multiple of 4 bytes,
    /// more than 2³² values, or too little memory.
    pub fn empty_attribute<T: DeviceRepr + Default + Copy>(
        &self,
        kind: EntityKind,
        width: usize,
        layout: AttributeLayout,
    ) -> Result<Attribute<T>> {
        let count = self.count(kind);
        let too_many = width.checked_mul(count.max(1)).is_none_or(|n| n > u32::MAX as usize);
        if width == 0 || !size_of::<T>().is_multiple_of(4) || too_many {
            return Err(Error::request(format!(
                "an attribute of {width} components of {} bytes for {count} elements",
                size_of::<T>()
            ))
            .with_help("give 1 component or more, of a multiple of 4 bytes, 2^32 values at most"));
        }
        let values = self.steps.empty(width * count)?;
        Ok(Attribute { kind, count, width, layout, values })
    }

    /// The values of an attribute, `[element][component]` by the ids of the mesh, copied to the
    /// host.
    ///
    /// # Errors
    /// [`Error::Request`] if the copy fails, or the attribute is another mesh's.
    pub fn read<T: DeviceRepr + Default + Copy>(&self, attribute: &Attribute<T>) -> Result<Vec<T>> {
        self.check_attribute(attribute.kind, attribute.count)?;
        let (count, width) = (attribute.count, attribute.width);
        let restored = self.steps.empty::<T>(count * width)?;
        let ids = self.order.as_ref().map(|order| &order.new_ids[attribute.kind as usize]);
        let of_mesh = StridedValues { address: restored.address(0), strides: [width, 1] };
        self.move_values::<T>(attribute.strided(), ids, count, width, of_mesh)?;
        restored.read(&self.steps.stream)
    }

    pub(in crate::backend::cuda) fn check_attribute(
        &self,
        kind: EntityKind,
        count: usize,
    ) -> Result<()> {
        if self.count(kind) == count {
            return Ok(());
        }
        Err(Error::request(format!(
            "an attribute of {count} elements for a mesh of {} of that kind ({})",
            self.count(kind),
            kind.name()
        ))
        .with_help("use attributes with the query that made them"))
    }

    /// Copies values of elements `ids` to places of their own: `to[i] = from[ids[i]]`.
    fn move_values<T>(
        &self,
        from: StridedValues,
        ids: Option<&Buffer<u32>>,
        count: usize,
        width: usize,
        to: StridedValues,
    ) -> Result<()> {
        let arguments = vec![
            Argument::Address(from.address),
            number(from.strides[0]),
            number(from.strides[1]),
            ids.map_or(Argument::Address(0), array),
            number(count),
            number(width),
            number(size_of::<T>() / 4),
            Argument::Address(to.address),
            number(to.strides[0]),
            number(to.strides[1]),
        ];
        self.steps.each(&ORDER, "move_values", count, arguments)
    }
}

//! Operators whose material differs from cell to cell.

use std::collections::HashMap;

use super::Operator;
use crate::backend::operations::{ElasticTensor, MatrixForm};
use crate::error::IdKind::Cell;
use crate::error::{Error, Result};

/// An operator with materials by cells: all of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct CellOperators {
    operators: Vec<Operator>,
    forms: Vec<MatrixForm>,
    // of each cell the number of its operator; empty if there is one
    of_cells: Vec<u32>,
}

impl From<Operator> for CellOperators {
    /// The same in all cells.
    fn from(operator: Operator) -> Self {
        Self { operators: vec![operator], forms: vec![operator.form()], of_cells: Vec::new() }
    }
}

impl CellOperators {
    /// Operators of one kind, at least one, and the number of that of each cell.
    ///
    /// # Panics
    /// If there is no operator, they differ in kind, or a number has no operator.
    pub fn new(operators: Vec<Operator>, of_cells: Vec<u32>) -> Self {
        assert!(operators.windows(2).all(|pair| pair[0].name() == pair[1].name()), "one kind");
        let count = operators.len();
        assert!(of_cells.iter().all(|&own| (own as usize) < count) && count > 0, "its number");
        let mut forms: Vec<MatrixForm> = operators.iter().map(|operator| operator.form()).collect();
        // of one kind: isotropic beside anisotropic materials are anisotropic, too
        if forms.iter().any(|form| matches!(form, MatrixForm::Anisotropic(_))) {
            for form in &mut forms {
                if let MatrixForm::Elasticity(lame) = *form {
                    *form = MatrixForm::Anisotropic(ElasticTensor::isotropic(lame));
                }
            }
        }
        Self { operators, forms, of_cells }
    }

    /// The same with orthotropic materials along other axes, cell by cell of as many as `cells`:
    /// axis 1, and another vector of the plane of axes 1 and 2; as they are where there are none.
    ///
    /// # Errors
    /// [`Error::Request`] that names a cell whose vectors are 0, parallel or no numbers.
    pub fn along(
        &self,
        cells: usize,
        vectors: impl Fn(usize) -> Option<[[f64; 3]; 2]>,
    ) -> Result<Self> {
        let mut operators: Vec<Operator> = Vec::new();
        let mut numbers: HashMap<(usize, [[u64; 3]; 3]), u32> = HashMap::new();
        let mut of_cells = Vec::with_capacity(cells);
        for cell in 0..cells {
            let number = self.number(cell as u32);
            let mut operator = self.operators[number];
            let mut key = (number, [[0; 3]; 3]);
            if let (Operator::Orthotropic(material), Some(vectors)) = (&mut operator, vectors(cell))
            {
                *material = material.along(vectors).ok_or_else(|| {
                    let [a, b] = vectors;
                    Error::request(message!(
                        Cell.id(cell as u32),
                        format!(" has no material axes: {a:?} and {b:?} are 0 or parallel")
                    ))
                    .with_help(
                        "give a vector along axis 1, and another one in the plane of axes 1 and 2",
                    )
                })?;
                key.1 = material.axes.map(|axis| axis.map(f64::to_bits));
            }
            of_cells.push(*numbers.entry(key).or_insert_with(|| {
                operators.push(operator);
                operators.len() as u32 - 1
            }));
        }
        Ok(Self::new(operators, of_cells))
    }

    /// Unknowns of a vertex.
    pub fn width(&self) -> usize {
        self.operators[0].width()
    }

    /// The operator of a cell.
    pub fn of(&self, cell: u32) -> Operator {
        self.operators[self.number(cell)]
    }

    /// The operator, if it is the same in all cells.
    pub fn uniform(&self) -> Option<Operator> {
        (self.operators.len() == 1).then(|| self.operators[0])
    }

    /// As [`Operator::check`].
    ///
    /// # Errors
    /// As [`Operator::check`].
    pub fn check(&self) -> Result<()> {
        self.operators.iter().copied().try_for_each(Operator::check)
    }

    /// What is integrated in a cell: of one kind in all.
    pub(crate) fn form(&self, cell: u32) -> &MatrixForm {
        &self.forms[self.number(cell)]
    }

    fn number(&self, cell: u32) -> usize {
        if self.operators.len() == 1 { 0 } else { self.of_cells[cell as usize] as usize }
    }
}

//! Operators whose material differs from cell to cell.

use super::Operator;
use crate::backend::operations::MatrixForm;
use crate::error::Result;

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
        let forms = operators.iter().map(|operator| operator.form()).collect();
        Self { operators, forms, of_cells }
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

    pub(super) fn form(&self, cell: u32) -> &MatrixForm {
        &self.forms[self.number(cell)]
    }

    fn number(&self, cell: u32) -> usize {
        if self.operators.len() == 1 { 0 } else { self.of_cells[cell as usize] as usize }
    }
}

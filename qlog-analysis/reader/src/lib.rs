//! Reads blocks of quiche's qlog into columns, for the Python package `qlog-analysis`, which can do without.

mod columns;
mod event;
mod json;

pub use columns::{read, Column, Columns};

#[cfg(feature = "python")]
#[pyo3::pymodule]
mod qlog_analysis_reader {
    use pyo3::prelude::*;
    use pyo3::types::{PyBytes, PyDict};

    use crate::Column;

    /// Of what `columns` returns; qlog-analysis uses no other.
    #[pymodule_export]
    const INTERFACE: u32 = 1;

    /// Columns of a block by group and name, as bytes; and its latest time in ms.
    #[pyfunction]
    fn columns<'py>(py: Python<'py>, block: &[u8]) -> PyResult<(Bound<'py, PyDict>, f64)> {
        let (groups, end) = crate::read(block).named();
        let out = PyDict::new(py);
        for (group, columns) in groups {
            let named = PyDict::new(py);
            for (name, column) in columns {
                named.set_item(name, bytes(py, &column)?)?;
            }
            out.set_item(group, named)?;
        }
        Ok((out, end))
    }

    fn bytes<'py>(py: Python<'py>, column: &Column) -> PyResult<Bound<'py, PyBytes>> {
        match column {
            Column::Numbers(values) => of_eight(py, values, |v| v.to_ne_bytes()),
            Column::Reals(values) => of_eight(py, values, |v| v.to_ne_bytes()),
            Column::Bytes(values) => Ok(PyBytes::new(py, values)),
        }
    }

    fn of_eight<'py, T: Copy>(
        py: Python<'py>,
        values: &[T],
        of: fn(T) -> [u8; 8],
    ) -> PyResult<Bound<'py, PyBytes>> {
        PyBytes::new_with(py, values.len() * 8, |out| {
            for (place, &value) in out.chunks_exact_mut(8).zip(values) {
                place.copy_from_slice(&of(value));
            }
            Ok(())
        })
    }
}

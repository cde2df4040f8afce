//! Support vector machines in the words of other programs.
//!
//! One neutral form, [`SupportMachine`], is what LIBSVM's `svm_model` holds; [`libsvm`] reads and writes the text files of
//! LIBSVM, [`onnx`] writes a graph for programs that only predict. Everything here is a function of bytes and of that form:
//! what trains a machine, and what a Mercer model makes of one, stands in `model`.
//!
//! ```
//! use mercer::interchange::{StandardKernel, libsvm};
//! let text = "svm_type epsilon_svr\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 1\nrho -1\nSV\n0.25 1:3 \n";
//! let machine = libsvm::read(text.as_bytes(), "small.model".as_ref())?;
//! assert_eq!(machine.kernel, StandardKernel::Rbf { gamma: 0.5 });
//! assert_eq!(machine.kernel.formula()?.to_string(), "rbf(length_scale=1)");
//! assert_eq!(libsvm::write(&machine)?, text);
//! # Ok::<(), mercer::Error>(())
//! ```

mod kernel;
pub mod libsvm;
mod machine;
pub mod onnx;
mod protobuf;

pub use kernel::StandardKernel;
pub use machine::{MachineKind, SupportMachine, SupportVectors};

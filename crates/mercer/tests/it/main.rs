//! The one integration binary: other libraries' numbers, laws and bad input.

mod data;

"""An independent judge of what Mercer says of expressions in x and y; see README.md."""

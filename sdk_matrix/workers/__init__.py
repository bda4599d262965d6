"""One folder a language. A worker program depends on its SDK and its language's standard library alone."""

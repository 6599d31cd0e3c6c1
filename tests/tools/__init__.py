"""Public tools that judge the API from outside: a fuzzer, a linter."""

"""How well the search answers, measured on questions written from the asker's side: `make eval`."""

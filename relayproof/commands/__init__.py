"""One module a command. `relayproof.cli` names them in a table."""

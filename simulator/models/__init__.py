"""What surrounds the relay in the search: SDK processes, their database, the network, hosts and the relay's store."""

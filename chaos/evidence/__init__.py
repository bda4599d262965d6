"""What a fleet's run leaves behind: the status log of triggers in the system database, and the workers' step ledger."""

from chaos.evidence.postgres import PostgresStore
from chaos.evidence.sqlite import SqliteStore
from chaos.evidence.store import Store, promises

__all__ = ["PostgresStore", "SqliteStore", "Store", "promises"]

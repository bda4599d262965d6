"""``python -m relayproof``."""

from relayproof.cli import main

if __name__ == "__main__":
    main()

"""ROB: crowds, hostile clients, kills at any moment."""

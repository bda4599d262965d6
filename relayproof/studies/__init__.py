"""How the answers of `simulator.studies` are shown: a terminal table, CSV, SVG and PNG files, one HTML page."""

"""The defects, one small file each, by the family of the clause that they break."""

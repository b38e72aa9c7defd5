"""How results look: tables, HTML, wording and colours; every number is formatted here."""

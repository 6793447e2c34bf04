"""Model files: kinds of fields, schema, messages, reading and writing."""

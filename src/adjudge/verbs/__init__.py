"""What a user asks for: one module a verb."""

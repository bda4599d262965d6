"""MSG: one clause a message type: the request's form, and the way of the answer's values into the API."""

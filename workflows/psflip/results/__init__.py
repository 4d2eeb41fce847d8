"""Reading and handing over results."""

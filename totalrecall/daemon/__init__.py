"""The service: it watches, keeps time, and runs the jobs. They do the same as the commands do."""

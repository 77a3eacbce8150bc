"""CPU time, memory, large crawls and bad inputs."""

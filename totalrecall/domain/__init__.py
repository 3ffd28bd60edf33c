"""The frozen types everybody speaks. Pure."""

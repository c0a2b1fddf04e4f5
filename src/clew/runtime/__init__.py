"""What every part runs on; today, its configuration."""

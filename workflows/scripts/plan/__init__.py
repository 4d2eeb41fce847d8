"""What a campaign takes."""

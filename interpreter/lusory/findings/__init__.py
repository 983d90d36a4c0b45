"""What commands found, before it takes any form."""

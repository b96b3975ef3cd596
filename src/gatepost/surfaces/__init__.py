"""Who asks: every door into Gatepost, none with a rule of its own."""

"""How often `qlog-analysis check` finds a controller that was broken on purpose, and accuses an honest one."""

from qlog_analysis.cli import main

raise SystemExit(main())

"""Reports of results for programs and browsers: JSON, SARIF, JUnit, GitHub and HTML."""

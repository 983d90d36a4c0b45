"""Write results as JSON, SARIF, JUnit XML, GitHub workflow commands and HTML."""

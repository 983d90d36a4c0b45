"""The full screen: draws what a seat is shown, and sends what it decides and asks. Imported only once it is used."""

"""What the book links to outside: is it still there, and does a web archive hold a copy?"""

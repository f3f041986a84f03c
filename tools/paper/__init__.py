"""The book on paper and for readers' devices, made from the built site: ``make paper``.

One PDF of all pages, an EPUB, and a sheet for each chapter. Nothing is computed or written here
that is not in the site, so whatever the site keeps back (the solutions of a course) is kept back
here too.
"""

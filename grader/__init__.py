"""Build, run, score and report the units of the workbook.

The grader knows no CUDA. It finds a unit (units), builds it (build), starts a judge a
step (judge), reads the records (records), gives points (score), keeps the attempt
(store) and shows it (terminal, report, gradebook). Every module may import those named
before it, and none of those after it.
"""

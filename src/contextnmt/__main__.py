from contextnmt.cli import main

main()

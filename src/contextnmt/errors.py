"""The one exception that a user is meant to read."""


class UserError(Exception):
    """Something the user can mend: a file, a key, a setting.

    The message says what is wrong, where (file, line, key) and what to do about it. The command
    line prints it without a traceback and exits with status 2; every other exception is a bug.
    """

"""Chinese, which has no blanks between words: jieba puts them in, and a text for readers has none.

The tokenizer of Moses parts words at blanks and punctuation alone, so that a clause of Chinese
would be one word.
"""

import importlib.util
import re
from collections.abc import Callable

from contextnmt.errors import UserError

#: Languages in Chinese characters: Cantonese and Mandarin.
UNSPACED = ("yue", "zh")

#: Chinese characters, and marks of punctuation that sacremoses takes for letters.
HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
MARKS = "\u3001-\u303f"

#: Runs that jieba segments. Of what stands between, it would cut 1,234 to pieces.
RUN = re.compile(f"[{HAN}]+|[{MARKS}]")

#: A blank beside a Chinese character or a mark that Chinese text has without: · — ‘ ’ “ ” … （ ）
WIDE = f"[{HAN}{MARKS}\u00b7\u2014\u2018-\u201d\u2026\uff01-\uff60]"
BLANK = re.compile(f"(?<={WIDE}) | (?={WIDE})")


def check_segmentable(language: str) -> None:
    """Raises UserError for Cantonese, of which jieba has no dictionary, and if jieba is missing."""
    if language != "zh":
        raise UserError(
            f"the words of the language {language!r} have no spaces between them, and nothing here "
            f"segments it: segment the text yourself and name {language} in text.segmented"
        )
    if not importlib.util.find_spec("jieba"):
        raise UserError(
            "jieba, which segments Chinese, is not installed: `pip install jieba` where the jobs "
            "run; or, if spaces part the words already, name zh in text.segmented"
        )


def segmenter(language: str) -> Callable[[str], str]:
    """A function that puts blanks around the words and the marks of a Chinese text.

    Raises UserError if the language cannot be segmented (`check_segmentable`).
    """
    check_segmentable(language)
    import jieba

    words = jieba.Tokenizer()
    # jieba itself prefers a cache among the temporary files, whatever version wrote it.
    words.FREQ, words.total = words.gen_pfdict(words.get_dict_file())
    words.initialized = True
    return lambda text: RUN.sub(lambda run: f" {' '.join(words.cut(run[0]))} ", text)


def joined(text: str) -> str:
    """A detokenized Chinese text without the blanks that Chinese does not have."""
    return BLANK.sub("", text)

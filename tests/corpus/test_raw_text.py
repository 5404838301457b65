import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextnmt.corpus.archive import segments
from contextnmt.errors import UserError

#: Laid out as the test sets of WMT are.
FILE = """<refset setid="newstest2014" srclang="any" trglang="fr">
<doc sysid="ref" docid="1-bbc" genre="news" origlang="en">
<hl>
<seg id="1">R&amp;D: 1 &lt; 2 &#8211; &quot;oui&quot;</seg>
</hl>
<p>
  <SEG id="2" >  Deux\tblancs \r</SEG>
<seg id="3">Une phrase
qui va
  plus loin.</seg><seg id="4"></seg>
<seg
id="5">lost: its mark is on two lines</seg>
</p>
</doc>
</refset>
"""


def test_segments_are_taken_line_by_line() -> None:
    assert list(segments(FILE, "f.sgm")) == [
        'R&D: 1 < 2 – "oui"',
        "Deux blancs",
        "Une phrase qui va plus loin.",
        "",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("&amp;lt;", "&lt;"),  # decoded once
        ("AT&T &copy; &param=1 &amp", "AT&T &copy; &param=1 &amp"),
        ("l&apos;&#233;t&#xE9;&#10;b&#x2028;c", "l'été b c"),
        ("&#xD800; &#0; &#99999999;", "\ufffd \ufffd &#99999999;"),
    ],
)
def test_entities_are_decoded_once_and_only_those_of_xml(text: str, expected: str) -> None:
    assert list(segments(f"<seg>{text}</seg>", "f.sgm")) == [expected]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_what_was_marked_up_comes_back_on_as_many_lines(texts: list[str]) -> None:
    escaped = (t.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") for t in texts)
    file = "<doc>\n" + "".join(f'<seg id="{n}">{t}</seg>\n' for n, t in enumerate(escaped))
    assert list(segments(file, "f.sgm")) == [" ".join(text.split()) for text in texts]


@pytest.mark.parametrize(
    "file", ["<doc>\n<seg id=1>one\n<seg id=2>two</seg>", "<doc>\n<seg id=1>one\n</doc>"]
)
def test_a_segment_without_an_end_is_named(file: str) -> None:
    with pytest.raises(UserError, match=r"f\.sgm, line 2: a <seg> without </seg>"):
        list(segments(file, "f.sgm"))

"""The `model` block of a system: the architecture."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationInfo, field_validator
from pydantic.dataclasses import dataclass

from contextnmt.configuration.values import KEYS, Count, Flag, read


@dataclass(frozen=True, config=KEYS)
class ContextualizerSettings:
    """The bag-of-words network that gates the embeddings (Choi et al. 2017, sec. 3.3, A11)."""

    layers: Annotated[tuple[Count, ...], Field(min_length=1)]
    """Sizes of its tanh layers; the last one is the size C of the context vector."""
    end_of_sentence: Flag = False
    """Whether the end-of-sentence token counts among the words averaged."""
    table: Literal["own", "shared"] = "own"
    """Input of its first layer. own: the one-hot word, as in "c^x = 1/T sum_t NN(1(w_t))" (eq.
    5), so the layer is a table of |V| x layers[0] with a bias. shared: the source embedding, as in
    a later paper of the authors. At the papers' sizes the contextualizer has 32.2 million
    parameters with own and 2.9 million with shared."""


@dataclass(frozen=True, config=KEYS)
class SmootherSettings:
    """Context-aware smoothing: a network makes a word's vector from the words around it (Chen et
    al. 2017, a reconstruction, A43)."""

    network: Literal["fcwm", "ccwm"]
    """The feed-forward (fcwm) or the convolutional (ccwm) network of the paper."""
    words: Literal["unknown", "all"]
    """unknown: the smoothed vector replaces the vector of an unknown word. all: it also stands
    beside the vector of every word, which doubles the input."""
    decoder: Flag = False
    """Whether target words are smoothed too, by the words before them."""
    window: Count = 2
    """Words on either side of a source word that the network reads, the paper's n; ccwm needs 2 or
    more. The decoder reads twice as many words before a target word."""

    @field_validator("window")
    @classmethod
    def spanned(cls, window: int, info: ValidationInfo) -> int:
        """Refuse a window that the filters do not fit into."""
        if info.data.get("network") == "ccwm" and window < 2:
            raise ValueError("at least 2 with ccwm, whose filters span three words; fcwm takes any")
        return window


@dataclass(frozen=True, config=KEYS)
class ModelSettings:
    """Sizes and parts of a model; the defaults are those of Choi et al. 2017 (A6, A36, A37)."""

    embedding: Count = 620
    """Size of a word's vector, on both sides."""
    hidden: Count = 1000
    """Units of the recurrent network, in each direction of the encoder and in the decoder."""
    alignment: Count = 2000
    """Hidden units of the attention's feed-forward network (A37), if there is attention."""
    maxout: Count = 500
    """Maxout units between decoder state and softmax."""
    contextualizer: ContextualizerSettings | None = None
    """The bag-of-words network that gates the embeddings (sec. 3.3, A11), in the systems with
    `context`."""
    dropout: Annotated[float, Field(strict=True, ge=0, lt=1)] = 0.0
    """Share of units dropped in training; the papers name none."""
    initialisation: Literal["gaussian", "glorot"] = "gaussian"
    """Weights before training: gaussian is the papers', glorot suits short trainings."""
    cell: Literal["lstm", "gru"] = "lstm"
    """The recurrent unit: lstm (A36), or gru, Bahdanau's, with the biases of the authors' code
    (A7)."""
    attention: Flag = True
    """Whether the decoder attends to all states of a bidirectional encoder. false: it sees only the
    last state of a forward encoder (RNN Encoder-Decoder)."""
    readout_rank: Count | None = None
    """Size of a linear layer between maxout and softmax, which makes the softmax one of low rank
    (A8); null: no such layer."""
    smoother: SmootherSettings | None = None
    """Context-aware smoothing (Chen et al. 2017, A43); null: none."""


def model_settings(block: Mapping[str, Any]) -> ModelSettings:
    """The settings of a `model` block. Raises UserError if a key or a value is not allowed."""
    return read(ModelSettings, "model", block)


def recorded_settings(block: Mapping[str, Any]) -> ModelSettings:
    """The settings in the model.json of a training; raises UserError likewise.

    Before the key `table` was there, the contextualizer had the table of the source.
    """
    part = block.get("contextualizer") if isinstance(block, Mapping) else None
    if isinstance(part, Mapping):
        block = {**block, "contextualizer": {"table": "shared", **part}}
    return model_settings(block)


def beyond_page(model: ModelSettings) -> list[str]:
    """The parts of a model that `report/try_it.js` cannot compute, in words."""
    parts = {
        "a GRU": model.cell != "lstm",
        "no attention": not model.attention,
        "a smoother": model.smoother is not None,
    }
    return [part for part, is_there in parts.items() if is_there]

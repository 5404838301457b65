"""The layers in slow, obvious NumPy, written straight from the equations: one sentence, one word
at a time, vectors alone."""

import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def within(w, name):
    """The weights of the part `name`, under their names in it."""
    return {key[len(name) + 1 :]: a for key, a in w.items() if key.startswith(f"{name}.")}


def linear(w, name, x):
    return w[f"{name}.weight"] @ x + w.get(f"{name}.bias", 0.0)


def embedding(w, word):
    return w["weight"][word] + w.get("bias", 0.0)


def gru_step(w, x, h, c=0.0, c_z=0.0, c_r=0.0):
    """Bahdanau et al. 2015, A.1.1; `c`, `c_z` and `c_r` are what a context adds (A.2.2)."""
    W_z, W_r = np.split(w["gates.weight"], 2)
    U_z, U_r = np.split(w["recurrent_gates.weight"], 2)
    U = w["recurrent_candidate.weight"]
    z = sigmoid(W_z @ x + U_z @ h + c_z)
    r = sigmoid(W_r @ x + U_r @ h + c_r)
    new = np.tanh(w["candidate.weight"] @ x + w["candidate.bias"] + U @ (r * h) + c)
    return (1 - z) * h + z * new


def gru(w, xs):
    h = np.zeros(w["cell.candidate.weight"].shape[0])
    states = []
    for x in xs:
        h = gru_step(within(w, "cell"), x, h)
        states.append(h)
    return states


def lstm(w, xs):
    """Gates in torch's order: input, forget, candidate, output."""
    h = c = np.zeros(w["weight_hh_l0"].shape[1])
    states = []
    for x in xs:
        gates = w["weight_ih_l0"] @ x + w["bias_ih_l0"] + w["weight_hh_l0"] @ h + w["bias_hh_l0"]
        i, f, g, o = np.split(gates, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        states.append(h)
    return states


NETWORKS = {"lstm": lstm, "gru": gru}


def bidirectional(w, xs, cell):
    """Annotations h_j = [forward h_j : backward h_j], and backward h_1."""
    forward = NETWORKS[cell](within(w, f"forward_{cell}"), xs)
    backward = NETWORKS[cell](within(w, f"backward_{cell}"), xs[::-1])[::-1]
    return [np.concatenate(pair) for pair in zip(forward, backward, strict=True)], backward[0]


def last_state(w, xs, cell):
    """RNN Encoder-Decoder: the last forward state, as the one annotation and as the summary."""
    last = NETWORKS[cell](within(w, f"forward_{cell}"), xs)[-1]
    return [last], last


def attention(w, s, annotations):
    """c_i and alpha_i. Without weights, as in RNN Encoder-Decoder, c_i is the one annotation."""
    if not w:
        [last] = annotations
        return last, None
    W_a, U_a, v_a = w["query.weight"], w["key.weight"], w["energy.weight"][0]
    energies = [v_a @ np.tanh(W_a @ s + U_a @ h) for h in annotations]
    alpha = np.exp(energies) / np.exp(energies).sum()
    return sum(a * h for a, h in zip(alpha, annotations, strict=True)), alpha


def lstm_decoder_step(w, memory, y, context):
    """Gates in the order input, forget, output, candidate."""
    s, c = memory
    gates = linear(w, "word", y) + linear(w, "context", context) + linear(w, "recurrent", s)
    i, f, o, g = np.split(gates, 4)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def gru_decoder_step(w, memory, y, context):
    C, C_z, C_r = np.split(w["context.weight"], 3)
    return (gru_step(within(w, "cell"), y, *memory, C @ context, C_z @ context, C_r @ context),)


DECODERS = {"lstm": lstm_decoder_step, "gru": gru_decoder_step}


def decoder_start(w, summary, cell):
    s = np.tanh(linear(w, "initial", summary))
    return (s, np.zeros_like(s)) if cell == "lstm" else (s,)


def readout(w, s, previous, context):
    """The logits of all words."""
    t = linear(w, "state", s) + linear(w, "word", previous) + linear(w, "context", context)
    t = np.array([max(t[j], t[j + 1]) for j in range(0, len(t), 2)])
    if "output.0.weight" in w:
        return linear(w, "output.1", linear(w, "output.0", t))
    return linear(w, "output", t)


def contextualizer(w, words, xs, end_of_sentence=False):
    """The source and the target gate of Choi et al. 2017, eq. (5), of the ids `words` with the
    source embeddings `xs`."""
    vectors, depth = [], sum(name.startswith("layers.") for name in w) // 2  # weight and bias
    pairs = list(zip(words, xs, strict=True))
    for word, x in pairs if end_of_sentence else pairs[:-1]:
        if "embedding.weight" in w:  # a table of its own: W 1(w) + b
            one_hot = np.eye(len(w["embedding.weight"]))[word]
            x = np.tanh(w["embedding.weight"].T @ one_hot + w["embedding.bias"])
        for layer in range(depth):
            x = np.tanh(linear(w, f"layers.{layer}", x))
        vectors.append(x)
    c = sum(vectors) / len(vectors)
    return [sigmoid(linear(w, f"{side}_gate", c)) for side in ("source", "target")]


def fcwm(w, context):
    """Chen et al. 2017, eqs. (2) and (3); `context` lists the vectors v_{j-n} .. v_{j+n}."""
    return np.tanh(linear(w, "words", np.concatenate(context)))


def ccwm(w, u):
    """Chen et al. 2017, eqs. (5) to (9), k = 3."""
    k = 3
    maps = [
        np.tanh(linear(w, "filters", np.concatenate(u[i : i + k]))) for i in range(len(u) - k + 1)
    ]
    pools = [np.maximum(maps[i], maps[i + 1]) for i in range(0, len(maps), 2)]
    return np.tanh(linear(w, "pooled", sum(pools) / len(pools)))


SMOOTHERS = {"fcwm": fcwm, "ccwm": ccwm}


def smoothed(w, vectors, unknown, settings, places):
    """The vectors that the recurrent network reads; `places(j)` are those of the context of j."""
    found = []
    for j, v in enumerate(vectors):
        border = w["border_embedding"][0]
        context = [vectors[i] if 0 <= i < len(vectors) else border for i in places(j)]
        V = SMOOTHERS[settings.network](within(w, "network"), context)
        v = V if unknown[j] else v
        found.append(np.concatenate([v, V]) if settings.words == "all" else v)
    return found


def smoothed_source(w, vectors, unknown, settings):
    n = settings.window
    around = [*range(-n, 0), *range(1, n + 1)]
    return smoothed(w, vectors, unknown, settings, lambda j: [j + i for i in around])


def smoothed_target(w, vectors, unknown, settings):
    n = settings.window
    return smoothed(w, vectors, unknown, settings, lambda j: range(j - 2 * n, j))

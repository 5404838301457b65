// Trained systems in the page: a sentence through the stages of the workflow, in the order of its
// modules, and what a reader sees of them. Rules and names are those of the Python code, which is
// named at each part; a test holds both against each other.
"use strict";

// ---------- weights: translation/browser_model.py

/** The bytes of a base64 text. */
function bytesOf(text) {
  const decoded = atob(text);
  const bytes = new Uint8Array(decoded.length);
  for (let place = 0; place < bytes.length; place += 1) bytes[place] = decoded.charCodeAt(place);
  return bytes;
}

/** A matrix: `rows` x `columns` numbers, row by row; a vector has one row. */
class Matrix {
  constructor(rows, columns, numbers) {
    Object.assign(this, { rows, columns, numbers });
  }

  /** From 8-bit integers, and the scale of each row. */
  static read({ shape, integers, scales, numbers }) {
    const [rows, columns] = shape.length === 2 ? shape : [1, shape[0]];
    if (numbers) return new Matrix(rows, columns, new Float32Array(bytesOf(numbers).buffer));
    const found = new Float32Array(rows * columns);
    const small = new Int8Array(bytesOf(integers).buffer);
    const large = new Float32Array(bytesOf(scales).buffer);
    for (let place = 0; place < found.length; place += 1)
      found[place] = small[place] * large[Math.floor(place / columns)];
    return new Matrix(rows, columns, found);
  }

  row(number) {
    return this.numbers.subarray(number * this.columns, (number + 1) * this.columns);
  }

  /** The product with a vector, added to a copy of `before`, another vector, if there is one. */
  times(vector, before) {
    const { rows, columns, numbers } = this;
    const found = before ? Float32Array.from(before) : new Float32Array(rows);
    for (let row = 0, place = 0; row < rows; row += 1) {
      let sum = 0;
      for (let column = 0; column < columns; column += 1, place += 1)
        sum += numbers[place] * vector[column];
      found[row] += sum;
    }
    return found;
  }
}

const sigmoid = number => 1 / (1 + Math.exp(-number));
const product = (left, right) => left.map((number, place) => number * right[place]);

// ---------- tokens: corpus/tokenize.py, which is the tokenizer of Moses

const INVISIBLE = new RegExp(
  "^[\\s\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f"
  + "\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0"
  + "\\ufff9-\\ufffb\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]*$", "u");
const WHITE = /[\s\x1c-\x1f\x85]+/u;
const CHUNK_END = / (?<![.'\x00-\x1f] )(?![,'\x00-\x1f])/u;

class Tokenizer {
  /** `classes`: letters, digits and so on as parts of regular expressions; `prefixes`: what a period
      does not part from, `numeric` before a number alone. */
  constructor({ language, classes, prefixes, numeric }) {
    const { alnum, alpha, number, lower } = classes;
    const made = (pattern, by) => [new RegExp(pattern, "gu"), by];
    const apart = side => [
      made(`([^${alpha}])'([^${alpha}])`, "$1 ' $2"),
      made(side === "fr" ? `([^${alpha}])'([${alpha}])` : `([^${alpha}${number}])'([${alpha}])`,
        "$1 ' $2"),
      made(`([${alpha}])'([^${alpha}])`, "$1 ' $2"),
      made(`([${alpha}])'([${alpha}])`, side === "fr" ? "$1' $2" : "$1 '$2"),
      ...(side === "fr" ? [] : [made(`([${number}])'(s)`, "$1 '$2")]),
    ];
    this.first = [made("\\s+", " "), made("[\\x00-\\x1f]", "")];
    this.special = made(`([^${alnum}\\s.'\`,\\-])`, " $1 ");
    this.second = [
      made(`([^${number}]),`, "$1 , "), made(`,([^${number}])`, " , $1"),
      made(`([${number}]),$`, "$1 , "),
      ...(language === "en" ? apart("en")
        : ["fr", "it"].includes(language) ? apart("fr") : [made("'", " ' ")]),
    ];
    this.alphabetic = new RegExp(`[${alpha}]`, "u");
    this.lower = new RegExp(`^[${lower}]`, "u");
    [this.prefixes, this.numeric] = [new Set(prefixes), new Set(numeric)];
  }

  /** The tokens of a sentence. */
  tokens(text) {
    if (INVISIBLE.test(text)) return [];
    const words = text.replaceAll("\ufeff", "").split(WHITE).filter(Boolean);
    return words.join(" ").split(CHUNK_END).flatMap(chunk => this.chunk(chunk));
  }

  chunk(text) {
    for (const [pattern, by] of this.first) text = text.replace(pattern, by);
    text = text.trim().replace(...this.special);
    text = text.replace(/\.{2,}/g, (dots, place) =>
      ` ${"DOT".repeat(dots.length)}MULTI${place + dots.length < text.length ? " " : ""}`);
    for (const [pattern, by] of this.second) text = text.replace(pattern, by);
    text = this.periods(text).replace(/\.' ?$/u, " . ' ");
    text = text.replace(/(?:DOT)+MULTI/g, dots => ".".repeat((dots.length - 5) / 3));
    return text.split(WHITE).filter(Boolean);
  }

  /** A period parts from its word, unless the word is an abbreviation. */
  periods(text) {
    const tokens = text.split(WHITE).filter(Boolean);
    return tokens.map((token, place) => {
      const prefix = /^(\S+)\.$/u.exec(token)?.[1];
      const after = tokens[place + 1];
      const stays = prefix === undefined
        || (prefix.includes(".") && this.alphabetic.test(prefix))
        || (this.prefixes.has(prefix) && !this.numeric.has(prefix))
        || (after !== undefined && this.lower.test(after))
        || (this.numeric.has(prefix) && after !== undefined && /^[0-9]/.test(after));
      return stays ? token : `${prefix} .`;
    }).join(" ");
  }
}

// ---------- pieces: text/pieces.py

const JOIN = "^^";
const SYMBOL = /<([NSC])>_[0-9]+/g;
const ESCAPED = /^\\*\^\^/;
const DIGIT = /\p{Nd}/u;
const NUMBER_RUN = /(\p{Nd}+(?:[.,]\p{Nd}+)*)/u;

function splitPieces(tokens) {
  return tokens.map(token => (ESCAPED.test(token) ? `\\${token}` : token)).flatMap(token => {
    if (!DIGIT.test(token) || /^(\p{L}+|\p{Nd}+)$/u.test(token)) return [token];
    const written = token.replace(/(<[NSC]>)(?=\\*_\p{Nd})/gu, "$1\\");
    return written.split(NUMBER_RUN).filter(Boolean).map((part, place) => (place ? JOIN : "") + part);
  });
}

function joinPieces(pieces) {
  const joined = [];
  let open = false;
  for (const piece of pieces) {
    if (piece.startsWith(JOIN) && open) {
      joined[joined.length - 1] += piece.slice(JOIN.length);
      continue;
    }
    const escaped = piece.startsWith("\\") && ESCAPED.test(piece);
    const text = piece.startsWith(JOIN) ? piece.slice(JOIN.length) : piece.slice(escaped ? 1 : 0);
    open = text !== "";
    if (open) joined.push(text);
  }
  return joined.map(withoutSymbols).filter(Boolean);
}

/** A token less its symbols, and less the backslashes in what only looks like one. */
function withoutSymbols(token) {
  if (token.search(SYMBOL) >= 0) {
    token = token.replace(SYMBOL, "").replace(/^ +| +$/g, "");
    if (token.search(SYMBOL) >= 0) token = token.replaceAll("<", "");
  }
  return token.replace(/(<[NSC]>)\\(?=\\*_\p{Nd})/gu, "$1");
}

// ---------- names and numbers of a source: text/names.py, rates.py, symbols.py

/** Word lists and limits of these modules, as `browser-model` writes them; the same for all systems. */
const RULES = {};
const [OTHER, FUNCTION, CAPITALIZED, CAPITALS] = [0, 1, 2, 3];
const letters = text => Array.from(text);
const isUpper = text => /^\p{Uppercase}/u.test(text);
const isAlpha = text => /^\p{L}+$/u.test(text);
const allUpper = text => /\p{Uppercase}/u.test(text) && !/[\p{Lowercase}\p{Lt}]/u.test(text);
const withoutMark = piece => (piece.startsWith(JOIN) ? piece.slice(JOIN.length) : piece);

/** Pieces from `start` to before `stop`, less the last `rest` characters. */
class Span {
  constructor(start, stop, rest = 0) {
    Object.assign(this, { start, stop, rest });
  }

  text(pieces) {
    const covered = letters(withoutMark(pieces.slice(this.start, this.stop).join(" ")));
    return covered.slice(0, covered.length - this.rest).join("");
  }
}

function wordClass(word) {
  if (RULES.function_words.has(word)) return FUNCTION;
  if (!isUpper(word) || WHITE.test(word)) return OTHER;
  return /\p{Lowercase}/u.test(word) ? CAPITALIZED : CAPITALS;
}

function opensSentence(pieces, place) {
  const before = place ? withoutMark(pieces[place - 1]) : "";
  if (["'", "’"].includes(before) && place > 1 && RULES.elided.has(pieces[place - 2].toLowerCase()))
    return false;
  return RULES.sentence_openers.has(before) || !pieces.slice(0, place).some(piece => /\p{L}/u.test(piece));
}

function isAbbreviation(word) {
  const parts = word.slice(0, -1).split(".");
  if (parts.length === 1)
    return letters(word).length === 2 || !(isAlpha(parts[0]) && allUpper(parts[0]));
  return Math.max(...parts.map(part => letters(part).length)) <= RULES.abbreviated;
}

/** How many characters at the end of a word are no part of a name. */
function tailLength(text) {
  if (!/[-.]/.test(text)) return 0;
  const word = letters(text);
  let end = word.length;
  const last = word[end - 1];
  if (end > 1 && (last === "-" || (last === "." && !isAbbreviation(text)))) end -= 1;
  for (;;) {
    const hyphen = word.slice(0, end).lastIndexOf("-");
    if (hyphen <= 0 || !/^\p{Lowercase}/u.test(word[hyphen + 1] ?? "")) return word.length - end;
    end = hyphen;
  }
}

/** Where an upper-case letter begins a piece. */
function capitalsOf(pieces) {
  const searched = pieces.slice(0, RULES.searched_pieces);
  return searched.flatMap((piece, place) => (isUpper(piece) ? [place] : []));
}

/** The capitalized words with only function words between them, from left to right. */
function capitalizedRuns(pieces) {
  const runs = [];
  let free = 0;
  for (const start of capitalsOf(pieces)) {
    if (start < free) continue;
    const run = [];
    for (let place = start; place < Math.min(pieces.length, start + RULES.phrase_words); place += 1) {
      const kind = wordClass(pieces[place]);
      if (kind === OTHER || (run.length && run.at(-1).rest)) break;
      if (kind !== FUNCTION) run.push(new Span(place, place + 1, tailLength(pieces[place])));
    }
    if (run.length) {
      free = run.at(-1).stop;
      runs.push(run);
    }
  }
  return runs;
}

/** The names of a sentence: within a run, each maximal row of words that are symbols. */
function probableNames(pieces, isSymbol) {
  const names = [];
  for (const run of capitalizedRuns(pieces)) {
    let position = opensSentence(pieces, run[0].start) ? "opening" : "first";
    let row = [];
    const end = () => {
      if (!row.length) return;
      const span = new Span(row[0].start, row.at(-1).stop, row.at(-1).rest);
      const named = span.text(pieces).split(" ");
      if (named.some(word => word && wordClass(word) === CAPITALIZED)) names.push(span);
      row = [];
    };
    for (const span of run) {
      const marked = isSymbol(span.text(pieces), position);
      if (marked) row.push(span);
      else end();
      position = marked ? "symbol" : "text";
    }
    end();
  }
  return names;
}

/** The acronyms outside the spans `taken`. */
function candidateAcronyms(pieces, taken) {
  return capitalsOf(pieces).flatMap(place => {
    const rest = tailLength(pieces[place]);
    const word = new Span(place, place + 1, rest).text(pieces);
    const capitals = word.replace(/[.-]/g, "");
    const is = letters(capitals).length > 1 && isUpper(word) && isAlpha(capitals) && allUpper(capitals);
    const free = !taken.some(span => span.start <= place && place < span.stop);
    return is && free ? [new Span(place, place + 1, rest)] : [];
  });
}

/** The number runs of a sentence; blanks may stand between the groups of a number if `grouped`. */
function numberSpans(pieces, grouped) {
  const spans = [];
  let free = 0;
  pieces.forEach((piece, start) => {
    if (start < free || !/\p{Nd}$/u.test(piece)) return;
    free = start + 1;
    if (grouped && /^(?:\^\^)?\p{Nd}{1,3}$/u.test(piece))
      while (free < pieces.length && /^\p{Nd}{3}(?:,\p{Nd}+)?$/u.test(pieces[free])) {
        free += 1;
        if (pieces[free - 1].includes(",")) break;
      }
    spans.push(new Span(start, free));
  });
  return spans;
}

const ORDINAL = /^\^\^(?:st|nd|rd|th)(-centur(?:y|ies))?$/iu;

/** Does the number before piece `after` count a century, which French writes in Roman numerals? */
function isCentury(pieces, after) {
  const following = pieces.slice(after, after + RULES.near);
  const found = ORDINAL.exec(following[0] ?? "");
  if (!found) return false;
  if (found[1]) return true;
  for (const piece of following.slice(1)) {
    if (["century", "centuries"].includes(piece)) return true;
    if (!(RULES.between.has(piece) || /\p{Nd}$/u.test(piece) || ORDINAL.test(piece))) return false;
  }
  return false;
}

/** How likely a capitalized word is a symbol: text/rates.py. */
class Rates {
  constructor(rows, counts) {
    this.counts = new Map(counts);
    [this.inPosition, this.ofWord, this.ofEnding] = [new Map(), new Map(), new Map()];
    for (const [word, position, symbol, text] of rows) {
      this.inPosition.set(`${word}\t${position}`, [symbol, symbol + text]);
      this.add(this.ofWord, this.wordKey(word, position), symbol, symbol + text);
    }
    for (const [word, position, symbol, text] of rows)
      if (this.ofWord.get(this.wordKey(word, position))[1] <= RULES.rare)
        for (const ending of this.endings(word, position))
          this.add(this.ofEnding, ending, symbol, symbol + text);
  }

  add(sums, key, symbol, seen) {
    const before = sums.get(key) ?? [0, 0];
    sums.set(key, [before[0] + symbol, before[1] + seen]);
  }

  wordKey(word, position) {
    return `${word}\t${position === "acronym"}`;
  }

  endings(word, position) {
    const count = text => this.counts.get(text) ?? 0;
    const lower = count(word.toLowerCase()) > count(word);
    const all = letters(word);
    const sizes = RULES.endings.filter(size => size < all.length);
    return sizes.map(size => `${position}\t${lower}\t${all.slice(all.length - size).join("")}`);
  }

  probability(word, position) {
    const share = ([symbol, seen] = [0, 0], assumed, weight) =>
      (symbol + weight * assumed) / (seen + weight);
    let estimate = RULES.unseen;
    for (const ending of this.endings(word, position))
      estimate = share(this.ofEnding.get(ending), estimate, RULES.ending_weight);
    estimate = share(this.ofWord.get(this.wordKey(word, position)), estimate, RULES.word_weight);
    return share(this.inPosition.get(`${word}\t${position}`), estimate, RULES.word_weight);
  }
}

class Symbolizer {
  constructor(told) {
    Object.assign(this, told);
    for (const [name, rule] of Object.entries(told.rules))
      RULES[name] = Array.isArray(rule) && typeof rule[0] === "string" ? new Set(rule) : rule;
    this.known = new Rates(told.rates, told.counts);
    this.targets = new Map(told.targets.map(([kind, source, target]) => [`${kind}\t${source}`, target]));
  }

  /** The tokens with symbols, and the source and target surface of each symbol. */
  symbolize(tokens) {
    const pieces = splitPieces(tokens);
    const isSymbol = (word, position) => this.known.probability(word, position) >= this.threshold;
    const numbers = numberSpans(pieces, this.grouped)
      .filter(span => !(this.centuries && isCentury(pieces, span.stop)));
    const names = probableNames(pieces, isSymbol);
    const acronyms = candidateAcronyms(pieces, names)
      .filter(span => isSymbol(span.text(pieces), "acronym"));
    const named = [];
    [["N", numbers], ["S", names], ["C", acronyms]].forEach(([kind, spans]) =>
      spans.slice(0, RULES.limit).forEach((span, place) => named.push([`<${kind}>_${place + 1}`, span])));
    named.sort(([, left], [, right]) => left.start - right.start);
    const replaced = [];
    let free = 0;
    for (const [name, span] of named) {
      replaced.push(...pieces.slice(free, span.start));
      replaced.push((pieces[span.start].startsWith(JOIN) ? JOIN : "") + name);
      const last = letters(pieces[span.stop - 1]);
      if (span.rest) replaced.push(JOIN + last.slice(last.length - span.rest).join(""));
      free = span.stop;
    }
    replaced.push(...pieces.slice(free));
    const symbols = named.map(([name, span]) => {
      const source = span.text(pieces);
      return { name, source, target: this.surface(name[1], source) };
    });
    return { tokens: replaced, symbols };
  }

  surface(kind, source) {
    const ruled = this.targets.get(`${kind}\t${source}`);
    if (ruled !== undefined) return ruled;
    return kind === "N" && this.formats ? this.reformat(source) : source;
  }

  reformat(number) {
    const [source, target] = this.formats;
    const quoted = text => text.replace(/[.]/, "\\.");
    const group = quoted(source.group);
    const found = new RegExp(
      `^(\\p{Nd}{1,3}(?:${group}\\p{Nd}{3})+|\\p{Nd}+)(?:${quoted(source.decimal)}(\\p{Nd}+))?$`, "u",
    ).exec(number);
    if (!found) return number;
    const whole = found[1].replaceAll(source.group, target.group);
    return found[2] === undefined ? whole : `${whole}${target.decimal}${found[2]}`;
  }
}

/** text/restore.py: symbols become their surfaces, others go, pieces join. */
function restoreTokens(tokens, symbols) {
  const surfaces = new Map(symbols.map(({ name, target }) => [name, target]));
  return joinPieces(tokens.map(token => {
    const text = token.replace(SYMBOL, name => surfaces.get(name) ?? "");
    return text === JOIN && token !== JOIN ? "" : text;
  }));
}

// ---------- subwords: text/bpe.py, text/subwords.py

const SEPARATOR = "@@";

class Subwords {
  constructor(merges, longest) {
    this.longest = longest;
    this.ranks = new Map();
    merges.forEach((pair, rank) => this.ranks.has(pair) || this.ranks.set(pair, rank));
  }

  cut(tokens) {
    return tokens.flatMap(token => {
      if (/^(?:\^\^)?<[NSC]>_[0-9]+$/.test(token)) return [token];
      const escaped = token.replace(/@(\u2060*)(?=@)/g, "@$1\u2060");
      const parts = letters(token).length > this.longest ? [escaped] : this.word(escaped);
      return parts.map((part, place) => part + (place < parts.length - 1 ? SEPARATOR : ""));
    });
  }

  word(text) {
    let parts = letters(text);
    if (parts.length === 1) return parts;
    parts[parts.length - 1] += "</w>";
    while (parts.length > 1) {
      let [best, rank] = [null, Infinity];
      for (let place = 0; place + 1 < parts.length; place += 1) {
        const pair = `${parts[place]} ${parts[place + 1]}`;
        if ((this.ranks.get(pair) ?? Infinity) < rank) [best, rank] = [pair, this.ranks.get(pair)];
      }
      if (best === null) break;
      const merged = [];
      for (let place = 0; place < parts.length; place += 1) {
        const fits = place + 1 < parts.length && `${parts[place]} ${parts[place + 1]}` === best;
        merged.push(fits ? parts[place] + parts[(place += 1)] : parts[place]);
      }
      parts = merged;
    }
    const last = parts.at(-1);
    return last === "</w>" ? parts.slice(0, -1) : [...parts.slice(0, -1), last.replace(/<\/w>$/, "")];
  }

  undo(tokens) {
    const joined = [];
    const unescape = word => word.replace(/@(\u2060*)\u2060(?=@)/g, "@$1");
    let beginning = "";
    for (const token of tokens) {
      if (token.endsWith(SEPARATOR)) beginning += token.slice(0, -SEPARATOR.length);
      else [joined[joined.length], beginning] = [unescape(beginning + token), ""];
    }
    return beginning ? [...joined, unescape(beginning)] : joined;
  }
}

// ---------- the model: model/translator.py

const [EOS, UNK] = [1, 2];

class Vocabulary {
  constructor(list) {
    this.spelt = ["<pad>", "</s>", "UNK", ...list];
    this.ids = new Map(list.map((word, place) => [word, place + 3]));
  }

  encode(tokens) {
    return tokens.map(token => this.ids.get(token) ?? UNK);
  }
}

/** A step of an LSTM; the rows of `gates` are those of its parts in this `order`. */
function lstm(gates, cell, order) {
  const size = cell.length;
  const [into, forget, out, candidate] = order.map(place => gates.subarray(place * size));
  const after = new Float32Array(size);
  const state = new Float32Array(size);
  for (let unit = 0; unit < size; unit += 1) {
    after[unit] = sigmoid(forget[unit]) * cell[unit] + sigmoid(into[unit]) * Math.tanh(candidate[unit]);
    state[unit] = sigmoid(out[unit]) * Math.tanh(after[unit]);
  }
  return { state, cell: after };
}

class Model {
  constructor({ weights, settings }) {
    this.settings = settings;
    this.weights = Object.fromEntries(
      Object.entries(weights).map(([name, found]) => [name, Matrix.read(found)]));
  }

  /** A layer of the model: matrix times vector, plus its bias if it has one. */
  layer(name, vector, before) {
    const { [`${name}.weight`]: matrix, [`${name}.bias`]: bias } = this.weights;
    const found = matrix.times(vector, before ?? bias?.numbers);
    return before && bias ? found.map((number, place) => number + bias.numbers[place]) : found;
  }

  /** Source and target gate of a sentence; null without contextualizer. */
  gates(ids) {
    const settings = this.settings.contextualizer;
    if (!settings) return null;
    const { "contextualizer.embedding.weight": table, "contextualizer.embedding.bias": bias }
      = this.weights;
    const counted = settings.end_of_sentence ? ids : ids.slice(0, Math.max(ids.length - 1, 1));
    const depth = settings.layers.length - (table ? 1 : 0);
    let mean = null;
    for (const id of counted) {
      let vector = this.weights["source_embedding.weight"].row(id);
      if (table) vector = table.row(id).map((number, place) => Math.tanh(number + bias.numbers[place]));
      for (let layer = 0; layer < depth; layer += 1)
        vector = this.layer(`contextualizer.layers.${layer}`, vector).map(Math.tanh);
      mean ??= new Float32Array(vector.length);
      vector.forEach((number, place) => { mean[place] += number / counted.length; });
    }
    return ["source_gate", "target_gate"].map(
      side => this.layer(`contextualizer.${side}`, mean).map(sigmoid));
  }

  /** Read a source sentence, whose ids end with end-of-sentence. */
  encode(ids) {
    const gates = this.gates(ids);
    const table = this.weights["source_embedding.weight"];
    const read = ids.map(id => (gates ? product(table.row(id), gates[0]) : table.row(id)));
    const way = (name, vectors) => {
      const { [`${name}.weight_ih_l0`]: entering, [`${name}.weight_hh_l0`]: recurrent,
        [`${name}.bias_ih_l0`]: one, [`${name}.bias_hh_l0`]: other } = this.weights;
      const bias = one.numbers.map((number, place) => number + other.numbers[place]);
      let state = new Float32Array(recurrent.columns);
      let cell = new Float32Array(recurrent.columns);
      return vectors.map(vector => {
        const inputs = recurrent.times(state, entering.times(vector, bias));
        ({ state, cell } = lstm(inputs, cell, [0, 1, 3, 2]));
        return state;
      });
    };
    const forward = way("encoder.forward_lstm", read);
    const backward = way("encoder.backward_lstm", [...read].reverse()).reverse();
    const annotations = forward.map((state, place) => Float32Array.of(...state, ...backward[place]));
    const state = this.layer("decoder.initial", backward[0]).map(Math.tanh);
    return {
      gates,
      annotations,
      keys: annotations.map(vector => this.weights["attention.key.weight"].times(vector)),
      start: { state, cell: new Float32Array(state.length),
        previous: new Float32Array(table.columns) },
    };
  }

  /** Log-probabilities of the next word, its context and its attention weights. */
  predict({ state, previous }, { keys, annotations }) {
    const query = this.weights["attention.query.weight"].times(state);
    const energy = this.weights["attention.energy.weight"].numbers;
    const scores = keys.map(key => {
      let sum = 0;
      for (let unit = 0; unit < energy.length; unit += 1)
        sum += energy[unit] * Math.tanh(query[unit] + key[unit]);
      return sum;
    });
    const largest = Math.max(...scores);
    const shares = scores.map(score => Math.exp(score - largest));
    const total = shares.reduce((sum, share) => sum + share, 0);
    const attention = shares.map(share => share / total);
    const context = new Float32Array(annotations[0].length);
    annotations.forEach((vector, place) => {
      for (let unit = 0; unit < context.length; unit += 1)
        context[unit] += attention[place] * vector[unit];
    });
    let pieces = this.layer("readout.state", state);
    pieces = this.layer("readout.word", previous, pieces);
    pieces = this.layer("readout.context", context, pieces);
    const features = new Float32Array(pieces.length / 2);
    for (let unit = 0; unit < features.length; unit += 1)
      features[unit] = Math.max(pieces[2 * unit], pieces[2 * unit + 1]);
    const logs = this.weights["readout.output.weight"] ? this.layer("readout.output", features)
      : this.layer("readout.output.1", this.layer("readout.output.0", features));
    const most = logs.reduce((found, number) => Math.max(found, number), -Infinity);
    let sum = 0;
    for (const number of logs) sum += Math.exp(number - most);
    const norm = most + Math.log(sum);
    return { logs: logs.map(number => number - norm), context, attention };
  }

  /** The state after a word, which `context` predicted. */
  advance({ state, cell }, word, context, { gates }) {
    const embedded = this.weights["target_embedding.weight"].row(word);
    const previous = gates ? product(embedded, gates[1]) : embedded;
    let inputs = this.layer("decoder.word", previous);
    inputs = this.layer("decoder.context", context, inputs);
    inputs = this.layer("decoder.recurrent", state, inputs);
    return { ...lstm(inputs, cell, [0, 1, 2, 3]), previous };
  }
}

// ---------- beam search: translation/beam.py

/** The translations that a beam ends, best first: all, or as far as the best one is sure. */
function search(model, ids, width, least, every = false) {
  const encoded = model.encode(ids);
  const [shortest, longest] = [Math.floor(ids.length * least), 3 * ids.length];
  let open = [{ state: encoded.start, score: 0, ids: [], attention: [] }];
  let slots = width;
  const found = [];
  for (let step = 1; ; step += 1) {
    const candidates = [];
    open.forEach((hypothesis, number) => {
      const predicted = model.predict(hypothesis.state, encoded);
      if (step <= shortest) predicted.logs[EOS] = -Infinity;
      Object.assign(hypothesis, { predicted });
      const scores = predicted.logs.map(log => hypothesis.score + log);
      for (const word of bestOf(scores, width)) candidates.push([scores[word], number, word]);
    });
    candidates.sort(([left], [right]) => right - left);
    const going = [];
    for (const [score, number, word] of candidates.slice(0, slots)) {
      if (score === -Infinity) continue;
      const { state, ids: before, attention, predicted } = open[number];
      const next = { score, attention: [...attention, predicted.attention] };
      if (word === EOS) found.push({ ...next, ids: before, finished: true });
      else {
        const after = () => model.advance(state, word, predicted.context, encoded);
        going.push({ ...next, ids: [...before, word], after });
      }
    }
    slots = width - found.length;
    if (step >= longest && !found.length && going.length) found.push({ ...going[0], finished: false });
    const ended = every ? -Infinity : Math.max(-Infinity, ...found.map(({ score }) => score));
    if (step >= longest || slots <= 0 || !going.length || going[0].score <= ended) break;
    open = going.map(({ after, ...kept }) => ({ ...kept, state: after() }));
  }
  found.sort((left, right) => right.score - left.score);
  return { encoded, found };
}

/** The places of the `count` largest numbers, largest first, of equal ones the first. */
function bestOf(numbers, count) {
  const best = [];
  for (let place = 0; place < numbers.length; place += 1) {
    if (best.length === count && numbers[place] <= numbers[best[count - 1]]) continue;
    let at = best.length;
    while (at && numbers[best[at - 1]] < numbers[place]) at -= 1;
    best.splice(at, 0, place);
    best.length = Math.min(best.length, count);
  }
  return best;
}

// ---------- a system: translation/run_file.py, own_text.py

class System {
  /** `told`: what `contextnmt browser-model` wrote. */
  constructor(told) {
    this.told = told;
    this.tokenizer = new Tokenizer(told.tokenizer);
    this.symbolizer = told.symbols && new Symbolizer(told.symbols);
    this.subwords = told.merges && new Subwords(told.merges, told.longest_word);
    this.source = new Vocabulary(told.vocabularies.source);
    this.target = new Vocabulary(told.vocabularies.target);
    this.model = new Model(told);
  }

  /** A sentence in the view of the system. */
  write(text) {
    const plain = this.tokenizer.tokens(text);
    const written = this.symbolizer ? this.symbolizer.symbolize(plain) : { tokens: plain, symbols: [] };
    const tokens = this.subwords ? this.subwords.cut(written.tokens) : written.tokens;
    return { words: plain, tokens, symbols: written.symbols, ids: this.source.encode(tokens) };
  }

  restore(tokens, symbols) {
    const whole = this.subwords ? this.subwords.undo(tokens) : tokens;
    return this.symbolizer ? restoreTokens(whole, symbols) : whole;
  }

  /** The translation of a sentence, and all that led to it; null for a sentence without words. */
  translate(text, width) {
    const written = this.write(text);
    if (!written.tokens.length) return null;
    const tried = every => {
      const searched = search(
        this.model, [...written.ids, EOS], width, this.told.minimum_length, every);
      const spelt = searched.found.map(found => {
        const target = found.ids.map(id => this.target.spelt[id]);
        return { ...found, target, restored: this.restore(target, written.symbols) };
      });
      return { ...searched, all: spelt, left: spelt.filter(({ restored }) => restored.length) };
    };
    let searched = tried(false);
    let best = searched.left[0] ?? (searched = tried(true)).left[0];
    best ??= { ...searched.all[0], restored: written.words, copied: true };
    return { ...written, ...best, encoded: searched.encoded };
  }
}

// ---------- what a reader sees

/** An element with attributes and children. */
function made(name, attributes = {}, ...children) {
  const space = ["svg", "path", "line"].includes(name) ? "http://www.w3.org/2000/svg" : null;
  const element = space ? document.createElementNS(space, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (value !== null && value !== undefined) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const percent = share => `${Math.round(100 * share)} %`;

/** Tokens as buttons, of which one is chosen; unknown words and symbols look different. */
function tokenButtons({ tokens, symbols, ids }, chosen, choose) {
  const surfaces = new Map(symbols.map(({ name, source }) => [name, source]));
  return tokens.map((token, place) => {
    const surface = surfaces.get(withoutMark(token));
    const about = surface ?? (ids[place] === UNK ? "unknown word" : null);
    const button = made("button", {
      type: "button", title: about, "aria-label": about && `${token}, ${about}`, class: ids[place] === UNK ? "unknown" : surface && "symbol",
      "aria-pressed": place === chosen,
    }, token);
    button.addEventListener("click", () => choose(place));
    return button;
  });
}

/** The attention as a table: a row for each target token, a column for each source token. */
function heatMap(source, target, attention, say) {
  const head = made("tr", {}, made("td"), ...source.map(
    token => made("th", { scope: "col" }, made("span", {}, token))));
  const body = target.map((token, row) => made("tr", {}, made("th", { scope: "row" }, token),
    ...source.map((_, column) => made("td", {
      tabindex: row || column ? -1 : 0,
      style: `--weight: ${attention[row][column].toFixed(3)}`,
      "aria-label": percent(attention[row][column]),
    }))));
  const table = made("table", { class: "heat" }, made("caption", {}, "Attention"),
    made("thead", {}, head), made("tbody", {}, ...body));
  const cell = (row, column) => body[row]?.cells[column + 1];
  const placeOf = element => {
    const found = element.closest("tbody td");
    return found && [found.parentNode.sectionRowIndex, found.cellIndex - 1];
  };
  const point = ([row, column]) => {
    for (const other of table.querySelectorAll(".pointed")) other.classList.remove("pointed");
    for (const each of [cell(row, -1), head.cells[column + 1], cell(row, column)])
      each.classList.add("pointed");
    say(`“${target[row]}” attends to “${source[column]}” with ${percent(attention[row][column])}`);
  };
  for (const event of ["pointerover", "focusin"])
    table.addEventListener(event, ({ target: element }) => {
      const place = placeOf(element);
      if (place) point(place);
    });
  table.addEventListener("keydown", event => {
    const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const place = placeOf(event.target);
    const [down, right] = moves[event.key] ?? [];
    const next = place && down !== undefined && cell(place[0] + down, place[1] + right);
    if (!next || next.tagName !== "TD") return;
    event.preventDefault();
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
  return table;
}

/** Bars of some values, with marks where they were before, in a drawing with a name. */
function bars(values, before, least, name) {
  const high = 1 - least;
  const x = place => (place * 100) / values.length;
  const y = value => ((1 - value) * 40) / high;
  const width = 80 / values.length;
  const box = (from, to, place) =>
    `M${x(place).toFixed(2)} ${y(from).toFixed(2)}V${y(to).toFixed(2)}h${width.toFixed(2)}V${y(from).toFixed(2)}z`;
  const drawing = made("svg", { viewBox: "0 0 100 40", preserveAspectRatio: "none", role: "img",
    "aria-label": name });
  drawing.append(made("line", { x1: 0, x2: 100, y1: y(0), y2: y(0), class: "zero" }));
  drawing.append(made("path", { class: "bar", d: Array.from(values, (v, i) => box(0, v, i)).join("") }));
  if (before) {
    const mark = (value, place) => `M${x(place).toFixed(2)} ${y(value).toFixed(2)}h${width.toFixed(2)}`;
    drawing.append(made("path", { class: "before", d: Array.from(before, mark).join("") }));
  }
  return drawing;
}

const average = values => values.reduce((sum, value) => sum + value, 0) / values.length;

/** One of the two systems, side by side. */
class Tried {
  constructor(element, load, options, chosen, changed) {
    Object.assign(this, { load, word: 0, text: null, now: null, before: null });
    this.choice = made("select", { "aria-label": "System" }, ...options.map((label, place) =>
      made("option", { value: place, selected: place === chosen ? "" : null }, label)));
    this.choice.addEventListener("change", () => {
      this.choose(this.choice.value);
      changed(this);
    });
    this.found = made("div");
    this.said = made("p", { class: "said", "aria-live": "polite" });
    element.replaceChildren(this.choice, this.found);
  }

  /** Take another system, whose masks are not to be compared with those of the one before. */
  choose(value) {
    this.choice.value = value;
    this.text = this.now = this.before = null;
  }

  get system() {
    return this.load(Number(this.choice.value));
  }

  show(text, width) {
    const tell = message => this.found.replaceChildren(made("p", {}, message));
    try {
      const { length } = this.system.write(text).tokens;
      if (length > LONGEST) return tell(`${length} tokens; at most ${LONGEST} are translated here.`);
      const answer = this.system.translate(text, width);
      if (!answer) return tell("No words in it.");
      // Masks are of the sentence, so another search changes nothing.
      if (text !== this.text) this.before = this.now;
      [this.text, this.now] = [text, answer.encoded.gates];
      this.word = Math.min(this.word, answer.tokens.length - 1);
      return this.draw(answer);
    } catch (error) {
      return tell(`This browser cannot translate it: ${error.message}`);
    }
  }

  draw(answer) {
    const { source_language: source, target_language: target } = this.system.told;
    const symbols = answer.symbols.map(({ name, source: from, target: to }) =>
      `${name}: ${from}${from === to ? "" : ` → ${to}`}`);
    const choose = word => {
      this.word = word;
      this.draw(answer);
      this.found.querySelectorAll(".tokens button")[word].focus();
    };
    const heads = [[...answer.tokens, "<end>"], [...answer.target, ...(answer.finished ? ["<end>"] : [])]];
    this.said.textContent = "Point at the attention, or move in it with the arrow keys.";
    this.found.replaceChildren(
      made("p", { class: "translation", lang: target }, answer.restored.join(" ")),
      made("p", { class: "notes" }, `log-probability ${answer.score.toFixed(3).replace("-", "−")}`
        + (answer.finished ? "" : ", cut off at the length limit")
        + (answer.copied ? "; nothing is left of any translation: these are the source's words" : "")),
      made("p", { class: "tokens", lang: source }, ...tokenButtons(answer, this.word, choose)),
      ...(symbols.length ? [made("p", { class: "notes" }, symbols.join("; "))] : []),
      made("div", { class: "scroll", role: "group", tabindex: "0", "aria-label": "Attention" },
        heatMap(...heads, answer.attention, text => { this.said.textContent = text; })),
      this.said,
      ...this.masks(answer),
    );
  }

  /** The two masks of the sentence, and the chosen word's vector before and after its mask. */
  masks({ tokens, ids, encoded: { gates } }) {
    if (!gates) return [made("p", { class: "notes" }, "No contextualizer: no masks.")];
    const vector = this.system.model.weights["source_embedding.weight"].row(ids[this.word]);
    const largest = Math.max(...vector.map(Math.abs)) || 1;
    const shown = product(vector, gates[0]).map(value => value / largest);
    const token = tokens[this.word];
    const drawn = (name, values, before, least) => made("figure", { class: "bars" },
      made("figcaption", {}, name), bars(values, before, least, name));
    const of = (side, gate, before) => drawn(
      `Mask of the ${side} words, mean ${average(gate).toFixed(3)}`
        + (before ? `; lines: that of the sentence before, ${average(before).toFixed(3)}` : ""),
      gate, before, 0);
    return [
      of("source", gates[0], this.before?.[0]),
      of("target", gates[1], this.before?.[1]),
      drawn(`Vector of “${token}” with its mask; lines: without`, shown,
        vector.map(value => value / largest), -1),
    ];
  }
}

/** Tokens of a sentence at most: a search takes a second for 60 of them and a small model. */
const LONGEST = 60;

/** Fill a section of the page, once it is opened. */
function fill(section) {
  const stored = [...section.querySelectorAll("script[type='application/json']")];
  const systems = [];
  const load = place => (systems[place] ??= new System(JSON.parse(stored[place].textContent)));
  const labels = stored.map(({ dataset }) => dataset.label);
  const [typed, chosen] = section.querySelectorAll("input[type=text], .chosen");
  const form = section.querySelector("form");
  // A large model takes seconds: not at each pause of a typing reader.
  const large = load(0).target.spelt.length > 5000;
  let waiting = 0;
  const show = (...some) => {
    clearTimeout(waiting);
    const greedy = form.elements["try-beam"]?.value === "1";
    for (const side of some.length ? some : sides)
      side.show(typed.value, greedy ? 1 : side.system.told.beam);
  };
  const languageOf = side => side.system.told.source_language;
  const offer = side => {
    const { sentences } = side.system.told;
    chosen.replaceChildren(...sentences.map(text => made("option", { value: text }, text)));
    [typed.value] = sentences;
  };
  /** Both sides read one sentence: one of another language takes the other side along. */
  const changed = side => {
    const others = sides.filter(other => languageOf(other) !== languageOf(side));
    if (!others.length) return show(side);
    for (const other of others) other.choose(side.choice.value);
    offer(side);
    return show();
  };
  const sides = [...section.querySelectorAll(".side")].map(
    (element, place) => new Tried(element, load, labels, place, changed));
  offer(sides[0]);
  typed.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => show(), large ? 2000 : 250);
  });
  chosen.addEventListener("change", () => {
    typed.value = chosen.value;
    show();
  });
  form.addEventListener("change", ({ target }) => { if (target.type === "radio") show(); });
  form.addEventListener("submit", event => { event.preventDefault(); show(); });
  if (sides.some(side => languageOf(side) !== languageOf(sides[0]))) changed(sides[0]);
  else show();
}

if (typeof document !== "undefined")
  for (const section of document.querySelectorAll("#try-it details"))
    section.addEventListener("toggle", () => fill(section), { once: true });

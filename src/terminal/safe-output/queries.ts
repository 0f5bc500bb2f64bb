/**
 * Which control sequences make a terminal send a reply as if it were typed. The rules follow xterm, with the additions
 * of kitty, iTerm2, tmux and others. Each function gets the part between the introducer and the end of the sequence.
 */
export type Verdict = 'pass' | 'drop' | { replaceBy: string };

const CSI = /^([<-?]*)([0-9:;]*)([ -/]*)([@-~])$/;

/** By intermediate and final bytes, with any prefix. */
const CSI_QUERIES = new Set(['$p', '$u', '&u', ',u', '$w', '*y', '#R', '#|', "'|", '"v', '+x']);
/** By prefix and final byte. */
const CSI_QUERIES_BY_PREFIX = new Set(['c', '>c', '=c', 'n', '?n', 'x', '>q', '?u', '?S', '?m', '?g']);
/** Parameters of `CSI … t` that report the window, its size or its titles. */
const WINDOW_REPORTS = new Set([11, 13, 14, 15, 16, 18, 19, 20, 21]);
/** The mode in which a terminal reports its size, at once and after each change. */
const SIZE_REPORTS = '2048';

export function judgeCsi(body: string): Verdict {
  const [, prefix, parameters, intermediates, final] = CSI.exec(body) ?? [];
  // Not a known sequence, so it cannot be considered harmless.
  if (final === undefined) return 'drop';
  if (CSI_QUERIES.has(intermediates + final)) return 'drop';
  if (intermediates !== '') return 'pass';
  if (CSI_QUERIES_BY_PREFIX.has(prefix + final)) return 'drop';
  if (final === 't' && prefix === '' && WINDOW_REPORTS.has(Number.parseInt(parameters!, 10))) return 'drop';
  if (final === 'h' && prefix === '?') return withoutSizeReports(parameters!.split(';'));
  return 'pass';
}

function withoutSizeReports(modes: readonly string[]): Verdict {
  const kept = modes.filter((mode) => mode.replace(/^0+/, '') !== SIZE_REPORTS);
  if (kept.length === modes.length) return 'pass';
  return kept.length === 0 ? 'drop' : { replaceBy: `\u001b[?${kept.join(';')}h` };
}

/** Numbers of OSC sequences in which a field `?` queries the value. */
const ASKED_BY_FIELD = new Set([4, 5, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 50, 52, 176]);
/** Other numbers that can query, with the pattern of such a query after the number. */
const ASKED_OTHERWISE: ReadonlyMap<number, RegExp> = new Map([
  [21, /=\?/],
  [22, /^\?/],
  [60, /^/],
  [61, /^/],
  [99, /p=\?/],
  [1337, /^(?:Report|Capabilities|RequestUpload)/],
  [5522, /type=read/],
]);

/** `whole`: the body is complete. Null if it cannot be decided yet. */
export function judgeOsc(body: string, whole: boolean): Verdict | null {
  const numberEnd = body.indexOf(';');
  if (numberEnd < 0 && !whole && /^\d*$/.test(body)) return null;
  const digits = numberEnd < 0 ? body : body.slice(0, numberEnd);
  if (!/^\d+$/.test(digits)) return 'pass';
  const number = Number(digits);
  const rest = numberEnd < 0 ? '' : body.slice(numberEnd + 1);
  const pattern = ASKED_OTHERWISE.get(number);
  if (!pattern && !ASKED_BY_FIELD.has(number)) return 'pass';
  if (!whole) return isLongAndHarmless(number, rest) ? 'pass' : null;
  return (pattern ? pattern.test(rest) : rest.split(';').includes('?')) ? 'drop' : 'pass';
}

/** The two that carry megabytes (clipboard and pictures) can be decided by their beginning. */
function isLongAndHarmless(number: number, rest: string): boolean {
  if (number === 52) return /^[^;?]*;(?:[^?]|\?[^;])/.test(rest);
  return number === 1337 && /^(?:File|MultipartFile|FilePart)/.test(rest);
}

/**
 * Null if it cannot be decided yet. Sequences that tmux would pass through to its outer terminal are dropped, not
 * unwrapped.
 */
export function judgeDcs(body: string, whole: boolean): Verdict | null {
  const header = /^[0-9:;<-?]*([ -/]*[@-~])/.exec(body)?.[1];
  if (header === undefined) return whole ? 'pass' : null;
  if (header === '$q' || header === '+q' || header === '+Q') return 'drop';
  if (header !== 't') return 'pass';
  if (body.startsWith('tmux;')) return 'drop';
  return whole || !'tmux;'.startsWith(body) ? 'pass' : null;
}

/**
 * Kitty graphics (`G`): a terminal acknowledges each, unless it is set to quiet. Only the part before the data is
 * replaced.
 */
export function judgeApc(body: string, whole: boolean): Verdict | null {
  if (body === '' && !whole) return null;
  if (!body.startsWith('G')) return 'pass';
  const headerEnd = body.indexOf(';');
  if (headerEnd < 0 && !whole) return null;
  const header = body.slice(1, headerEnd < 0 ? undefined : headerEnd);
  const settings = header.split(',').filter((setting) => setting !== '');
  if (settings.includes('a=q')) return 'drop';
  const quiet = [...settings.filter((setting) => !setting.startsWith('q=')), 'q=2'];
  return { replaceBy: `\u001b_G${quiet.join(',')}` };
}

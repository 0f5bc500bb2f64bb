import type { TracedStream } from './traced-stream.ts';

export interface StreamGuess {
  stream: TracedStream;
  because: string;
}

/**
 * Guesses the streams of a process's descriptors of unknown origin, from what they wrote, in the order of their first
 * writes. If only one of them writes JSON, it is stdout, because programs print results there and messages on stderr;
 * otherwise the first is stdout and the second stderr, unless the process already writes to that stream.
 */
export function guessStreams(texts: readonly string[], taken: ReadonlySet<TracedStream>): StreamGuess[] {
  const json = texts.map(isJson);
  if (json.filter(Boolean).length === 1 && !taken.has('stdout')) {
    return json.map((isResult) =>
      isResult
        ? { stream: 'stdout', because: 'it alone writes JSON' }
        : { stream: 'stderr', because: 'another descriptor alone writes JSON' },
    );
  }
  const occupied = new Set(taken);
  return texts.map(() => {
    const stream = occupied.has('stdout') && !occupied.has('stderr') ? 'stderr' : 'stdout';
    const because = occupied.size < 2 ? `${stream} was free` : 'no stream was free';
    occupied.add(stream);
    return { stream, because };
  });
}

/** One JSON document, or one per line; an incomplete last line is allowed. */
function isJson(text: string): boolean {
  if (isDocument(text)) return true;
  const lines = text.split('\n');
  lines.pop();
  const printed = lines.filter((line) => line.trim() !== '');
  return printed.length > 0 && printed.every(isDocument);
}

function isDocument(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

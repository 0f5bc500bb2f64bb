import type { OutputStream } from '../../src/protocol/index.ts';

interface Line {
  stream: OutputStream;
  bytes: Buffer;
}

/** Reproducible random numbers, so that a failure can be repeated. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

const DEEP = Buffer.from(
  `{"type":"item.completed","item":{"id":"x","type":"agent_message","text":${'['.repeat(3000)}${']'.repeat(3000)}}}\n`,
);

/** One of the given lines, damaged in a random way; sometimes unchanged. */
export function damageLines(source: readonly Line[], random: () => number): Line {
  const pick = () => source[Math.floor(random() * source.length)]!;
  const { stream, bytes } = pick();
  const at = Math.floor(random() * bytes.length);
  const other = random() < 0.1 ? (stream === 'stdout' ? 'stderr' : 'stdout') : stream;
  const damaged = (): Buffer => {
    switch (Math.floor(random() * 10)) {
      case 0: // A byte is changed.
        return replaced(bytes, at, Math.floor(random() * 256));
      case 1: // It is truncated, and joined with the next line.
        return bytes.subarray(0, at);
      case 2: // Its beginning is missing.
        return bytes.subarray(at);
      case 3: // A part is repeated.
        return Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.floor(at / 2))]);
      case 4: // Half of it is from another line.
        return Buffer.concat([bytes.subarray(0, at), pick().bytes]);
      case 5: // A value has another type.
        return Buffer.from(
          bytes
            .toString('utf8')
            .replace(/:"[^"]*"/, [':7', ':null', ':[]', ':{}', ':true', ':1e999'][Math.floor(random() * 6)]!),
        );
      case 6: // A field has another name.
        return Buffer.from(bytes.toString('utf8').replace(/"(\w+)":/, '"$1x":'));
      case 7: // Ids are all different.
        return Buffer.from(
          bytes
            .toString('utf8')
            .replaceAll(/"(id|callID|tool_id|toolCallId|tool_use_id)":"[^"]*"/g, `"$1":"${random()}"`),
        );
      case 8:
        return random() < 0.02 ? DEEP : bytes;
      default:
        return bytes;
    }
  };
  return { stream: other, bytes: damaged() };
}

function replaced(bytes: Buffer, at: number, value: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = value;
  return copy;
}

import { rawStreamSchema } from '../../../src/protocol/index.ts';
import type { RawTarget } from '../../model/bytes/raw-target.ts';
import { grouped } from '../../model/run-figures.ts';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { selectEvent } from '../../state/select.ts';
import { useModel, useSession } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { linkTo } from './link-to.ts';

const STREAMS = ['stdout', 'stderr', 'pty', 'stdin'] as const;

/** Which stream of which attempt, and which of its bytes: `stdout · attempt 2 · bytes 10 240–10 812 of 88 301`. */
export function RawHead({ target, total, index }: { target: RawTarget; total: number | null; index: number }) {
  const text = useText();
  const session = useSession();
  const { attempts } = useModel();
  const { name, current, seq, ranges } = target;

  function choose(stream: string, attempt: number): void {
    const range = { attempt_number: attempt, stream: rawStreamSchema.parse(stream), byte_from: 0, byte_to: 0 };
    session.view.change({ selection: { kind: 'bytes', range } });
  }

  const hasBytes = current !== null && current.byte_to > current.byte_from;
  return (
    <div className="raw-head">
      <select
        aria-label={text(strings.raw.stream)}
        value={name.stream}
        onChange={({ target: { value } }) => choose(value, name.attempt)}
      >
        {STREAMS.map((stream) => (
          <option key={stream}>{stream}</option>
        ))}
      </select>
      <select
        aria-label={text(strings.raw.attempt)}
        value={name.attempt}
        onChange={({ target: { value } }) => choose(name.stream, Number(value))}
      >
        {[...new Set([...attempts.map(({ number }) => number), name.attempt])].map((number) => (
          <option key={number} value={number}>
            {text(strings.raw.attemptNumber)(number)}
          </option>
        ))}
      </select>
      {total !== null && (
        <span className="bytes small">
          {hasBytes
            ? text(strings.raw.position)(grouped(current.byte_from), grouped(current.byte_to), grouped(total))
            : text(strings.raw.size)(grouped(total))}
        </span>
      )}
      {ranges.length > 1 && <span className="small quiet">{text(strings.raw.rangeOf)(index + 1, ranges.length)}</span>}
      {seq !== null && (
        <button type="button" className="plain small" onClick={() => selectEvent(session, seq, { tab: 'event' })}>
          {text(strings.raw.fromEvent)(seq)}
        </button>
      )}
      {hasBytes && <CopyButton className="small" label={text(strings.raw.linkBytes)} text={() => linkTo(current)} />}
    </div>
  );
}

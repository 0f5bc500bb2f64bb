import { useState } from 'react';
import type { Verification } from '../../../src/record/index.ts';
import { byteSize } from '../../model/bytes/byte-size.ts';
import { SealNotes } from '../../parts/seal-notes.tsx';
import type { ArchiveSource } from '../../source/archive-source.ts';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

const SHAPES = { intact: '✓', changed: '✕', incomplete: '▲' } as const;
/** Further problems add no information. */
const MAX_PROBLEMS = 5;

type State = { phase: 'asked' } | { phase: 'checking' } | { phase: 'done'; result: Verification };

/** Checks the record against its seals, and lists what was checked. */
export function SealCheck({ source }: { source: ArchiveSource }) {
  const text = useText();
  const [state, setState] = useState<State>({ phase: 'asked' });

  async function check() {
    setState({ phase: 'checking' });
    setState({ phase: 'done', result: await source.verify() });
  }

  if (state.phase === 'done') return <Result result={state.result} />;
  return (
    <button type="button" disabled={state.phase === 'checking'} onClick={() => void check()}>
      {text(state.phase === 'checking' ? strings.open.checking : strings.open.check)}
    </button>
  );
}

function Result({ result }: { result: Verification }) {
  const { verdict, problems, checked, keys } = result;
  const text = useText();
  const words = strings.open;
  const shape = <span aria-hidden="true">{SHAPES[verdict]}</span>;
  const counts = [checked.events, checked.files].map((count) => count.toLocaleString('en')) as [string, string];
  if (verdict === 'intact') {
    return (
      <div role="status" className="seal-result" data-verdict={verdict}>
        <p>
          {shape} {text(words.intact)(...counts, byteSize(checked.bytes), keys.join(', '))}
        </p>
        <SealNotes answer={result} />
      </div>
    );
  }
  return (
    <div role="status" className="seal-result" data-verdict={verdict}>
      <p>
        {shape} {text(verdict === 'changed' ? words.changed : words.incomplete)}{' '}
        <span className="bytes">
          {problems
            .slice(0, MAX_PROBLEMS)
            .map(({ path, message }) => `${path}: ${message.replace(/\.$/, '')}`)
            .join('; ')}
        </span>
        {problems.length > MAX_PROBLEMS && ` +${problems.length - MAX_PROBLEMS}`}
      </p>
      <SealNotes answer={result} />
      <p className="quiet">{text(words.checkedSoFar)(...counts, String(checked.signatures))}</p>
    </div>
  );
}

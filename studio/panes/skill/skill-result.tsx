import { useState } from 'react';
import { byteSize } from '../../model/bytes/byte-size.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { download } from '../../parts/controls/download.ts';
import { Problem } from '../../parts/problem.tsx';
import type { SkillResult } from '../../source/run-source.ts';
import { useSession } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { runSkill as words } from '../../text/sections/run-skill.ts';
import { strings } from '../../text/strings.ts';
import { JsonTree } from '../event/json-tree.tsx';
import { useResult } from './use-result.ts';

const MARKS = { valid: '✔', invalid: '✕', unchecked: '–' } as const;

/** The result of a run with a skill: whether it follows the contract, its value and its files. */
export function ResultSection() {
  const text = useText();
  const state = useResult();
  return (
    <section>
      <h3>{text(words.result)}</h3>
      {state.phase === 'pending' && <p className="quiet">{text(words.pending)}</p>}
      {state.phase === 'loading' && <p className="quiet">{text(strings.app.loading)}</p>}
      {state.phase === 'failed' && <Problem error={state.error} />}
      {state.phase === 'ready' && <Result result={state.result} />}
    </section>
  );
}

function Result({ result }: { result: SkillResult }) {
  const text = useText();
  const { payload, payload_from, validity, completion, repair_attempt } = result;
  return (
    <>
      <p className="run-skill-state" data-state={validity.state}>
        <span aria-hidden="true">{MARKS[validity.state]}</span> {text(words.states[validity.state])}
      </p>
      {validity.violations.length > 0 && (
        <ul className="run-skill-list">
          {validity.violations.map(({ path, message }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two may be equal.
            <li key={index}>
              <code>{showUnseen(path) || '/'}</code> {showUnseen(message)}
            </li>
          ))}
        </ul>
      )}
      {completion && (
        <p className="quiet">
          {text(words.completion)}: {completion.state} · <code>{completion.reason_code}</code>
          {repair_attempt !== null && ` · ${text(words.repaired)(repair_attempt)}`}
        </p>
      )}
      {payload_from === null ? (
        <p className="quiet">{text(words.noResult)}</p>
      ) : (
        <>
          <p className="quiet small">
            {payload_from.kind === 'message'
              ? text(words.fromMessage)
              : text(words.fromFile)(showUnseen(payload_from.path))}{' '}
            <CopyButton
              className="plain small"
              label={text(strings.app.copy)}
              text={() => JSON.stringify(payload, null, 2)}
            />
          </p>
          <JsonTree value={payload} />
        </>
      )}
      <Artifacts result={result} />
    </>
  );
}

function Artifacts({ result: { artifacts, skipped_artifacts } }: { result: SkillResult }) {
  const text = useText();
  const { source } = useSession();
  const [error, setError] = useState<Error | null>(null);

  async function save(artifact: SkillResult['artifacts'][number]) {
    setError(null);
    try {
      const bytes = await source.artifact(artifact);
      const type = artifact.mime ?? 'application/octet-stream';
      download(artifact.path.split('/').at(-1)!, new Blob([bytes as BlobPart], { type }));
    } catch (thrown) {
      setError(thrown as Error);
    }
  }

  return (
    <>
      <h3>{text(words.artifacts)}</h3>
      {artifacts.length === 0 && <p className="quiet">{text(words.noArtifacts)}</p>}
      <ul className="run-skill-list">
        {artifacts.map((artifact) => {
          const shown = showUnseen(artifact.path);
          const facts = [artifact.role, byteSize(artifact.bytes)].filter(Boolean).join(' · ');
          const label = text(words.download)(shown);
          return (
            <li key={artifact.path}>
              <bdi className="bytes">{shown}</bdi>
              <span className="quiet small">{facts}</span>
              <button
                type="button"
                className="plain"
                aria-label={label}
                title={label}
                onClick={() => void save(artifact)}
              >
                ⤓
              </button>
            </li>
          );
        })}
        {skipped_artifacts.map(({ path, reason }) => (
          <li key={path} className="quiet">
            {text(words.skipped)(showUnseen(path), showUnseen(reason))}
          </li>
        ))}
      </ul>
      <Problem error={error} />
    </>
  );
}

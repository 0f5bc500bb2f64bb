import './diagnostics-pane.css';
import { useMemo, useState } from 'react';
import { diagnosticsOf } from '../../model/events/diagnostic-groups.ts';
import { Pane } from '../../parts/layout/pane.tsx';
import { useModel, useSession, useView } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { diagnostics as diagnosticTexts } from '../../text/sections/diagnostics.ts';
import { strings } from '../../text/strings.ts';
import { DiagnosticTree } from './diagnostic-tree.tsx';
import { SeverityMark } from './severity-mark.tsx';

const KEY = 'tacho.confidence';
const FIRST_BOUND = 0.7;

/** Diagnostics of the run by code, and events with a confidence below a limit that the user sets. */
export function DiagnosticsPane() {
  const text = useText();
  const { view } = useSession();
  const model = useModel();
  const window = useView((now) => now.window);
  const [below, setBelow] = useState(() => Number(localStorage.getItem(KEY) ?? FIRST_BOUND));
  const [events, messages] = [model.events.length, model.messages.length];
  // biome-ignore lint/correctness/useExhaustiveDependencies: the model is the same object as it grows.
  const found = useMemo(() => diagnosticsOf(model, { window, below }), [model, events, messages, window, below]);
  const { counts, groups, outside } = found;

  return (
    <Pane
      name="diagnostics"
      title={text(strings.tabs.diagnostics)}
      tools={
        <label className="diagnostics-bound small" title={text(diagnosticTexts.belowTitle)}>
          {text(diagnosticTexts.below)}{' '}
          <input
            type="range"
            min={0}
            max={1}
            step={0.05}
            value={below}
            onChange={({ target }) => {
              localStorage.setItem(KEY, target.value);
              setBelow(Number(target.value));
            }}
          />
          <output className="bytes">{below.toFixed(2)}</output>
        </label>
      }
    >
      <div className="diagnostics-pane">
        <p className="diagnostics-counts small">
          <SeverityMark severity="error" count={counts.error} />
          <SeverityMark severity="warning" count={counts.warning} />
          <SeverityMark severity="info" count={counts.info} />
        </p>
        {groups.length > 0 ? (
          <DiagnosticTree groups={groups} below={below} />
        ) : outside > 0 ? (
          <p className="notice">
            {text(diagnosticTexts.noneHere)(outside)}{' '}
            <button type="button" onClick={() => view.change({ window: null })}>
              {text(strings.app.clear)}
            </button>
          </p>
        ) : (
          <p className="notice">{text(diagnosticTexts.none)}</p>
        )}
      </div>
    </Pane>
  );
}

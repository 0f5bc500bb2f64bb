import { useState } from 'react';
import { discSvg } from '../../../../src/record/index.ts';
import { firstRequest, titleOf } from '../../../model/run-title.ts';
import { download } from '../../../parts/controls/download.ts';
import { useClient } from '../../../state/client.tsx';
import { useStore } from '../../../state/store.ts';
import { useSession } from '../../../state/use-run.tsx';

export interface Exporting {
  /** Null if no server can make it. */
  zip: (() => void) | null;
  transcript(): void;
  events(): void;
  disc(): void;
  isBusy: boolean;
  problem: string | null;
}

/** Exports the run as files. */
export function useExport(): Exporting {
  const client = useClient();
  const { run: store, model, source } = useSession();
  const run = useStore(store);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const name = run?.run_id ?? 'run';

  async function zip() {
    setBusy(true);
    setProblem(null);
    try {
      const bytes = await client!.bundle(name);
      download(`${name}.zip`, await new Response(bytes).blob());
    } catch (error) {
      setProblem((error as Error).message);
    }
    setBusy(false);
  }

  async function transcript() {
    setProblem(null);
    try {
      download(`${name}.md`, new Blob(await source.transcript(model.events), { type: 'text/markdown' }));
    } catch (error) {
      setProblem((error as Error).message);
    }
  }

  function events() {
    // Line by line: a single string of all events could exceed the maximum string length.
    const lines = model.events.map((event) => `${JSON.stringify(event)}\n`);
    download(`${name}.events.jsonl`, new Blob(lines, { type: 'application/jsonl' }));
  }

  function disc() {
    const title = titleOf(run, firstRequest(model.messages));
    download(`${name}.svg`, new Blob([discSvg(model, { size: 512, title })], { type: 'image/svg+xml' }));
  }

  return {
    zip: client && source.kind === 'server' ? () => void zip() : null,
    transcript: () => void transcript(),
    events,
    disc,
    isBusy,
    problem,
  };
}

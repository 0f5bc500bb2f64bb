import { useState } from 'react';
import { useLocation } from 'wouter';
import type { RunView } from '../../../../src/protocol/index.ts';
import { Dialog } from '../../../parts/controls/dialog.tsx';
import { useClient } from '../../../state/client.tsx';
import { useText } from '../../../text/language.ts';
import { strings } from '../../../text/strings.ts';

/** Asks for confirmation, then removes the run with all its files. */
export function DeleteDialog({ run, onClose }: { run: RunView; onClose(): void }) {
  const text = useText();
  const client = useClient()!;
  const [, navigate] = useLocation();
  const [isDeleting, setDeleting] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  async function remove() {
    setDeleting(true);
    setProblem(null);
    try {
      await client.deleteRun(run.run_id);
      navigate('/');
    } catch (error) {
      setProblem((error as Error).message);
      setDeleting(false);
    }
  }

  return (
    <Dialog title={text(strings.run.deleteTitle)} onClose={onClose}>
      <p className="bytes">{run.run_id}</p>
      <p>{text(strings.run.deleteMeans)}</p>
      {problem !== null && (
        <p role="alert" className="run-lost">
          {problem}
        </p>
      )}
      <div className="dialog-buttons">
        <button type="button" onClick={onClose}>
          {text(strings.run.keep)}
        </button>
        <button type="button" className="danger" disabled={isDeleting} onClick={remove}>
          {text(strings.run.deleteNow)}
        </button>
      </div>
    </Dialog>
  );
}

import { isTerminal } from '../../../../src/record/index.ts';
import { SureButton } from '../../../parts/controls/sure-button.tsx';
import { useClient } from '../../../state/client.tsx';
import { useStore } from '../../../state/store.ts';
import { useModel, useSession } from '../../../state/use-run.tsx';
import { strings } from '../../../text/strings.ts';

const WORDS = { idle: strings.run.stop, asking: strings.run.stopAgain, acting: strings.run.stopping };

/** Stops the run with a second press. */
export function StopButton() {
  const client = useClient();
  const { source, run } = useSession();
  const id = useStore(run, (known) => known?.run_id);
  const { status } = useModel();
  if (isTerminal(status) || id === undefined) return null;
  const isReadOnly = source.kind === 'archive' || client === null;
  return (
    <SureButton
      words={WORDS}
      act={async () => await client?.cancel(id)}
      disabled={isReadOnly ? strings.run.readOnly : null}
    />
  );
}

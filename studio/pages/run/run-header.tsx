import { StatusMark } from '../../parts/status-mark.tsx';
import { useStore } from '../../state/store.ts';
import { useModel, useSession } from '../../state/use-run.tsx';
import { titleOf } from './title-of.ts';

export function RunHeader() {
  const run = useStore(useSession().run);
  const { status } = useModel();
  return (
    <div className="run-header">
      <h1>{titleOf(run)}</h1>
      <span className="quiet">{run?.engine}</span>
      <StatusMark status={status} />
    </div>
  );
}

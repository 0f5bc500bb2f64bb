import type { TerminalsAnswer } from '../../../src/protocol/index.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

/** Workspaces whose sessions are not in the list, each with the reason and what to do. */
export function UnreachableDaemons({ daemons }: { daemons: TerminalsAnswer['unreachable'] }) {
  const text = useText();
  return daemons.map(({ workspace, message }) => (
    <p key={workspace} className="list-trouble" role="status">
      {text(strings.terminals.unreachable)(showUnseen(workspace), showUnseen(message))}{' '}
      <span className="quiet">
        {text(strings.terminals.unreachableFix)} <code>tacho runtime stop --workspace {showUnseen(workspace)}</code>
      </span>
    </p>
  ));
}

import { isTerminal } from '../../../src/record/index.ts';
import './dock-pane.css';
import { lazy, Suspense, useRef } from 'react';
import type { RunView } from '../../../src/protocol/index.ts';
import { draftWords } from '../../model/conversation/form-answers.ts';
import { Pane } from '../../parts/layout/pane.tsx';
import { useAction } from '../../state/actions.tsx';
import { useClient } from '../../state/client.tsx';
import { useStore } from '../../state/store.ts';
import { useModel, useSession } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { ResultLine } from './result-line.tsx';
import { useReply } from './use-reply.ts';
import { useRunApprovals } from './use-run-approvals.ts';

/** Most runs are opened when they need nothing. */
const AnsweredElsewhere = lazy(async () => ({ default: (await import('./answered-elsewhere.tsx')).AnsweredElsewhere }));
const DockApproval = lazy(async () => ({ default: (await import('./dock-approval.tsx')).DockApproval }));
const QuestionForm = lazy(async () => ({ default: (await import('./question-form.tsx')).QuestionForm }));
const ReplyBox = lazy(async () => ({ default: (await import('./reply-box.tsx')).ReplyBox }));

/** What gets the focus in the dock: an input, else the first button. */
const FIRST = ['textarea, input', '.approval-buttons button', 'button:not(:disabled)'];

/** What the run needs from the user: a decision, an answer, or nothing because it has ended. */
export function DockPane() {
  const text = useText();
  const session = useSession();
  const run = useStore(session.run);
  const phase = useStore(session.connection, ({ phase }) => phase);
  const content = useRef<HTMLDivElement>(null);
  useAction('dock', () => {
    const [first] = FIRST.flatMap((what) => content.current?.querySelector<HTMLElement>(what) ?? []);
    first?.focus();
    return first !== undefined;
  });
  // Until all of the past is loaded, it is unknown what the run waits for.
  const ready = run !== null && phase !== 'loading' && phase !== 'backfilling';
  return (
    <Pane bare name="dock" title={text(strings.run.paneDock)}>
      <div ref={content}>
        <Suspense>{ready && <DockContent run={run} connected={phase !== 'reconnecting'} />}</Suspense>
      </div>
    </Pane>
  );
}

function DockContent({ run, connected }: { run: RunView; connected: boolean }) {
  const text = useText();
  const client = useClient();
  const { status } = useModel();
  const { approval, more, settle } = useRunApprovals(client);
  const { state, draft, edit, send, dismiss } = useReply(client, run.run_id);
  const unable = client === null ? strings.dock.readOnly : connected ? null : strings.dock.disconnected;
  const disabled = unable && text(unable);
  if (approval) {
    return (
      <div className="dock">
        <DockApproval
          key={approval.approval_id}
          approval={approval}
          more={more}
          disabled={disabled}
          onDecided={settle}
        />
      </div>
    );
  }
  switch (state.kind) {
    case 'open': {
      const { questions } = state.question;
      const common = { text: draft.text, disabled, onText: edit, sending: state.sending, error: state.error };
      const hasChoices = questions.length > 1 || questions.some(({ choices }) => choices.length > 0);
      return (
        <div className="dock">
          {hasChoices ? (
            <QuestionForm
              {...common}
              key={state.question.interaction_id}
              questions={questions}
              onSend={(answers) => void send(answers)}
            />
          ) : (
            <ReplyBox {...common} question={state.question} onSend={() => void send()} />
          )}
        </div>
      );
    }
    case 'starting':
      return (
        <div className="dock" role="status">
          {text(strings.dock.starting)(state.attempt)}
        </div>
      );
    case 'answered':
      return (
        <div className="dock">
          <AnsweredElsewhere other={state.other} text={draftWords(draft.text)} onDismiss={dismiss} />
        </div>
      );
    case 'none':
      return isTerminal(status) ? (
        <div className="dock">
          <ResultLine run={run} />
        </div>
      ) : null;
  }
}

import { isPermission } from '../../model/conversation/approval-request.ts';
import type { Row } from '../../model/conversation/conversation-rows.ts';
import { costOf, dollars, shortCount, tokensOf } from '../../model/run-figures.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { LongText } from '../../parts/long-text.tsx';
import { Markdown } from '../../parts/markdown/markdown.tsx';
import { StatusMark } from '../../parts/status-mark.tsx';
import { useModel } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { FoldedLine } from './folded-line.tsx';
import { PlanList, planState } from './plan-list.tsx';
import type { RowActions } from './row-actions.ts';
import { approvalWords } from './row-name.ts';
import { ToolDetails } from './tool-details.tsx';
import { ToolState } from './tool-state.tsx';

interface Props {
  row: Row;
  open: boolean;
  tabbed: boolean;
  actions: RowActions;
}

/** The content of a row, by its kind. */
export function RowContent({ row, open, tabbed, actions }: Props) {
  const text = useText();
  const fold = { open, tabbed, onToggle: () => actions.toggle(row.id) };
  switch (row.kind) {
    case 'user':
      return (
        <div className="conversation-user">
          <span className="conversation-who">{row.by ?? text(strings.conversation.you)}</span>
          <LongText text={row.text} />
        </div>
      );
    case 'assistant':
      return row.format === 'markdown' ? (
        <Markdown text={row.text} />
      ) : (
        <div className="bytes">
          <LongText text={row.text} />
        </div>
      );
    case 'reasoning':
      return (
        <FoldedLine {...fold} name={text(strings.conversation.thought)} summary={row.text}>
          <div className="quiet">
            <Markdown text={row.text} />
          </div>
        </FoldedLine>
      );
    case 'plan':
      return (
        <FoldedLine {...fold} name={text(strings.conversation.plan)} {...planState(row.items)}>
          <PlanList items={row.items} />
        </FoldedLine>
      );
    case 'tool':
      return (
        <FoldedLine {...fold} tool name={row.name} summary={row.summary} state={<ToolState row={row} />}>
          <ToolDetails row={row} />
        </FoldedLine>
      );
    case 'question':
      return (
        <div className="conversation-question">
          <span className="conversation-line" data-tone="waiting">
            <span aria-hidden="true">◐</span> {text(strings.conversation.question)}
            <span className="quiet">{text(strings.conversation[row.answered ? 'answered' : 'waits'])}</span>
          </span>
          {row.prompt !== null && <Markdown text={row.prompt} />}
          {row.choices.length > 0 && (
            <ul className="conversation-choices">
              {row.choices.map((choice, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: two questions may offer the same choice
                <li key={index}>
                  <bdi>{showUnseen(choice)}</bdi>
                </li>
              ))}
            </ul>
          )}
        </div>
      );
    case 'approval':
      return (
        <span className="conversation-line" data-tone={toneOf(row)}>
          <span aria-hidden="true">◆</span> {text(approvalWords(row))}
          <bdi className="conversation-summary">{showUnseen(row.summary)}</bdi>
          {row.reason !== null && <bdi className="quiet">{showUnseen(row.reason)}</bdi>}
        </span>
      );
    case 'files':
      return (
        <button
          type="button"
          className="plain conversation-line"
          tabIndex={tabbed ? 0 : -1}
          onClick={() => actions.open(row)}
        >
          <span aria-hidden="true">■</span> {text(strings.conversation.filesChanged)}
          <span className="bytes">
            +{row.created.length} ~{row.modified.length} −{row.deleted.length}
          </span>
        </button>
      );
    case 'attempt':
      return <span className="conversation-divider">{text(strings.conversation.attempt)(row.attempt)}</span>;
    case 'end':
      return <EndLine row={row} />;
  }
}

function toneOf(row: Row<'approval'>): string {
  if (row.decision === null) return 'waiting';
  return isPermission(row.decision) ? 'quiet' : 'failed';
}

/** How the run ended, and its usage if the engine reported it. */
function EndLine({ row }: { row: Row<'end'> }) {
  const text = useText();
  const { usage } = useModel();
  const tokens = tokensOf(usage);
  const cost = costOf(usage);
  const used = [
    tokens === null ? text(strings.app.none) : text(strings.run.tokens)(shortCount(tokens)),
    ...(cost === null ? [] : [dollars(cost)]),
  ];
  return (
    <span className="conversation-line conversation-end">
      <StatusMark status={row.status} />
      {row.message !== null && <bdi className="conversation-message">{showUnseen(row.message.slice(0, 1000))}</bdi>}
      <span className="conversation-state bytes quiet">{used.join(' · ')}</span>
    </span>
  );
}

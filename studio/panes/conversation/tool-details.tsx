import { isEvent, type RaspEvent } from '../../../src/protocol/index.ts';
import { eventAt } from '../../../src/record/index.ts';
import { readable } from '../../../src/record/readable-value.ts';
import type { Row } from '../../model/conversation/conversation-rows.ts';
import { LongText } from '../../parts/long-text.tsx';
import { useModel } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

/** Arguments and result of a call, from its events. */
export function ToolDetails({ row }: { row: Row<'tool'> }) {
  const text = useText();
  const model = useModel();
  const started = callOf(eventAt(model, row.startedSeq));
  const ended = row.endedSeq === null ? undefined : callOf(eventAt(model, row.endedSeq));
  const given = started?.arguments ?? ended?.arguments;
  const exit = ended?.exit_code;
  if (given === undefined && ended?.result === undefined && exit === undefined) {
    return <p className="quiet">{text(strings.conversation.noDetails)}</p>;
  }
  return (
    <>
      <Part title={text(strings.conversation.arguments)} value={given} />
      <Part title={text(strings.conversation.result)} value={ended?.result} />
      {typeof exit === 'number' && <p className="quiet small">{text(strings.conversation.exitCode)(exit)}</p>}
    </>
  );
}

function Part({ title, value }: { title: string; value: unknown }) {
  if (value === undefined || value === null || value === '') return null;
  return (
    <>
      <p className="quiet small">{title}</p>
      <div className="conversation-value bytes">
        <LongText text={readable(value)} />
      </div>
    </>
  );
}

function callOf(event: RaspEvent | undefined) {
  if (event === undefined) return undefined;
  const tells =
    isEvent(event, 'tool.call.started') || isEvent(event, 'tool.call.completed') || isEvent(event, 'tool.call.failed');
  return tells ? event.data : undefined;
}

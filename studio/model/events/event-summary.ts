import { keyValuePairs } from '../../../src/conversation/key-value-pairs.ts';
import { oneLine } from '../../../src/conversation/one-line.ts';
import { summarizeToolCall } from '../../../src/conversation/tool-summary.ts';
import type { RaspData, RaspEvent, RaspType } from '../../../src/protocol/index.ts';
import { duration } from '../times.ts';

const LENGTH = 240;

/** What happened, in one line with the event's own words. */
export function summarizeEvent(event: RaspEvent): string {
  const { type } = event.event;
  // A newer version of tacho may have written an unknown type.
  if (!Object.hasOwn(SUMMARIES, type)) return oneLine(keyValuePairs(event.data, LENGTH), LENGTH);
  return oneLine((SUMMARIES[type] as (data: RaspEvent['data']) => string)(event.data), LENGTH);
}

type ToolData = RaspData<'tool.call.completed'>;
type ArtifactData = RaspData<'artifact.created'>;
type DiagnosticData = RaspData<'diagnostic.parser.warning'>;

const text = (data: { text: string }) => data.text;
const approval = (data: { approval_id: string }, said: string) => joined(said, data.approval_id);
const diagnostic = ({ code, message }: DiagnosticData) => joined(code, message);
const ended = (data: ToolData) =>
  joined(
    data.name,
    summarizeToolCall(data),
    typeof data.exit_code === 'number' && `exit ${data.exit_code}`,
    data.duration_ms !== undefined && duration(data.duration_ms),
  );
const artifact = ({ path, size }: ArtifactData) => joined(path, size !== null && `${size} B`);

const SUMMARIES: { [T in RaspType]: (data: RaspData<T>) => string } = {
  'lifecycle.run.requested': ({ command }) => command.join(' '),
  'lifecycle.run.status': ({ status, phase, reason_code, model }) => joined(status, phase, reason_code, model),
  'lifecycle.run.skills': ({ skills }) =>
    skills.map(({ name, version }) => (version === null ? name : `${name} ${version}`)).join(', '),
  'lifecycle.completion.state': ({ state, reason_code }) => joined(state, reason_code),
  'lifecycle.recording.checkpoint': ({ stream, bytes, sha256 }) => joined(stream, `${bytes} B`, sha256.slice(0, 12)),
  'agent.message.delta': text,
  'agent.message.final': text,
  'agent.reasoning.summary': text,
  'agent.plan.updated': ({ items }) =>
    items.map((item) => (item.status === undefined ? item.text : `${item.text} (${item.status})`)).join(' · '),
  'interaction.user_input.required': ({ prompt }) => prompt,
  'interaction.reply.accepted': text,
  'interaction.approval.requested': (data) => approval(data, data.summary),
  'interaction.approval.decided': (data) => approval(data, data.decision),
  'tool.call.started': (data) => joined(data.name, summarizeToolCall(data)),
  'tool.call.completed': ended,
  'tool.call.failed': ended,
  'artifact.created': artifact,
  'artifact.modified': artifact,
  'artifact.deleted': artifact,
  'diagnostic.parser.warning': diagnostic,
  'diagnostic.engine.error': diagnostic,
  'diagnostic.runtime.warning': diagnostic,
  'raw.stdout': text,
  'raw.stderr': text,
  'raw.pty': text,
};

function joined(...parts: (string | false | undefined)[]): string {
  return parts.filter(Boolean).join(' · ');
}

import { isEvent, type RaspEvent } from '../../../src/protocol/index.ts';

export type Lane = 'user' | 'agent' | 'tools' | 'files';
export type NodeKind =
  | 'request'
  | 'reply'
  | 'question'
  | 'attempt'
  | 'message'
  | 'reasoning'
  | 'call'
  | 'result'
  | 'approval'
  | 'decision'
  | 'file'
  | 'event';

/** The thing that an event belongs to, by its id. */
export interface Thing {
  kind: NodeKind;
  /** Unique among things of its kind. */
  name: string;
  lane: Lane;
  /** Nodes of the same kind and group are repetitions: the name of a tool, the folder of a file. */
  group?: string | undefined;
  failed?: boolean;
}

/** A request and a reply with the same id are one node, and so are a message and the reasoning before it. */
export function idOf({ kind, name }: Pick<Thing, 'kind' | 'name'>): string {
  const shared = kind === 'request' ? 'reply' : kind === 'reasoning' ? 'message' : kind;
  return `${shared}:${name}`;
}

/** Null for an event that belongs to nothing. */
export function thingOf(event: RaspEvent): Thing | null {
  if (isEvent(event, 'interaction.reply.accepted')) {
    const { interaction_id, source } = event.data;
    return { kind: source === 'prompt' ? 'request' : 'reply', name: interaction_id, lane: 'user' };
  }
  if (isEvent(event, 'interaction.user_input.required')) {
    return { kind: 'question', name: event.data.interaction_id, lane: 'agent' };
  }
  if (isEvent(event, 'agent.message.delta') || isEvent(event, 'agent.message.final')) {
    return { kind: 'message', name: event.data.message_id, lane: 'agent' };
  }
  if (isEvent(event, 'agent.reasoning.summary') && event.data.message_id !== undefined) {
    return { kind: 'reasoning', name: event.data.message_id, lane: 'agent' };
  }
  if (isEvent(event, 'tool.call.started')) {
    return { kind: 'call', name: event.data.call_id, lane: 'tools', group: event.data.name };
  }
  if (isEvent(event, 'tool.call.completed') || isEvent(event, 'tool.call.failed')) {
    const failed = event.event.type === 'tool.call.failed';
    return { kind: 'result', name: event.data.call_id, lane: 'tools', group: event.data.name, failed };
  }
  if (isEvent(event, 'interaction.approval.requested')) {
    return { kind: 'approval', name: event.data.approval_id, lane: 'user' };
  }
  if (isEvent(event, 'interaction.approval.decided')) {
    const { approval_id, decision } = event.data;
    return { kind: 'decision', name: approval_id, lane: 'user', failed: decision === 'denied' };
  }
  if (isEvent(event, 'artifact.created') || isEvent(event, 'artifact.modified') || isEvent(event, 'artifact.deleted')) {
    const { path } = event.data;
    const group = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    return { kind: 'file', name: `${event.attempt_number}:${path}`, lane: 'files', group };
  }
  return null;
}

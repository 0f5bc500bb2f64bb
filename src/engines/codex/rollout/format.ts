import { fieldOf, isoTime, textOf } from '../../json-value.ts';
import type { SessionFormat } from '../../sessions/session-format.ts';
import { createSessionParser } from '../../sessions/session-parser.ts';
import { readRollout } from './entries.ts';

const PARSER = 'codex_rollout';
const TYPES = new Set(['session_meta', 'response_item', 'event_msg', 'turn_context']);

const timeOf: SessionFormat['timeOf'] = ({ timestamp }) => {
  const time = isoTime(timestamp);
  return time === null ? null : Date.parse(time);
};

/** `rollout-<time>-<session>.jsonl`, which codex keeps of every session. */
export const codexRollout: SessionFormat = {
  title: 'codex rollout',
  folder: '.codex/sessions',
  name: /^rollout-.*\.jsonl$/,
  movedBy: { variable: 'CODEX_HOME', folder: 'sessions' },
  parser: {
    name: PARSER,
    version: '1',
    create: (context) => createSessionParser(context, { parser: PARSER, timeOf, open: readRollout }),
  },
  signals: {
    started: ['task_started'],
    terminal: ['task_complete'],
    failed: ['task_complete.error', 'turn_aborted'],
  },
  recognizes: ({ type, payload, timestamp }) =>
    TYPES.has(textOf(type) ?? '') && typeof payload === 'object' && textOf(timestamp) !== null,
  timeOf,
  idOf: (entry) => {
    const { ordinal, timestamp } = entry;
    return typeof ordinal === 'number' ? `${ordinal}.${textOf(timestamp)}` : null;
  },
  aboutSession({ type, payload }) {
    if (type !== 'session_meta') return {};
    const id = textOf(fieldOf(payload, 'id'));
    const cwd = textOf(fieldOf(payload, 'cwd'));
    return { ...(id === null ? {} : { id }), ...(cwd === null ? {} : { cwd }) };
  },
};

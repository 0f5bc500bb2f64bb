import { isoTime, textOf } from '../../json-value.ts';
import type { SessionFormat } from '../../sessions/session-format.ts';
import { createSessionParser } from '../../sessions/session-parser.ts';
import { readPiSession } from './entries.ts';

const PARSER = 'pi_session';

const timeOf: SessionFormat['timeOf'] = ({ timestamp }) => {
  const time = isoTime(timestamp);
  return time === null ? null : Date.parse(time);
};

/** `<time>_<session>.jsonl`, which pi keeps of every session. */
export const piSession: SessionFormat = {
  title: 'pi session',
  folder: '.pi/agent/sessions',
  name: /^[^/]+\.jsonl$/,
  movedBy: { variable: 'PI_CODING_AGENT_DIR', folder: 'sessions' },
  parser: {
    name: PARSER,
    version: '1',
    create: (context) => createSessionParser(context, { parser: PARSER, timeOf, open: readPiSession }),
  },
  signals: {
    started: ['message.user'],
    terminal: ['message.stop', 'message.endTurn'],
    failed: ['message.error', 'message.aborted'],
  },
  // The stream of `pi --mode json` begins with the same header; its messages have no `parentId`.
  recognizes: ({ type, id, parentId }) => type !== 'session' && textOf(id) !== null && parentId !== undefined,
  timeOf,
  idOf: ({ id }) => textOf(id),
  aboutSession({ type, id, cwd }) {
    if (type !== 'session') return {};
    return {
      ...(textOf(id) === null ? {} : { id: id as string }),
      ...(textOf(cwd) === null ? {} : { cwd: cwd as string }),
    };
  },
};

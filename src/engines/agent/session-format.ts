import { isoTime, textOf } from '../json-value.ts';
import type { SessionFormat } from '../sessions/session-format.ts';
import { createSessionParser } from '../sessions/session-parser.ts';
import { readAgentEvents } from './events.ts';
import { AGENT_SIGNALS } from './signals.ts';

const PARSER = 'agent_session';

const timeOf: SessionFormat['timeOf'] = ({ ts }) => {
  const time = isoTime(ts);
  return time === null ? null : Date.parse(time);
};

/** `.tacho/runs/<run>/events.jsonl`, which an agent keeps in the folder that it works in. */
export const agentSession: SessionFormat = {
  title: 'tacho agent log',
  isPrinted: true,
  // Each is in the workspace of its agent, wherever that is.
  folder: null,
  name: /^events\.jsonl$/,
  parser: {
    name: PARSER,
    version: '1',
    create: (context) => createSessionParser(context, { parser: PARSER, timeOf, open: readAgentEvents }),
  },
  signals: AGENT_SIGNALS,
  recognizes: ({ protocol_version, run_id, chain }) =>
    /^agent\/1\./.test(textOf(protocol_version) ?? '') && textOf(run_id) !== null && textOf(chain) !== null,
  timeOf,
  idOf: ({ run_id, seq }) => (textOf(run_id) !== null && typeof seq === 'number' ? `${run_id}.${seq}` : null),
  aboutSession({ type, run_id, data }) {
    if (type !== 'run_started' || textOf(run_id) === null) return {};
    const cwd = textOf((data as { workspace?: unknown } | null)?.workspace);
    return { id: run_id as string, ...(cwd === null ? {} : { cwd }) };
  },
};

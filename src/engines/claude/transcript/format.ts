import { fieldOf, isoTime, textOf } from '../../json-value.ts';
import type { SessionFormat } from '../../sessions/session-format.ts';
import { createSessionParser } from '../../sessions/session-parser.ts';
import { readTranscript } from './entries.ts';

const PARSER = 'claude_transcript';

const timeOf: SessionFormat['timeOf'] = (entry) => {
  const time = isoTime(entry.timestamp ?? fieldOf(entry, 'snapshot', 'timestamp'));
  return time === null ? null : Date.parse(time);
};

/** `<session>.jsonl`, which claude keeps of every session below the folder of its project. */
export const claudeTranscript: SessionFormat = {
  title: 'claude transcript',
  folder: '.claude/projects',
  name: /^[^/]+\.jsonl$/,
  movedBy: { variable: 'CLAUDE_CONFIG_DIR', folder: 'projects' },
  parser: {
    name: PARSER,
    version: '1',
    create: (context) => createSessionParser(context, { parser: PARSER, timeOf, open: readTranscript }),
  },
  signals: {
    started: ['user.prompt'],
    terminal: ['assistant.end_turn'],
    failed: ['assistant.error', 'user.interrupted'],
  },
  recognizes: ({ type, sessionId, leafUuid, messageId, snapshot }) =>
    textOf(type) !== null &&
    (textOf(sessionId) !== null ||
      (type === 'summary' && textOf(leafUuid) !== null) ||
      (type === 'file-history-snapshot' && textOf(messageId) !== null && typeof snapshot === 'object')),
  timeOf,
  idOf: ({ uuid }) => textOf(uuid),
  aboutSession({ sessionId, agentId, cwd }) {
    const [session, agent, folder] = [textOf(sessionId), textOf(agentId), textOf(cwd)];
    // A subagent has a file of its own, with the id of the session that started it.
    const id = session !== null && agent !== null ? `${session}.${agent}` : session;
    return { ...(id === null ? {} : { id }), ...(folder === null ? {} : { cwd: folder }) };
  },
};

import * as protocol from '../protocol/index.ts';
import { loose } from './loose.ts';

/** Answers about agents, apart from the others: a page loads less without them. */
export const agentAnswers = {
  agent: loose(protocol.agentAnswerSchema),
  prompt: loose(protocol.agentPromptSchema),
  replay: loose(protocol.agentReplaySchema),
  fork: loose(protocol.agentForkSchema),
};

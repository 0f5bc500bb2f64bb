import type * as z from 'zod';
import * as protocol from '../protocol/index.ts';
import { loose } from './loose.ts';

/** Answers about skills, apart from the others: few programs ask for skills, and a page loads less without them. */
export const skillAnswers = {
  skills: loose(protocol.skillsAnswerSchema),
  skill: loose(protocol.skillAnswerSchema),
};

export type SkillsAnswer = z.infer<typeof skillAnswers.skills>;
export type SkillAnswer = z.infer<typeof skillAnswers.skill>;

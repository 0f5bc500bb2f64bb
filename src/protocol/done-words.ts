/** Begins the line by which a program reports how it ended. */
export const DONE_SIGNAL = 'AGENT_ENV_DONE';

/** The key, and the whole mark, by which an assistant says that the work is done. */
export const DONE_KEY = '__SKILL_DONE__';
export const DONE_MARKER = `"${DONE_KEY}": true`;

/** Find, check and inject skills from a program, and write sources of your own. */
export * from './skills/index.ts';

/** Token counts are made up and constant, so that tests can compare them. */
export const USAGE = { input: 100, output: 20, reasoning: 5 } as const;

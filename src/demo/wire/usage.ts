/** Token counts are made up and always the same: nothing is counted here, and tests can compare them. */
export const USAGE = { input: 100, output: 20, reasoning: 5 } as const;

/** The agent gives up: by its script, or because a step failed. */
export class Failure extends Error {}

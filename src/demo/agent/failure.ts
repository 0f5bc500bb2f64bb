/** The agent gives up: by its script, or because it could not do what the script says. */
export class Failure extends Error {}

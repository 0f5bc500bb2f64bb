/** Version of the events of agent runs. Apart from their schemas: a program that only writes events loads none. */
export const AGENT_VERSION = 'agent/1.0';

/** A request that cannot be served: an HTTP status and a message for the client. */
export interface Problem {
  problem: true;
  status: number;
  message: string;
}

export function problem(status: number, message: string): Problem {
  return { problem: true, status, message };
}

export function isProblem(value: object): value is Problem {
  return 'problem' in value && value.problem === true;
}

import { terminalApprover } from '../../../src/approvals/approvers/terminal-approver.ts';
import { exampleRequest } from '../examples.ts';

/** Asks on its own terminal, and prints the answer. */
const approver = terminalApprover({ input: process.stdin, output: process.stdout });
const answer = await approver.decide(exampleRequest(), new AbortController().signal);
process.stdout.write(`answer ${JSON.stringify(answer)}\n`);

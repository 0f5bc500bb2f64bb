import fs from 'node:fs';
import type { Decision } from '../decision.ts';
import { doneMarker, type Script, type Turn } from '../script.ts';

const FILE = 'tacho-demo-old.txt';
const REMOVE = ['rm', FILE];
const SUMMARY = `delete ${FILE}`;

/** Asks for approval to delete a file. */
export const approve: Script = {
  name: 'approve',
  word: /\bapprove\b/i,
  async play(turn) {
    const { stage, memory } = turn;
    if (!memory.asked) {
      memory.asked = true;
      await stage.think('Deleting a file cannot be undone, so I ask before I do it.');
      await stage.writeFile(FILE, 'This file is here to be deleted.\n');
      await stage.say(`I would like to delete \`${FILE}\`. That needs your approval.`);
      const decision = await turn.approval(SUMMARY, REMOVE);
      return decision ? carryOut(turn, decision) : 'suspended';
    }
    const decision = turn.pendingDecision();
    if (decision) return carryOut(turn, decision);
    // An unclear answer is not an approval.
    await stage.ask(`May I delete \`${FILE}\`, yes or no?`);
    return 'question';
  },
};

async function carryOut({ stage }: Turn, { decision, reason }: Decision): Promise<'done'> {
  if (decision === 'approved') {
    if (fs.existsSync(FILE)) await stage.run(REMOVE);
    await stage.say(`I was allowed to, and \`${FILE}\` is gone.\n\n${doneMarker({ deleted: true })}`);
  } else {
    const why = reason ? ` The reason: ${reason}` : '';
    await stage.say(`I was not allowed to, so \`${FILE}\` stays.${why}\n\n${doneMarker({ deleted: false })}`);
  }
  return 'done';
}

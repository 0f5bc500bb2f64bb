import { Failure } from '../failure.ts';
import type { Script } from '../script.ts';

/** A command that cannot be started, and an agent that gives up. */
export const fail: Script = {
  name: 'fail',
  word: /\bfail\b/i,
  async play({ stage }) {
    await stage.think('I was asked to fail, so I call a program that does not exist.');
    await stage.say('Let me see how far I get.');
    await stage.run(['ls']);
    await stage.run(['tacho-demo-no-such-program']);
    throw new Failure('the program this script needs does not exist; that was the plan');
  },
};

import { doneMarker, type Script } from '../script.ts';

const ROUNDS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];
const SECONDS = 3;

/** About a minute of steady work: time to watch, to attach or to cancel. */
export const slow: Script = {
  name: 'slow',
  word: /\bslow\b/i,
  async play({ stage, pace }) {
    await stage.think('I work in rounds, with a rest in each.');
    const steps = ROUNDS.map((name) => `The ${name} round`);
    for (const [at, name] of ROUNDS.entries()) {
      await stage.plan(steps, at);
      await stage.say(`This is the ${name} of ${ROUNDS.length} rounds.`);
      await stage.run(['sleep', String(SECONDS * pace)]);
      await stage.pause(1000);
    }
    await stage.plan(steps, ROUNDS.length);
    await stage.say(`All rounds are over.\n\n${doneMarker({ rounds: ROUNDS.length })}`);
    return 'done';
  },
};

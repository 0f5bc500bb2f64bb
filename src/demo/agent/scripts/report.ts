import { doneMarker, type Script, type Turn } from '../script.ts';

const FILE = 'tacho-demo-report.md';
const STEPS = ['Look around', 'Write the report', 'Check it', 'Give it a title'];
const CHECK = ['grep', '-n', '^Total:', FILE];
const OWN_TITLE = 'What is in this folder';

interface Memory {
  /** The report so far, while waiting for its title. */
  body?: string;
}

/** Looks around, writes a report, checks it, fixes it, and asks for a title: every kind of step, once. */
export const report: Script = {
  name: 'report',
  word: null,
  async play(turn) {
    const memory = turn.memory as Memory;
    if (memory.body === undefined) {
      memory.body = await writeReport(turn);
      if (!turn.unattended) {
        await turn.stage.ask(
          `The report is in \`${FILE}\` and complete except for its title. Which title do you want?`,
        );
        return 'question';
      }
      await turn.stage.think('There is no one to ask for a title, so I choose a plain one.');
      await giveTitle(turn, OWN_TITLE, memory.body);
    } else {
      await turn.stage.think('Here is the answer to my question.');
      await giveTitle(turn, titleFrom(turn.prompt), memory.body);
    }
    return 'done';
  },
};

async function writeReport({ stage }: Turn): Promise<string> {
  await stage.think('I look around first. What I find goes into a short report, which I then check.');
  await stage.plan(STEPS, 0);
  await stage.say('I will look at this folder, write a short report about it and check what I wrote.');
  const { output } = await stage.run(['ls']);
  const entries = output.split('\n').filter((name) => name !== '' && name !== FILE);
  await stage.plan(STEPS, 1);
  const list = entries.length === 0 ? '- nothing yet\n' : entries.map((name) => `- ${name}\n`).join('');
  const draft = `## In this folder\n\n${list}`;
  await stage.writeFile(FILE, draft);
  await stage.plan(STEPS, 2);
  const { exitCode } = await stage.run(CHECK);
  if (exitCode === 0) return draft;
  await stage.think('The check failed: the report lacks the line with the total. I add it and check again.');
  const body = `${draft}\nTotal: ${entries.length}\n`;
  await stage.writeFile(FILE, body);
  await stage.run(CHECK);
  await stage.plan(STEPS, 3);
  return body;
}

async function giveTitle({ stage }: Turn, title: string, body: string): Promise<void> {
  await stage.writeFile(FILE, `# ${title}\n\n${body}`);
  await stage.run(['head', '-n', '1', FILE]);
  await stage.plan(STEPS, STEPS.length);
  await stage.say(`The report **${title}** is finished. It is in \`${FILE}\`.\n\n${doneMarker({ file: FILE, title })}`);
}

/** An answer may be anything; a title is one line. */
function titleFrom(answer: string): string {
  const line = answer.trim().split(/\s*[\r\n]+\s*/, 1)[0]!;
  return line.slice(0, 120) || OWN_TITLE;
}

import type {
  AndOr,
  Command,
  CommandNode,
  CompoundList,
  ParsedScript,
  Pipeline,
  PipelineNode,
  Statement,
  TestExpression,
} from 'unbash';
import { assignmentConcern, isHarmlessLoopName } from './assignments.ts';
import { checkDownloads, isSelfStarting } from './combinations.ts';
import { inspectExpansions } from './expansions.ts';
import { eitherFolder } from './folders.ts';
import { shellGrammar } from './grammar.ts';
import { inspectCommand } from './inspect-command.ts';
import { inspectRedirections } from './redirections.ts';
import { ask, deny, type Inspection, MAX_DEPTH } from './report.ts';
import { readWord, type ShellWord, UNKNOWN_WORD } from './word.ts';

const MAX_CHARS = 64 * 1024;
/** The grammar takes quadratic time for nested ones. */
const MAX_SUBSTITUTIONS = 500;
/** Characters that make a line look like another one: controls, invisible ones, and spaces that are not the space. */
const DECEPTIVE = /[^\P{C}\t\n]|[^\P{Z} ]/u;
const SAFE_TESTS = new Set(['-e', '-f', '-d', '-s', '-r', '-w', '-x', '-h', '-L', '-n', '-z', '=', '==', '!=']);

/** Adds everything that the shell would do for this text to the report. Never throws. */
export function inspectLine(line: string, inspection: Inspection): void {
  if (line.length > MAX_CHARS || line.split('$(').length > MAX_SUBSTITUTIONS || inspection.depth >= MAX_DEPTH) {
    ask(inspection, 'is too long or too deeply nested to be understood');
    return;
  }
  if (DECEPTIVE.test(line)) ask(inspection, 'has control, invisible or unusual space characters');
  inspection.depth++;
  try {
    inspectScript(shellGrammar().parse(line), inspection);
  } catch (error) {
    // The grammar recurses; a hostile line may exceed the stack.
    ask(inspection, `cannot be parsed: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    inspection.depth--;
  }
}

export function inspectScript(script: ParsedScript, inspection: Inspection): void {
  if (script.errors?.length) ask(inspection, `is not valid shell syntax: ${script.errors[0]!.message}`);
  inspectStatements(script.commands, inspection);
}

function inspectStatements(statements: readonly Statement[], inspection: Inspection): void {
  for (const { command } of statements) {
    const before = inspection.folders;
    if (command.type === 'AndOr') inspectAndOr(command, inspection);
    else inspectNode(command, inspection);
    inspection.folders = eitherFolder(before, inspection.folders);
  }
}

/** After `cd folder &&` the rest runs in that folder only. */
function inspectAndOr({ commands, operators }: AndOr, inspection: Inspection): void {
  const before = inspection.folders;
  commands.forEach((command, index) => {
    const prior = inspection.folders;
    inspectNode(command, inspection);
    const isCertain = command.type === 'Command' && operators[index] === '&&';
    if (!isCertain) inspection.folders = eitherFolder(eitherFolder(before, prior), inspection.folders);
  });
}

function inspectNode(node: PipelineNode, inspection: Inspection): void {
  if (node.type === 'Pipeline') inspectPipeline(node, inspection);
  else inspectCommandNode(node, inspection);
}

function inspectPipeline({ commands }: Pipeline, inspection: Inspection): void {
  const { input, report, folders } = inspection;
  const starts: number[] = [];
  commands.forEach((command, index) => {
    starts.push(report.commands.length);
    // Each part has a shell of its own.
    inspection.folders = folders;
    if (index > 0) inspection.input = { from: 'pipe', text: printedText(commands[index - 1]!) };
    inspectCommandNode(command, inspection);
  });
  inspection.input = input;
  if (commands.length > 1) inspection.folders = folders;
  checkDownloads(starts, inspection);
}

function inspectCommandNode(node: CommandNode, inspection: Inspection): void {
  const before = inspection.folders;
  switch (node.type) {
    case 'Command':
      inspectSimple(node, inspection);
      break;
    case 'Redirected': {
      const { input } = inspection;
      inspection.input = inspectRedirections(node.redirects, inspection) ?? input;
      inspectCommandNode(node.command, inspection);
      inspection.input = input;
      break;
    }
    case 'Subshell':
    case 'BraceGroup':
      inspectList(node.body, inspection);
      break;
    case 'If':
      for (const list of [node.clause, node.then, ...node.elif.flatMap(({ clause, then }) => [clause, then])]) {
        inspectList(list, inspection);
      }
      if (node.else) inspectList(node.else, inspection);
      break;
    case 'For': {
      const { loopNames } = inspection;
      for (const word of node.wordlist ?? []) inspectExpansions(word, inspection);
      if (isHarmlessLoopName(node.name.value)) inspection.loopNames = [...loopNames, node.name.value];
      else ask(inspection, `sets the variable ${node.name.value} in a loop`);
      inspectLoop(node.body, inspection);
      inspection.loopNames = loopNames;
      break;
    }
    case 'While':
      inspectLoop(node.clause, inspection);
      inspectLoop(node.body, inspection);
      break;
    case 'Case':
      inspectExpansions(node, inspection, { skipLists: true });
      for (const { body } of node.items) inspectList(body, inspection);
      break;
    case 'Select':
    case 'ArithmeticFor':
      ask(inspection, `uses ${node.type === 'Select' ? 'select' : 'an arithmetic loop'}`);
      inspectExpansions(node, inspection, { skipLists: true });
      inspectLoop(node.body, inspection);
      break;
    case 'ArithmeticCommand':
      ask(inspection, 'evaluates arithmetic, which can run commands');
      inspectExpansions(node, inspection);
      break;
    case 'TestCommand':
      if (!isSafeTest(node.expression)) ask(inspection, 'has a test that may evaluate arithmetic');
      inspectExpansions(node, inspection);
      break;
    case 'Function':
      if (isSelfStarting(node)) deny(inspection, `defines a function that starts itself without end`);
      ask(inspection, `defines the function ${node.name.value}`);
      inspectBody(node.body, inspection);
      inspection.folders = before === inspection.folders ? before : null;
      break;
    case 'Coproc':
      ask(inspection, 'starts a coprocess');
      inspectBody(node.body, inspection);
      break;
    default:
      ask(inspection, 'has a construct that is not understood');
  }
}

function inspectBody(body: CommandNode | CompoundList, inspection: Inspection): void {
  if (body.type === 'CompoundList') inspectList(body, inspection);
  else inspectCommandNode(body, inspection);
}

function inspectList(list: CompoundList, inspection: Inspection): void {
  const before = inspection.folders;
  inspectStatements(list.commands, inspection);
  inspection.folders = eitherFolder(before, inspection.folders);
}

/** A later round of a loop runs in the folder that an earlier one changed to. */
function inspectLoop(list: CompoundList, inspection: Inspection): void {
  const before = inspection.folders;
  inspectList(list, inspection);
  if (inspection.folders === before) return;
  inspection.folders = null;
  ask(inspection, 'changes the working directory in a loop');
}

function inspectSimple(command: Command, inspection: Inspection): void {
  const { input, report } = inspection;
  const first = report.commands.length;
  for (const item of command.prefix) {
    if (item.type !== 'Assignment') continue;
    const value = item.value.type === 'Word' && !item.append && !item.index ? readWord(item.value) : UNKNOWN_WORD;
    const concern = assignmentConcern(item.name, value.kind === 'literal' ? value.value : null);
    if (concern) ask(inspection, concern);
    inspectExpansions(item, inspection);
  }
  const words: ShellWord[] = [];
  for (const word of [command.name, ...command.args]) {
    if (!word) continue;
    inspectExpansions(word, inspection);
    words.push(word.type === 'Word' ? readWord(word) : assignmentWord(word));
  }
  const inner = report.commands.slice(first);
  inspection.input = inspectRedirections(command.redirects, inspection) ?? input;
  if (words.length > 0) inspectCommand(words, inspection, { substitutions: inner });
  inspection.input = input;
}

/** An argument such as PATH=/x after `export`. */
function assignmentWord({ text, value }: Extract<Command['args'][number], { type: 'Assignment' }>): ShellWord {
  if (value.type !== 'Word') return UNKNOWN_WORD;
  const read = readWord(value);
  const name = text.slice(0, text.indexOf('=') + 1);
  return { ...read, value: `${name}${read.value}` };
}

/** What `echo` and `printf` with literal words print; null for everything else. */
function printedText(node: CommandNode): string | null {
  if (node.type !== 'Command' || !/^(?:echo|printf)$/.test(node.name?.value ?? '')) return null;
  const words = node.args.map((word) => (word.type === 'Word' ? readWord(word) : UNKNOWN_WORD));
  if (words.some(({ kind }) => kind !== 'literal')) return null;
  return words.map(({ value }) => value.replaceAll('\\n', '\n')).join(' ');
}

/** Numeric comparisons and -v evaluate their operands, which can run commands; `sh` runs what follows && and ||. */
function isSafeTest(expression: TestExpression): boolean {
  switch (expression.type) {
    case 'TestUnary':
    case 'TestBinary':
      return SAFE_TESTS.has(expression.operator);
    case 'TestNot':
      return isSafeTest(expression.operand);
    default:
      return false;
  }
}

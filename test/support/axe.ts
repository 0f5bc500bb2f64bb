import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface Violation {
  id: string;
  impact: string;
  nodes: { target: unknown }[];
}

export interface AxeScope {
  /** Default: all rules. */
  rules?: readonly string[];
  /** A part of the page; default: all of it. */
  part?: string;
}

/** Violations that axe rates serious or critical. The debugger injects axe: the page's policy would block it. */
export async function violations(page: Page, { rules, part }: AxeScope = {}): Promise<string[]> {
  if (await page.evaluate(() => !('axe' in globalThis))) await page.evaluate(axe.source);
  const options = { resultTypes: ['violations'], ...(rules ? { runOnly: rules } : {}) };
  const where = part === undefined ? 'document' : JSON.stringify(part);
  const found = (await page.evaluate(`axe.run(${where}, ${JSON.stringify(options)})`)) as { violations: Violation[] };
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${JSON.stringify(nodes.map(({ target }) => target))}`);
}

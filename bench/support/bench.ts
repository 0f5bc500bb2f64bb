import type { Row } from '../row.ts';

/** What a bench script exports. */
export interface Bench {
  name: string;
  goal: string;
  /** What is measured and what the peers are; a paragraph of the page. */
  about?: string;
  run(): Promise<Row[]>;
}

export type BenchResult = Omit<Bench, 'run'> & { rows: Row[] /** File name. */; script: string };

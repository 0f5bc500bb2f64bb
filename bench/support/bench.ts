import type { Row } from '../row.ts';

/** The exports of a bench script. */
export interface Bench {
  name: string;
  goal: string;
  /** What is measured and who the peers are; a paragraph of the page. */
  about?: string;
  run(): Promise<Row[]>;
}

export type BenchResult = Omit<Bench, 'run'> & { rows: Row[] /** File name. */; script: string };

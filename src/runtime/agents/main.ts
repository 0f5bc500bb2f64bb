import { runChild } from './run-child.ts';

runChild();

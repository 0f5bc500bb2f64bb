export { enterBubblewrap } from './enter.ts';
export { enterNone } from './none.ts';
export { probeBubblewrap } from './probe.ts';

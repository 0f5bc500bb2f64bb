export { enterBubblewrap, enterNone } from './enter.ts';
export { probeBubblewrap } from './probe.ts';

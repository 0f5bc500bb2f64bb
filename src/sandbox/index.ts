export { enterBubblewrap, enterNone } from './enter.ts';
export { releasePlaces } from './placeholders.ts';
export { probeBubblewrap } from './probe.ts';

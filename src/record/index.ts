export { type DiscShape, discShapes, discSvg, discTime } from './disc.ts';
export {
  type ApprovalSpan,
  addEvent,
  addMessage,
  emptyModel,
  eventAt,
  foldEvents,
  isTerminal,
  isWaiting,
  lengthOf,
  openQuestion,
  type Question,
  type RunModel,
  seqAt,
  timeOf,
} from './run-model.ts';

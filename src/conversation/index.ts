export {
  type Conversation,
  type ConversationPoint,
  createConversation,
  foldConversation,
  wantsWholeText,
} from './conversation.ts';
export { createDoneMarkerFilter, type DoneMarkerFilter, MARKER_IN_WORDS, withoutDoneMarker } from './done-marker.ts';

export {
  type Conversation,
  type ConversationPoint,
  createConversation,
  foldConversation,
  wantsWholeText,
} from './conversation.ts';
export { createDoneMarkerFilter, type DoneMarkerFilter, withoutDoneMarker } from './done-marker.ts';

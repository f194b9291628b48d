/** Stories of objects: what page and command line tell about pods, nodes, claims, policies and Decisions. */
export { STORY_KINDS, storyKind, type Story, type StoryKind, type StoryRef } from './story.js';
export { poolVerdicts } from './pool-verdicts.js';
export { tellStory } from './tell-story.js';
export { amountText, durationText } from './words.js';

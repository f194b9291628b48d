/** The hint that ends a message about a word that is not known. */
import { nearest } from '../../apis/decode/nearest.js';

/** `; did you mean X?` for the nearest of the known words, '' when none is near; `show` spells the guess. */
export function didYouMean(
  word: string,
  known: readonly string[],
  show: (guess: string) => string = (guess) => guess,
): string {
  const guess = nearest(word, known);
  return guess === undefined ? '' : `; did you mean ${show(guess)}?`;
}

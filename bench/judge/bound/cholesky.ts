/** Solves equations with a symmetric matrix that is positive definite but for rounding. */
import { at } from './relaxation.js';

/** Pivots below this share of the largest are rounding: their rows are left out. */
const TINY = 1e-13;

/** Factorizes the matrix (size × size, overwritten); the answer solves it for a right side. */
export function factorize(matrix: Float64Array, size: number): (right: Float64Array) => Float64Array {
  const original = Float64Array.from({ length: size }, (_, row) => at(matrix, row * size + row));
  for (let column = 0; column < size; column++) {
    for (let row = column; row < size; row++) {
      let value = at(matrix, row * size + column);
      for (let inner = 0; inner < column; inner++)
        value -= at(matrix, row * size + inner) * at(matrix, column * size + inner);
      matrix[row * size + column] = value;
    }
    const pivot = at(matrix, column * size + column);
    const scale = pivot > TINY * at(original, column) ? Math.sqrt(pivot) : Infinity;
    for (let row = column; row < size; row++)
      matrix[row * size + column] = row === column ? scale : at(matrix, row * size + column) / scale;
  }
  return (right) => backward(matrix, forward(matrix, right, size), size);
}

function forward(lower: Float64Array, right: Float64Array, size: number): Float64Array {
  const result = Float64Array.from(right);
  for (let row = 0; row < size; row++) {
    let value = at(result, row);
    for (let column = 0; column < row; column++) value -= at(lower, row * size + column) * at(result, column);
    result[row] = value / at(lower, row * size + row);
  }
  return result;
}

function backward(lower: Float64Array, right: Float64Array, size: number): Float64Array {
  const result = right;
  for (let row = size - 1; row >= 0; row--) {
    let value = at(result, row);
    for (let below = row + 1; below < size; below++)
      value -= at(lower, below * size + row) * at(result, below);
    result[row] = value / at(lower, row * size + row);
  }
  return result;
}

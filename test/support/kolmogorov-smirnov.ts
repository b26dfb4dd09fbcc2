/** The p-value of the two-sided two-sample Kolmogorov-Smirnov test (asymptotic). */
export function kolmogorovSmirnovPValue(one: readonly number[], other: readonly number[]): number {
  const first = [...one].sort((a, b) => a - b);
  const second = [...other].sort((a, b) => a - b);
  let maxDistance = 0;
  let i = 0;
  let j = 0;
  while (i < first.length && j < second.length) {
    const value = Math.min(first[i] ?? 0, second[j] ?? 0);
    while (i < first.length && (first[i] ?? 0) <= value) i += 1;
    while (j < second.length && (second[j] ?? 0) <= value) j += 1;
    maxDistance = Math.max(maxDistance, Math.abs(i / first.length - j / second.length));
  }
  const effective = Math.sqrt((first.length * second.length) / (first.length + second.length));
  const lambda = (effective + 0.12 + 0.11 / effective) * maxDistance;
  if (lambda < 0.2) return 1;
  let probability = 0;
  for (let k = 1; k <= 100; k += 1) probability += 2 * (-1) ** (k - 1) * Math.exp(-2 * k * k * lambda * lambda);
  return Math.min(1, Math.max(0, probability));
}

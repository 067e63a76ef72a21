/** A small replay file as its tuner writes it: 12 configurations, times 0.5 to 6 ms, the first one failed. */
export function textOf(): string {
  const times = [
    '"RuntimeFailedConfig"',
    '2, "times": [1.5, 2.5]',
    "1",
    "6",
    "5.5",
    "4",
    "3.5",
    "3",
    "2.5",
    "2.75",
    "1.5",
    "0.5",
  ];
  const entries: string[] = [];
  for (const x of [1, 2, 4]) {
    for (const kind of ["a", "b"]) {
      for (const fast of [false, true]) {
        const key = `${x},${kind},${fast ? "True" : "False"}`;
        entries.push(
          `"${key}": {"x": ${x}, "kind": "${kind}", "fast": ${fast}, "time": ${times[entries.length]}}`,
        );
      }
    }
  }
  return `{
"device_name": "gpu", "kernel_name": "toy", "problem_size": [16, 16],
"tune_params_keys": ["x", "kind", "fast"],
"tune_params": {"x": [1, 2, 4], "kind": ["a", "b"], "fast": [false, true]},
"objective": "time",
"cache": {
${entries.join(",\n")}
}
}
`;
}

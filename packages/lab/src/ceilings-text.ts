import type { CeilingKind, Ceilings, ProbeReading } from "@tunelab/contract";
import { formatPercent, formatRate, formatTime, type Grid, NOTHING } from "@tunelab/report";
import type { Fractions } from "@tunelab/selection";

/** The line that a session begins with. */
export function ceilingsText(ceilings: Ceilings): string {
  const { fmaFlopsPerSecond, copyBytesPerSecond, workgroupBytesPerSecond, dispatchOverheadNs } = ceilings;
  const parts = [
    fmaFlopsPerSecond && `FMA ${formatRate(fmaFlopsPerSecond, "FLOP/s")}`,
    copyBytesPerSecond && `copy ${formatRate(copyBytesPerSecond, "B/s")}`,
    workgroupBytesPerSecond && `workgroup memory ${formatRate(workgroupBytesPerSecond, "B/s")}`,
    dispatchOverheadNs && `a dispatch ${formatTime(dispatchOverheadNs / 1_000)}`,
    ceilings.computeUnits && `compute units ${unitsText(ceilings)}`,
  ];
  return `Ceilings: ${parts.filter(Boolean).join(", ")}`;
}

/** ", 18.2% of FMA, 0.41% of copy, 61.0% of workgroup memory, cache-served"; empty where no ceiling is known. */
export function sharesText(shares: Fractions): string {
  const { ofFma, ofCopy, ofWorkgroup, cacheServed, underFilled } = shares;
  const parts = [
    ofFma !== undefined && `${formatPercent(ofFma)} of FMA`,
    ofCopy !== undefined && `${formatPercent(ofCopy)} of copy`,
    ofWorkgroup !== undefined && `${formatPercent(ofWorkgroup)} of workgroup memory`,
    cacheServed && "cache-served",
    underFilled && "under-filled",
  ].filter(Boolean);
  return parts.length > 0 ? `, ${parts.join(", ")}` : "";
}

/** What the device can do at most, a line each. A probe that failed prints as `--`: absent is not zero. */
export function ceilingsGrid(ceilings: Ceilings): Grid {
  const time = (ns: number | undefined): string => formatTime(ns === undefined ? undefined : ns / 1_000);
  return {
    columns: [
      { title: "ceiling", align: "left" },
      { title: "measured", align: "right" },
    ],
    rows: [
      ["independent multiply-adds", formatRate(ceilings.fmaFlopsPerSecond, "FLOP/s")],
      ["global copy, read and written", formatRate(ceilings.copyBytesPerSecond, "B/s")],
      ["global read", formatRate(ceilings.readBytesPerSecond, "B/s")],
      ["workgroup memory", formatRate(ceilings.workgroupBytesPerSecond, "B/s")],
      ["subgroup operations", formatRate(ceilings.subgroupOpsPerSecond, "values/s")],
      ["one more dispatch in a pass of 32", time(ceilings.dispatchOverheadNs)],
      ["one dispatch alone in its pass", time(ceilings.dispatchAloneNs)],
      ["one more indirect dispatch", time(ceilings.indirectDispatchNs)],
      ["step of the clock", time(ceilings.tickNs)],
      ["compute units", unitsText(ceilings)],
    ],
  };
}

const unitsText = ({ computeUnits }: Ceilings): string =>
  computeUnits ? `${computeUnits.value} (${computeUnits.source})` : NOTHING;

/** What one a second of each kind is called; dispatches are shown by their time. */
const UNITS: Readonly<Partial<Record<CeilingKind, string>>> = {
  fma: "FLOP/s",
  copy: "B/s",
  read: "B/s",
  workgroup: "B/s",
  subgroup: "values/s",
};

/** Every probe behind the ceilings. */
export function readingsGrid(readings: readonly ProbeReading[]): Grid {
  const figure = ({ ceiling, perSecond }: ProbeReading): string => {
    const unit = UNITS[ceiling];
    if (unit) return formatRate(perSecond, unit);
    return formatTime(perSecond === undefined ? undefined : 1e6 / perSecond);
  };
  return {
    columns: [
      { title: "probe", align: "left" },
      { title: "counts for", align: "left" },
      { title: "measured", align: "right" },
      { title: "samples", align: "right" },
      { title: "CV", align: "right" },
      { title: "not measured because", align: "left" },
    ],
    rows: readings.map((one) => [
      one.name,
      one.ceiling,
      figure(one),
      String(one.samples),
      one.perSecond === undefined ? NOTHING : formatPercent(one.cv),
      one.reason ?? "",
    ]),
  };
}

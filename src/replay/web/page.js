// Draws the charts of `stint replay --html`. The numbers stand in the page as
// JSON; every chart shows the same steps, and a zoom in one moves them all.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("series").textContent);
  const charts = [];

  // The width of a step in words: 600 → "10 min".
  function width(seconds) {
    for (const [unit, name] of [[604800, "week"], [86400, "day"], [3600, "hour"], [60, "min"], [1, "s"]]) {
      if (seconds % unit === 0) return seconds === unit ? name : `${seconds / unit} ${name}`;
    }
    return "";
  }

  function rows(series) {
    const shift = (data.start - series.start) / data.step;
    const list = [];
    // The last row closes the last step, which is drawn up to the next one.
    for (let i = 0; i <= data.steps; i++) {
      const at = i + shift;
      list.push([new Date((data.start + i * data.step) * 1000), series.allowed[at] || 0, series.denied[at] || 0]);
    }
    return list;
  }

  function colours() {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    return {
      colors: [colour("--allowed"), colour("--denied")],
      axisLineColor: colour("--line"),
      gridLineColor: colour("--line"),
    };
  }

  function legend(state) {
    const mark = (name, text) => `<i class="${name}"></i>${name}${text}`;
    if (state.x === undefined) return `requests per ${width(data.step)}${mark("allowed", "")}${mark("denied", "")}`;
    const when = new Date(state.x).toISOString().slice(0, 19).replace("T", " ");
    const value = (i) => ` ${(state.series[i].y || 0).toLocaleString("en")}`;
    return `${when} UTC${mark("allowed", value(0))}${mark("denied", value(1))}`;
  }

  function zoomed(from, to) {
    for (const chart of charts) chart.updateOptions({ dateWindow: [from, to] });
  }

  document.querySelectorAll(".chart").forEach((place) => {
    const series = data.series[Number(place.dataset.series)];
    charts.push(new Dygraph(place, rows(series), {
      ...colours(),
      labels: ["time", "allowed", "denied"],
      labelsUTC: true,
      labelsDiv: place.parentElement.querySelector(".legend"),
      legend: "always",
      legendFormatter: legend,
      stackedGraph: true,
      stepPlot: true,
      fillAlpha: 0.55,
      strokeWidth: 1,
      includeZero: true,
      highlightCircleSize: 0,
      zoomCallback: zoomed,
      axes: { y: { axisLabelWidth: 48, pixelsPerLabel: 32 }, x: { pixelsPerLabel: 90 } },
    }));
  });

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const chart of charts) chart.updateOptions(colours());
  });
})();

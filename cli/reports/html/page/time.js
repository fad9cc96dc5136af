// Seconds as people read them: "1m16.201s", rounded down as everywhere in Tenure. Digits below the millisecond only
// where they are asked for. What a binary fraction lacks is added first.
function timeText(seconds, digits = 3) {
  if (seconds === null) return "it goes on";
  const sign = seconds < 0 ? "-" : "";
  const scale = 10 ** digits;
  const ticks = Math.floor(Math.abs(seconds) * scale + 1e-6);
  const whole = Math.floor(ticks / scale);
  const rest = (ticks % scale) / scale;
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  const last = (whole % 60 + rest).toFixed(digits);
  if (hours > 0) return `${sign}${hours}h${String(minutes).padStart(2, "0")}m${last.padStart(digits ? digits + 3 : 2, "0")}s`;
  if (minutes > 0) return `${sign}${minutes}m${last.padStart(digits ? digits + 3 : 2, "0")}s`;
  return `${sign}${last}s`;
}

// A length of time, without noughts at its end: "2.5s", "14ms", "300us".
function lengthText(seconds) {
  const size = Math.abs(seconds);
  if (size === 0) return "0s";
  if (size < 0.001) return `${+(seconds * 1e6).toFixed(1)}us`;
  if (size < 1) return `${+(seconds * 1e3).toFixed(size < 0.1 ? 2 : 0)}ms`;
  if (size < 60) return `${Math.sign(seconds) * (Math.floor(size * 1e3 + 1e-6) / 1e3)}s`;
  return timeText(seconds).replace(/\.?0+s$/, "s");
}

// What tells the ticks of an axis apart, which are `step` seconds from each other.
function tickText(seconds, step) {
  const digits = step >= 1 ? 0 : Math.min(9, Math.ceil(-Math.log10(step) - 1e-9));
  return timeText(seconds, digits);
}

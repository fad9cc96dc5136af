fillHead();
fillFilters();
fillTables();
onChange(drawTimeline);
onChange(drawOverview);
onChange(drawState);
onChange(drawStory);
new ResizeObserver(changed).observe(timeline);
if (!followLink()) firstWindow();

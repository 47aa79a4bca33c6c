namespace Broker.LoadTest.Report.Picture;

/// <summary>A ratio to draw, and the least and the most of its rounds.</summary>
internal sealed record Bar(string Series, double Value, double Min, double Max);

/// <summary>The bars of one row in one panel.</summary>
internal sealed record BarGroup(string Label, IReadOnlyList<Bar> Bars);

/// <summary>Bars that share a scale; the line at 1 is where both are alike.</summary>
internal sealed record Panel(string Title, IReadOnlyList<BarGroup> Groups);

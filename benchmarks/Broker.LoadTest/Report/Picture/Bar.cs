namespace Broker.LoadTest.Report.Picture;

/// <summary>A ratio to draw, with the minimum and the maximum of its rounds.</summary>
internal sealed record Bar(string Series, double Value, double Min, double Max);

/// <summary>The bars of one row in one panel.</summary>
internal sealed record BarGroup(string Label, IReadOnlyList<Bar> Bars);

/// <summary>Bars with a common scale. At the line at 1 both servers are equal.</summary>
internal sealed record Panel(string Title, IReadOnlyList<BarGroup> Groups);

namespace Broker.LoadTest.Rows;

/// <summary>A point on the scale of a growing dimension. The rows of one dimension are one table.</summary>
/// <param name="Dimension">The growing dimension.</param>
/// <param name="Label">The label of the point.</param>
/// <param name="Figure">The measured figure.</param>
/// <param name="Value">The point as a number for a curve; null if it is not a number.</param>
internal sealed record Point(string Dimension, string Label, GrowthFigure Figure, double? Value = null);

/// <summary>The figures that are measured while a dimension grows.</summary>
internal sealed record GrowthFigure(string Unit, Func<Measurement, double?> Of)
{
    public static GrowthFigure CpuPerMessage { get; } = new("CPU ns", measurement => measurement.CpuNanoseconds);

    public static GrowthFigure P99 { get; } = new("p99 µs", measurement => measurement.Latency?.P99);
}

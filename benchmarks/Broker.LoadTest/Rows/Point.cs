namespace Broker.LoadTest.Rows;

/// <summary>A place on a scale along which something grows; the rows of one dimension make one table.</summary>
/// <param name="Dimension">What grows.</param>
/// <param name="Label">The place in words.</param>
/// <param name="Figure">What is looked at there.</param>
/// <param name="Value">The place as a number, for a curve; null where it is none.</param>
internal sealed record Point(string Dimension, string Label, GrowthFigure Figure, double? Value = null);

/// <summary>What is looked at as something grows.</summary>
internal sealed record GrowthFigure(string Unit, Func<Measurement, double?> Of)
{
    public static GrowthFigure CpuPerMessage { get; } = new("CPU ns", measurement => measurement.CpuNanoseconds);

    public static GrowthFigure P99 { get; } = new("p99 µs", measurement => measurement.Latency?.P99);
}
